/// A section of a page, with its link in the navigation.
package struct PageSection: Sendable {
    package let id: String
    let title: String
    /// How many elements it shows; nil if that says nothing.
    let count: Int?
    /// How many there are, with those that it does not show.
    let total: Int?
    let content: Markup

    /// A section with a heading. `count` is how many elements it shows, of `total` if it does not show all.
    package init(id: String, title: String, count: Int? = nil, of total: Int? = nil, content: Markup) {
        self.id = id
        self.title = title
        self.count = count
        self.total = total
        self.content = content
    }

    /// The same section with something under its heading.
    package func beginning(with markup: Markup) -> PageSection {
        PageSection(id: id, title: title, count: count, of: total, content: "\(markup)\(content)")
    }

    /// The section's HTML.
    var body: Markup {
        """
        <section id="\(id)" aria-labelledby="\(id)-title">
        <h2 id="\(id)-title">\(title)</h2>
        \(content)
        </section>

        """
    }

    /// The link to it.
    var link: Markup {
        "<li><a href=\"#\(id)\"><span>\(title)</span>\(countOfLink)</a></li>\n"
    }

    /// What the section shows, such as `200 of 1,234`.
    private var countOfLink: Markup {
        guard let count else { return "" }
        let rest = total.map { $0 > count ? " of \(PageWords.number($0))" : "" } ?? ""
        return "<span class=\"count\(count == 0 ? " zero" : "")\">\(PageWords.number(count))\(rest)</span>"
    }
}
