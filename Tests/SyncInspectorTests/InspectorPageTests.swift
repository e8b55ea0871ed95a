import Foundation
import SyncCore
import SyncRuntime
import SyncServer
import SyncStore
import Testing

@testable import SyncInspector
@testable import SyncPages

@Suite struct InspectorPageTests {
    @Test(arguments: HostileText.all) func noTextOfARecordChangesThePage(hostile: HostileText) throws {
        let text = hostile.text
        let (world, plain) = (try InspectorWorld(), try InspectorWorld())
        try world.fill(with: text)
        try plain.fill()
        let (page, calm) = (try world.page(), try plain.page())
        // The same elements with the same attributes, whatever the texts are.
        #expect(try Self.shape(page) == Self.shape(calm))
        for scalar in page.unicodeScalars { #expect(!scalar.isHidden || scalar == "\n" || scalar == "\t") }
        #expect(page.utf8.count < calm.utf8.count * 6)
    }

    /// The names of all tags in order, with the names of their attributes. Marks on differences are left out.
    static func shape(_ page: String) throws -> [String] {
        let tags = try NSRegularExpression(pattern: #"<(/?[a-zA-Z!][^<>]*)>"#)
        let attributes = try NSRegularExpression(pattern: #"=("[^"]*")"#)
        return tags.matches(in: page, range: NSRange(page.startIndex..., in: page)).compactMap { match in
            let tag = Range(match.range(at: 1), in: page).map { String(page[$0]) } ?? ""
            let name = tag.drop { $0 == "/" }.prefix { $0.isLetter }
            // A long value gets a note on what was left out.
            if ["mark", "span", "p", "pre", "code", "div"].contains(name) { return nil }
            return attributes.stringByReplacingMatches(
                in: tag,
                range: NSRange(tag.startIndex..., in: tag),
                withTemplate: ""
            )
        }
    }

    @Test func theSameReportGivesTheSameBytes() throws {
        let (one, two) = (try InspectorWorld(), try InspectorWorld())
        try one.fill()
        try two.fill()
        #expect(try one.page() == two.page())
    }

    @Test func readingAStoreChangesNothingInIt() throws {
        let world = try InspectorWorld()
        try world.fill()
        world.store.close()
        let file = world.folder.appendingPathComponent("store.sqlite")
        let before = try Data(contentsOf: file)
        let again = try InspectorWorld(copying: world)
        _ = try again.page()
        again.store.close()
        #expect(try Data(contentsOf: again.folder.appendingPathComponent("store.sqlite")) == before)
    }

    @Test func everyElementIsClosed() throws {
        let world = try InspectorWorld()
        try world.fill()
        let page = try world.page()
        let void: Set = ["meta", "input", "br", "!DOCTYPE"]
        var open: [String] = []
        let expression = try NSRegularExpression(pattern: #"<(/?)([a-zA-Z!0-9]+)[^<>]*>"#)
        let body = try Self.withoutCode(page)
        for match in expression.matches(in: body, range: NSRange(body.startIndex..., in: body)) {
            let isEnd = match.range(at: 1).length > 0
            let name = Range(match.range(at: 2), in: body).map { String(body[$0]) } ?? ""
            if void.contains(name) { continue }
            if !isEnd { open.append(name) } else { #expect(open.popLast() == name) }
        }
        #expect(open.isEmpty)
    }

    /// The page without the content of its style and its script.
    private static func withoutCode(_ page: String) throws -> String {
        page.replacingOccurrences(of: PageStyle.shared.text.html, with: "")
            .replacingOccurrences(of: InspectorScript.shared.text.html, with: "")
    }

    @Test func everyIdIsThereOnceAndEveryLinkWithinThePageLeadsToOne() throws {
        let world = try InspectorWorld()
        try world.fill()
        let page = try world.page()
        let ids = page.matches(of: /\sid="([^"]+)"/).map { String($0.output.1) }
        #expect(Set(ids).count == ids.count)
        let targets = page.matches(of: /(?:href="#|labelledby=")([^"]+)"/).flatMap {
            $0.output.1.split(separator: " ").map(String.init)
        }
        #expect(targets.count > 10)
        for target in targets { #expect(ids.contains(target), "\(target)") }
    }

    @Test func nothingOnThePageComesFromANetwork() throws {
        let world = try InspectorWorld()
        try world.fill()
        let page = try world.page()
        for place in ["src=", "http://", "https://", "@import", "url("] {
            #expect(!page.contains(place), "\(place)")
        }
        #expect(page.contains("default-src &#39;none&#39;"))
    }

    @Test func thePageAllowsItsOwnStyleAndScriptAndNoOthers() {
        for code in [PageStyle.shared, InspectorScript.shared] {
            let digest = Data(SHA256.digest(bytes: Array(code.text.html.utf8))).base64EncodedString()
            #expect(code.hash == "sha256-\(digest)")
            #expect(InspectorPage.servedPolicy.contains("'sha256-\(digest)'"))
        }
    }

    @Test func aStoreInWhichAllIsWellSaysSoFirst() throws {
        let world = try InspectorWorld()
        var report = try world.report()
        #expect(InspectorPage(report: report).headline == "Nothing is here yet.")
        try world.store.write(.full) {
            try $0.setValue("sync-history", value: InspectorWorld.history(message: "x"))
        }
        report = try world.report()
        report.context.reassurance = "All is well: nothing waits, conflicts or was rejected."
        let page = InspectorPage(report: report).html
        #expect(page.contains("<h2 id=\"verdict-title\">All is well.</h2>"))
        #expect(page.contains("There are no conflicts.") && page.contains("Nothing was rejected."))
    }

    @Test func whatNeedsAPersonIsCountedAndWhatOnlyWaitsIsNot() throws {
        let world = try InspectorWorld()
        try world.fill()
        let rejected = ReportedAdvice(
            rule: "rejected",
            message: "2 rejected",
            next: "see \(command: "a 'b'").",
            isFinding: true
        )
        let pending = ReportedAdvice(
            rule: "pending",
            message: "3 not sent",
            next: "run \(command: "x").",
            isFinding: false
        )
        let page = InspectorPage(report: try world.report(advice: [rejected, pending]))
        #expect(page.headline == "2 things need you.")
        #expect(page.html.contains("see <code>a &#39;b&#39;</code>."))
        #expect(page.html.contains("This needs no decision:"))
        #expect(page.html.contains("<a href=\"#rejected\">"))
    }

    @Test func theHeadlineCountsRecordsAsTheListBelowItDoes() throws {
        let world = try InspectorWorld()
        try world.store.write(.full) { store in
            for number in 1...3 {
                try world.addConflict("c\(number)", local: "a", remote: "b", to: store)
            }
        }
        let advice = ReportedAdvice(
            rule: "conflicts",
            message: "3 in conflict",
            next: "compare.",
            isFinding: false
        )
        #expect(InspectorPage(report: try world.report(advice: [advice])).headline == "3 things need you.")
    }

    @Test func whatWaitsForItsParentIsExplainedUnderWaiting() throws {
        let world = try InspectorWorld()
        let advice = ReportedAdvice(rule: "orphans", message: "2 kept back", next: "sync.", isFinding: false)
        var report = try world.report(advice: [advice])
        report.status.orphaned = 2
        let page = InspectorPage(report: report).html
        #expect(page.contains(#"<span>Waiting</span><span class="count zero">0</span>"#))
        #expect(page.contains("<li>2 kept back: sync.</li>") && !page.contains("Nothing waits to be sent."))
    }

    /// What the navigation counts and what a section lists, by the section's id.
    private func counts(_ page: String) -> [String: (told: String, listed: Int)] {
        let links = page.matches(
            of: /<a href="#([a-z]+)"><span>[^<]*<\/span><span class="count[^"]*">([^<]*)</
        )
        let told = Dictionary(uniqueKeysWithValues: links.map { (String($0.output.1), String($0.output.2)) })
        return told.reduce(into: [:]) { counts, link in
            let parts = page.components(separatedBy: "<section id=\"\(link.key)\"")
            let section = parts.last?.components(separatedBy: "</section>").first ?? ""
            let items = section.components(separatedBy: "<article class=\"item\"").count - 1
            let bodies = section.components(separatedBy: "<tbody role=\"rowgroup\">").dropFirst()
            let rows = bodies.first?.components(separatedBy: "</tbody>").first ?? ""
            let lines = rows.components(separatedBy: "<tr role=\"row\">").count - 1
            counts[link.key] = (link.value, items > 0 ? items : max(0, lines))
        }
    }

    @Test func theNavigationCountsWhatEachSectionLists() throws {
        let world = try InspectorWorld()
        try world.fill()
        let counts = counts(try world.page())
        #expect(Set(counts.keys).count == 7)
        for (section, count) in counts { #expect(count.told == "\(count.listed)", "\(section)") }
    }

    @Test func theNavigationSaysOfHowManyAListThatIsCutShowsSome() throws {
        let world = try InspectorWorld()
        try world.store.write(.full) { store in
            for number in 1000..<1250 {
                let task = world.task("t\(number)", state: "s", sequence: Int64(number), minutes: 5)
                try store.save(
                    entity: InspectorWorld.task,
                    record: LocalRecord(version: task, state: .pending)
                )
            }
            for number in 10..<30 {
                try world.addConflict("c\(number)", local: "mine", remote: "theirs", to: store)
            }
        }
        let all = counts(try world.page())
        #expect(all["waiting"].map { "\($0)" } == #"(told: "200 of 250", listed: 200)"#)
        #expect(all["conflicts"].map { "\($0)" } == #"(told: "20", listed: 20)"#)
        #expect(all["histories"].map { "\($0)" } == #"(told: "30 of 270", listed: 30)"#)
        let few = counts(try world.page(limits: ReportLimits(items: 7)))
        #expect(few["conflicts"].map { "\($0)" } == #"(told: "7 of 20", listed: 7)"#)
        #expect(few["waiting"].map { "\($0)" } == #"(told: "7 of 250", listed: 7)"#)
    }

    @Test func aRecordIsNamedByItsTitleAndItsKeyStaysBesideIt() throws {
        let world = try InspectorWorld()
        try world.store.write(.full) { store in
            try world.addConflict("c1", local: "A <b>new</b> roof", remote: "theirs", to: store)
            // Where the title is blank, the next field that may name a record does.
            try world.addConflict("c2", local: " ", remote: "of the remote", to: store)
            let gone = world.note("g1", title: "", sequence: 4, minutes: 3, isDeleted: true)
            try store.save(entity: InspectorWorld.note, record: LocalRecord(version: gone, state: .pending))
            let before = world.note(
                "g1",
                title: "It was here",
                by: InspectorWorld.other,
                sequence: 1,
                minutes: 9
            )
            try store.setSide(
                entity: InspectorWorld.note,
                key: RecordKey("g1"),
                kind: .base,
                version: before
            )
        }
        let page = try world.page()
        let entity = #"<span class="entity">note</span>"#
        for (key, title) in [("c1", "A &lt;b&gt;new&lt;/b&gt; roof"), ("c2", "a body")] {
            let name = #"\#(entity) <bdi class="title">\#(title)</bdi> <bdi class="key">\#(key)</bdi>"#
            #expect(page.components(separatedBy: "<h3>\(name)</h3>").count - 1 == 2, "\(key)")
        }
        let deleted = #"<bdi class="title">It was here</bdi></a> <bdi class="key">g1</bdi>"#
        #expect(page.contains(deleted))
        #expect(page.contains(#"<span class="sr"> for A &lt;b&gt;new&lt;/b&gt; roof, c1</span>"#))
    }

    @Test func whatNobodyCanSeeInAKeyIsWrittenOut() throws {
        let world = try InspectorWorld()
        try world.fill(with: "a\u{200B}b\u{202E}c\nd\u{AD}")
        let page = try world.page()
        let keys = page.matches(of: /class="key">([^<]*)</).map { String($0.output.1) }
        #expect(keys.count > 5)
        for key in keys { #expect(key.hasSuffix(#"a\u{200b}b\u{202e}c\u{a}d\u{ad}"#), "\(key)") }
    }

    @Test func aRecordThatNoCommandCanNameHasNoneAndThePageSaysWhy() throws {
        let world = try InspectorWorld()
        try world.store.write(.full) { try world.addConflict("e\u{0}k", local: "a", remote: "b", to: $0) }
        let page = try world.page()
        #expect(page.contains(StoreCommands.noCommand))
        #expect(!page.contains("synccheck resolve"))
    }

    @Test func aLongDraftSaysHowItsFileIsMade() throws {
        let world = try InspectorWorld()
        let long = String(repeating: "x", count: 3000)
        try world.store.write(.full) { try world.addConflict("k", local: long, remote: "b", to: $0) }
        let page = try world.page()
        #expect(page.contains("&lt; record.json"))
        #expect(page.contains("as JSON into a file record.json"))
        #expect(page.contains("synccheck conflicts --store &#39;some folder/store.sqlite&#39; --json"))
    }

    @Test func onlyALivePageHasButtons() throws {
        let world = try InspectorWorld()
        try world.fill()
        let report = try world.report()
        #expect(!InspectorPage(report: report).html.contains("<form"))
        let live = InspectorPage(report: report, live: .init(formToken: "secret", version: "7")).html
        #expect(live.components(separatedBy: "<form class=\"acts\"").count - 1 == 3)
        #expect(live.components(separatedBy: "name=\"form\" value=\"secret\"").count - 1 == 3)
    }
}
