/// A section of a page, with its link in the navigation.
package struct PageSection: Sendable {
    package let id: String
    let title: String
    /// How many elements it has; nil if that says nothing.
    let count: Int?
    let content: Markup

    /// A section with a heading.
    package init(id: String, title: String, count: Int? = nil, content: Markup) {
        self.id = id
        self.title = title
        self.count = count
        self.content = content
    }

    /// The same section with something under its heading.
    package func beginning(with markup: Markup) -> PageSection {
        PageSection(id: id, title: title, count: count, content: "\(markup)\(content)")
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
        let count: Markup = count.map { "<span class=\"count\">\(PageWords.number($0))</span>" } ?? ""
        return "<li><a href=\"#\(id)\"><span>\(title)</span>\(count)</a></li>\n"
    }
}
