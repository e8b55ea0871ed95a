import ChromiumBrowser
import Foundation
import SyncChecks
import SyncEntities
import Testing

/// The page of a story as a person meets it, in a browser.
@Suite(.serialized, .enabled(if: ChromiumBrowser.program != nil)) struct StoryBrowserTests {
    @Test(arguments: [360, 390, 1400], [false, true])
    func everybodyCanUseThePageOfAStory(width: Int, isDark: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("story-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var simulator = Simulator(entities: SyncRegistry.descriptors, generator: StoryGenerator(maxSteps: 25))
        for (name, isBroken) in [("kept", false), ("broken", true)] {
            if isBroken {
                simulator.extraPromise = { _ in
                    StoryViolation(rule: "a-rule", description: String(repeating: "lange_Wörter", count: 90))
                }
            }
            let outcome = await simulator.play(4)
            #expect(outcome.log.entries.contains { $0.text.count > 60 })
            let file = folder.appendingPathComponent("\(name).html")
            try Data(StoryPage(outcome: outcome, replay: "synccheck simulate --seed 4").html.utf8).write(
                to: file
            )
            let page = try await ChromiumBrowser.shared().page(
                file.absoluteString,
                width: width,
                isDark: isDark
            )
            #expect(try await page.problems().joined(separator: "\n") == "")
            if let pictures = ProcessInfo.processInfo.environment["SYNC_PAGE_PICTURES"] {
                try await page.picture().write(
                    to: URL(fileURLWithPath: pictures)
                        .appendingPathComponent("story-\(name)-\(width)-\(isDark ? "dark" : "light").png")
                )
            }
        }
    }
}
