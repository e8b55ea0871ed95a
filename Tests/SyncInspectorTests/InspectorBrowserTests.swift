import ChromiumBrowser
import Foundation
import SyncCore
import SyncStore
import Testing

@testable import SyncInspector

@Suite struct BrowserPresenceTests {
    @Test func aBrowserIsInstalled() {
        if ChromiumBrowser.program == nil { Issue.record("\(ChromiumBrowser.notInstalled)") }
    }
}

/// The page as a person meets it, in a browser.
@Suite(.serialized, .enabled(if: ChromiumBrowser.program != nil)) struct InspectorBrowserTests {
    /// A width, and whether colours are dark.
    struct Look: CustomStringConvertible, Sendable {
        var width: Int
        var isDark: Bool
        var description: String { "\(width)-\(isDark ? "dark" : "light")" }

        static let all = [360, 390, 1400].flatMap { width in
            [false, true].map { Look(width: width, isDark: $0) }
        }
    }

    /// Writes a page to the world's folder and opens it.
    private func open(_ html: String, of world: InspectorWorld, look: Look = Look(width: 1400, isDark: false))
        async throws -> BrowserPage
    {
        let file = world.folder.appendingPathComponent("page.html")
        try Data(html.utf8).write(to: file)
        return try await ChromiumBrowser.shared().page(
            file.absoluteString,
            width: look.width,
            isDark: look.isDark
        )
    }

    /// Keeps a picture in the folder that the environment names, for a person to look at.
    private func keep(_ page: BrowserPage, name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["SYNC_PAGE_PICTURES"] else { return }
        try await page.picture().write(to: URL(fileURLWithPath: folder).appendingPathComponent("\(name).png"))
    }

    private func filled(with text: String = "plain") throws -> (InspectorWorld, StoreReport) {
        let world = try InspectorWorld()
        try world.fill(with: text)
        let advice = [
            ReportedAdvice(
                rule: "rejected",
                message: "2 rejected",
                next: "see 'synccheck rejected'.",
                isFinding: true
            ),
            ReportedAdvice(rule: "pending", message: "3 not sent yet", next: "run 'sync'.", isFinding: false),
        ]
        return (world, try world.report(advice: advice))
    }

    @Test(arguments: Look.all) func everybodyCanUseThePage(look: Look) async throws {
        let (world, report) = try filled()
        let page = try await open(InspectorPage(report: report).html, of: world, look: look)
        #expect(try await page.problems().joined(separator: "\n") == "")
        try await keep(page, name: "filled-\(look)")
        // Also with everything unfolded.
        _ = try await page.text(
            of: "document.querySelectorAll('details').forEach((d) => { d.open = true }), ''"
        )
        #expect(try await page.problems().joined(separator: "\n") == "")
        try await keep(page, name: "unfolded-\(look)")
    }

    @Test(arguments: Look.all) func longTextsStayInTheirPlace(look: Look) async throws {
        let (world, report) = try filled(with: String(repeating: "Wörter_ohne_Ende", count: 400))
        let page = try await open(InspectorPage(report: report).html, of: world, look: look)
        _ = try await page.text(
            of: "document.querySelectorAll('details').forEach((d) => { d.open = true }), ''"
        )
        #expect(try await page.problems().joined(separator: "\n") == "")
        try await keep(page, name: "long-\(look)")
    }

    @Test func aLivePageCanBeUsedByEverybody() async throws {
        let (world, report) = try filled()
        let live = InspectorPage.LivePage(
            formToken: "f",
            version: "1",
            notice: .init(text: "It is resolved.", isError: false, section: "conflicts")
        )
        for look in Look.all {
            let page = try await open(InspectorPage(report: report, live: live).html, of: world, look: look)
            #expect(try await page.problems().joined(separator: "\n") == "")
            try await keep(page, name: "live-\(look)")
        }
    }

    @Test func aLongTitleIsShortenedUntilSomebodyPointsAtIt() async throws {
        let world = try InspectorWorld()
        let title = String(repeating: "A roof with drains ", count: 25) + "and a parapet"
        try world.store.write(.full) { try world.addConflict("c1", local: title, remote: "b", to: $0) }
        let page = try await open(try world.page(), of: world, look: Look(width: 390, isDark: false))
        let element = "document.querySelector('#conflicts .title')"
        #expect(try await page.text(of: "\(element).textContent") == title)
        let cut = "\(element).clientHeight < \(element).scrollHeight"
        #expect(try await page.text(of: "String(\(cut))") == "true")
        try await page.click("#conflicts summary")
        #expect(try await page.text(of: "String(\(cut))") == "false")
        #expect(try await page.problems().joined(separator: "\n") == "")
    }

    @Test(arguments: [390, 1400]) func aNarrowScreenShowsNoZeros(width: Int) async throws {
        let (world, report) = try filled()
        let page = try await open(
            InspectorPage(report: report).html,
            of: world,
            look: Look(width: width, isDark: false)
        )
        _ = try await page.text(
            of: "document.querySelectorAll('details').forEach((d) => { d.open = true }), ''"
        )
        let counts = "[...document.querySelectorAll('nav .count, td > div')]"
        let zeros = "\(counts).filter((e) => e.textContent === '0')"
        let all = try await page.number(of: "\(zeros).length")
        let shown = try await page.number(of: "\(zeros).filter((e) => e.checkVisibility()).length")
        #expect(all > 10 && shown == (width == 390 ? 0 : all))
        // Neither are lines that say nothing.
        let lines = "[...document.querySelectorAll('tfoot td')].filter((e) => e.checkVisibility())"
        let empty = try await page.number(
            of: "\(lines).filter((e) => e.querySelector('div').textContent === '').length"
        )
        #expect(empty == (width == 390 ? 0 : 1))
    }

    @Test func darkAndLightAreDifferentColours() async throws {
        let (world, report) = try filled()
        var grounds: Set<String> = []
        for isDark in [false, true] {
            let look = Look(width: 1400, isDark: isDark)
            let page = try await open(InspectorPage(report: report).html, of: world, look: look)
            grounds.insert(try await page.text(of: "getComputedStyle(document.body).backgroundColor"))
        }
        #expect(grounds.count == 2)
    }

    @Test(arguments: HostileText.all) func noTextOfARecordRuns(hostile: HostileText) async throws {
        let text = hostile.text
        let (world, report) = try filled(with: text)
        let page = try await open(InspectorPage(report: report).html, of: world)
        #expect(try await page.number(of: "document.scripts.length") == 1)
        let handlers =
            "[...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => /^on/i.test(a.name)))"
        #expect(try await page.number(of: "\(handlers).length") == 0)
        #expect(try await page.number(of: "document.querySelectorAll('main > section').length") == 9)
        #expect(try await page.problems().joined(separator: "\n") == "")
        if text.hasPrefix("</script>") {
            #expect(
                try await page.text(of: "document.querySelector('#conflicts .key').textContent").hasSuffix(
                    text
                )
            )
        }
    }

    @Test func theKeyboardReachesEveryControlAndTheFocusIsSeen() async throws {
        let (world, report) = try filled()
        let page = try await open(
            InspectorPage(report: report, live: .init(formToken: "f", version: "1")).html,
            of: world
        )
        let controls = "[...document.querySelectorAll('a,button,summary,input:not([type=hidden]),select')]"
        let all = Int(try await page.number(of: "\(controls).filter((e) => e.checkVisibility()).length"))
        #expect(all > 20)
        var reached: Set<String> = []
        for _ in 0..<all {
            try await page.press("Tab")
            let state = try await page.texts(
                of: """
                    (() => { const e = document.activeElement; const style = getComputedStyle(e);
                    return [String(\(controls).indexOf(e)), style.outlineStyle, style.outlineWidth]; })()
                    """
            )
            reached.insert(state[0])
            #expect(state[1] == "solid" && state[2] == "3px", "\(state)")
        }
        #expect(reached.count == all && !reached.contains("-1"))
    }

    @Test func aLongListIsShownInPagesAndCanBeSearched() async throws {
        let world = try InspectorWorld()
        try world.store.write(.full) { store in
            for number in 1000..<2000 {
                try world.addConflict("c\(number)", local: "mine \(number)", remote: "theirs", to: store)
            }
        }
        let html = try world.page()
        let start = ContinuousClock.now
        let page = try await open(html, of: world)
        #expect(ContinuousClock.now - start < .seconds(15))
        let visible = "[...document.querySelectorAll('#conflicts .item')].filter((e) => e.checkVisibility())"
        let keys = "\(visible).map((e) => e.querySelector('.key').textContent)"
        #expect(try await page.texts(of: keys) == (1000..<1020).map { "c\($0)" })
        try await page.click("#conflicts .pager button:last-of-type")
        #expect(try await page.texts(of: keys) == (1020..<1040).map { "c\($0)" })
        #expect(
            try await page.text(of: "document.querySelector('#conflicts .pager p').textContent")
                == "21 to 40 of 1000"
        )
        _ = try await page.text(
            of: """
                (() => { const input = document.querySelector('#conflicts input'); input.value = 'MINE 1777';
                input.dispatchEvent(new Event('input')); return ''; })()
                """
        )
        #expect(try await page.texts(of: keys) == ["c1777"])
        // A link to a record that is on another page of the list leads there.
        let id = try await page.text(of: "document.querySelectorAll('#conflicts .item')[500].id")
        _ = try await page.text(of: "location.hash = '\(id)'")
        try await page.wait(for: "\(keys).includes('c1500')")
        #expect(try await page.problems().joined(separator: "\n") == "")
    }

    @Test func aCopyButtonTellsWhatItDid() async throws {
        let (world, report) = try filled()
        let page = try await open(InspectorPage(report: report).html, of: world)
        try await page.click("#waiting .command button")
        try await page.wait(
            for: "/^(Copied|Selected)/.test(document.querySelector('[role=status].sr').textContent)"
        )
    }
}
