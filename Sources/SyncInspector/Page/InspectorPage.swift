import SyncCore
import SyncPages
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
        /// The section with the button, which shows it.
        package var section: String

        /// Makes a notice.
        package init(text: String, isError: Bool, section: String) {
            self.text = text
            self.isError = isError
            self.section = section
        }
    }

    /// Makes a page.
    package init(report: StoreReport, live: LivePage? = nil) {
        self.report = report
        self.live = live
    }

    /// The page's HTML.
    package var html: String {
        let context = report.context
        let sync: Markup =
            report.status.lastSuccess.map { "\(time(at: $0)), \(ago(since: $0))" } ?? "never"
        let facts: [PageFrame.Fact] =
            [
                PageFrame.Fact(name: "As of", value: time(at: context.at)),
                PageFrame.Fact(name: "Last full sync", value: sync),
            ]
            + [("Remote", context.remote), ("Account", context.account), ("This device", context.device)]
            .compactMap { name, text in text.map { PageFrame.Fact(name: name, text: $0) } }
        let file = context.store.split(separator: "/").last.map(String.init) ?? context.store
        var frame = PageFrame(
            title: "\(headline) \(Self.short(text: file)) · synccheck inspect",
            product: "synccheck inspect",
            heading: context.store,
            facts: facts,
            lead: verdict,
            sections: sections,
            footer: """
                Made by synccheck \(context.program). Times are in UTC. Reading changed nothing in the store; values \
                of records are shown as they are, so mind who sees this page.
                """
        )
        frame.script = InspectorScript.shared
        frame.isServed = live != nil
        frame.bodyAttributes = live.map { #" data-version="\#($0.version)""# } ?? ""
        return frame.html
    }

    /// What a served page may load and run: only what is in it, and its own server.
    package static var servedPolicy: String {
        PageFrame.policy(script: InspectorScript.shared, isServed: true)
    }

    /// All sections. What a button did stands under the heading of its section, where the browser goes.
    private var sections: [PageSection] {
        let sections = [
            entitiesSection, waitingSection, conflictsSection, rejectedSection, journalSection,
            historiesSection, syncsSection, storageSection,
        ]
        guard let notice = live?.notice else { return sections }
        let kind: Markup =
            notice.isError ? #"class="notice error" role="alert""# : #"class="notice" role="status""#
        return sections.map { section in
            guard section.id == notice.section else { return section }
            return section.beginning(with: "<p \(kind)>\(notice.text)</p>\n")
        }
    }
}
