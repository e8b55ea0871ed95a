/// What every page has: one HTML file without network, with a heading, facts, links to its sections, and a policy that
/// allows nothing but its own style and script. The same parts give the same bytes.
package struct PageFrame: Sendable {
    /// The title of the window.
    package var title: String
    /// The program, above the heading.
    package var product: String
    /// The heading.
    package var heading: String
    /// Names and values below the heading.
    package var facts: [Fact]
    /// What stands before the sections.
    package var lead: Markup
    /// The sections.
    package var sections: [PageSection]
    /// The last line.
    package var footer: Markup
    /// What one page needs beside the shared style.
    package var style: PageCode?
    /// The script; nil for a page that needs none.
    package var script: PageCode?
    /// Attributes of the body, each with a space before it.
    package var bodyAttributes: Markup = ""
    /// Whether a server shows it, so that it may ask that server and send forms to it.
    package var isServed = false

    /// A name and a value below the heading.
    package struct Fact: Sendable {
        let name: String
        let value: Markup

        /// Makes a fact.
        package init(name: String, value: Markup) {
            self.name = name
            self.value = value
        }

        /// A fact of any text.
        package init(name: String, text: String) {
            self.init(
                name: name,
                value: "<bdi>\(PageWords.short(text: text, limit: PageFrame.maxNameScalars))</bdi>"
            )
        }
    }

    /// The longest name in the head of a page, in Unicode scalars.
    private static let maxNameScalars = 400

    /// Makes a page.
    package init(
        title: String,
        product: String,
        heading: String,
        facts: [Fact],
        lead: Markup,
        sections: [PageSection],
        footer: Markup
    ) {
        self.title = title
        self.product = product
        self.heading = heading
        self.facts = facts
        self.lead = lead
        self.sections = sections
        self.footer = footer
    }

    /// What a page may load and run: only what is in it.
    package static func policy(style: PageCode? = nil, script: PageCode?, isServed: Bool) -> String {
        let styles = [PageStyle.shared, style].compactMap { $0.map { "'\($0.hash)'" } }.joined(separator: " ")
        let scripts = script.map { " script-src '\($0.hash)';" } ?? ""
        let rest = isServed ? "connect-src 'self'; form-action 'self'" : "form-action 'none'"
        return "default-src 'none'; style-src \(styles);\(scripts) base-uri 'none'; \(rest)"
    }

    /// The page's HTML, which is XML as well if its parts are.
    package var html: String {
        let policy = Self.policy(style: style, script: script, isServed: isServed)
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="light dark" />
            <meta http-equiv="Content-Security-Policy" content="\(policy)" />
            <meta name="referrer" content="\(isServed ? "same-origin" : "no-referrer")" />
            <title>\(title)</title>
            <style>\(PageStyle.shared.text)</style>
            \(style.map { "<style>\($0.text)</style>\n" as Markup } ?? "")</head>
            <body\(bodyAttributes)>
            <a class="skip" href="#main">To the content</a>
            <header>
            <p class="product">\(product)</p>
            <h1><bdi>\(PageWords.short(text: heading, limit: Self.maxNameScalars))</bdi></h1>
            <dl class="facts">
            \(facts.map { "<div><dt>\($0.name)</dt><dd>\($0.value)</dd></div>\n" as Markup })</dl>
            </header>
            <div class="columns">
            <nav aria-label="Sections"><ul>
            \(sections.map(\.link))</ul></nav>
            <main id="main" tabindex="-1">
            \(lead)
            \(sections.map(\.body))
            </main>
            </div>
            <footer><p>\(footer)</p></footer>
            \(script.map { "<script>\($0.text)</script>\n" as Markup } ?? "")</body>
            </html>

            """
        return page.html
    }
}
