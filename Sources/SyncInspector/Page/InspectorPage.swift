import SyncCore
import SyncRuntime

/// The page of a report: one HTML file without network. The same report gives the same bytes.
package struct InspectorPage: Sendable {
    let report: StoreReport
    /// What makes the page live; nil for a file.
    let live: LivePage?

    /// What a served page has beside the report.
    package struct LivePage: Sendable {
        /// Proves that a form was on a page of this server.
        package var formToken: String
        /// The state of the store that the page shows, for `/version`.
        package var version: String
        /// What the last button did; nil if none was used.
        package var notice: Notice?

        /// Makes the live part.
        package init(formToken: String, version: String, notice: Notice? = nil) {
            self.formToken = formToken
            self.version = version
            self.notice = notice
        }
    }

    /// One sentence on what a button did.
    package struct Notice: Sendable {
        /// The sentence.
        package var text: String
        /// Whether it failed.
        package var isError: Bool

        /// Makes a notice.
        package init(text: String, isError: Bool) {
            self.text = text
            self.isError = isError
        }
    }

    /// Makes a page.
    package init(report: StoreReport, live: LivePage? = nil) {
        self.report = report
        self.live = live
    }

    /// The page's HTML.
    package var html: String {
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy(isLive: live != nil))">
            <meta name="referrer" content="\(live == nil ? "no-referrer" : "same-origin")">
            <title>\(title)</title>
            <style>\(InspectorStyle.css)</style>
            </head>
            <body\(liveAttributes)>
            <a class="skip" href="#main">To the content</a>
            \(header)
            <div class="columns">
            \(navigation)
            <main id="main" tabindex="-1">
            \(notice)\(verdict)
            \(sections.map(\.body))
            </main>
            </div>
            \(footer)
            <script>\(InspectorScript.code)</script>
            </body>
            </html>

            """
        return page.html
    }

    /// What the page may load and run: only what is in it.
    package static func policy(isLive: Bool) -> String {
        let rest = isLive ? "connect-src 'self'; form-action 'self'" : "form-action 'none'"
        return
            "default-src 'none'; style-src '\(InspectorStyle.hash)'; script-src '\(InspectorScript.hash)'; "
            + "base-uri 'none'; \(rest)"
    }

    private var title: String {
        let name = report.context.store.split(separator: "/").last.map(String.init) ?? report.context.store
        return "\(headline) \(Self.short(text: name)) · synccheck inspect"
    }

    private var liveAttributes: Markup {
        live.map { #" data-version="\#($0.version)""# } ?? ""
    }

    private var header: Markup {
        let context = report.context
        let sync: Markup =
            report.status.lastSuccess.map { "\(time(at: $0)), \(ago(since: $0))" } ?? "never"
        return """
            <header>
            <p class="product">synccheck inspect</p>
            <h1><bdi>\(Self.short(text: context.store, limit: 400))</bdi></h1>
            <dl class="facts">
            <div><dt>As of</dt><dd>\(time(at: context.at))</dd></div>
            <div><dt>Last full sync</dt><dd>\(sync)</dd></div>
            \(fact(name: "Remote", value: context.remote))\(fact(name: "Account", value: context.account))\
            \(fact(name: "This device", value: context.device))
            </dl>
            </header>
            """
    }

    private func fact(name: String, value: String?) -> Markup {
        guard let value else { return "" }
        return "<div><dt>\(name)</dt><dd><bdi>\(Self.short(text: value, limit: 400))</bdi></dd></div>"
    }

    private var navigation: Markup {
        let links = sections.map { section -> Markup in
            let count: Markup =
                section.count.map { "<span class=\"count\">\(PageWords.number($0))</span>" } ?? ""
            return "<li><a href=\"#\(section.id)\"><span>\(section.title)</span>\(count)</a></li>\n"
        }
        return "<nav aria-label=\"Sections\"><ul>\n\(links)</ul></nav>"
    }

    private var notice: Markup {
        guard let notice = live?.notice else { return "" }
        let kind: Markup =
            notice.isError ? #"class="notice error" role="alert""# : #"class="notice" role="status""#
        return "<p \(kind)>\(notice.text)</p>\n"
    }

    private var footer: Markup {
        """
        <footer><p>Made by synccheck \(report.context.program). Times are in UTC. Reading changed nothing in the \
        store; values of records are shown as they are, so mind who sees this page.</p></footer>
        """
    }

    /// A section of the page.
    struct Section {
        var id: String
        var title: String
        /// How many elements it has; nil if that says nothing.
        var count: Int?
        var body: Markup

        /// A section with a heading.
        init(id: String, title: String, count: Int? = nil, content: Markup) {
            self.id = id
            self.title = title
            self.count = count
            body = """
                <section id="\(id)" aria-labelledby="\(id)-title">
                <h2 id="\(id)-title">\(title)</h2>
                \(content)
                </section>

                """
        }
    }

    private var sections: [Section] {
        [
            entitiesSection, waitingSection, conflictsSection, rejectedSection, journalSection,
            historiesSection,
            syncsSection, storageSection,
        ]
    }
}
