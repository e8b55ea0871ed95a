import Foundation
import Testing

/// The page for people who work on the code says how deep five decisions lie, and says it truly.
@Suite struct DepthTests {
    @Test func theWaysToFiveAnswersAreAsThePageSays() throws {
        let page = try String(
            contentsOf: Repository.root.appendingPathComponent(
                "Sources/EntitySync/EntitySync.docc/WorkingOnTheCode.md"
            ),
            encoding: .utf8
        )
        let rows = page.components(separatedBy: "\n").drop { !$0.hasPrefix("| question |") }.dropFirst(2)
            .prefix { $0.hasPrefix("|") }
        #expect(rows.count == 5)
        let files = try Repository.swiftFiles(
            folders: "Sources/SyncRuntime",
            "Sources/SyncSchedule",
            "Sources/SyncAccounts",
            "Sources/SyncStore",
            "Sources/SyncCore"
        )
        for row in rows {
            let steps = row.matches(of: /`(?<type>\w+)\.(?<name>\w+)`/).map {
                (type: String($0.output.type), name: String($0.output.name))
            }
            let calls = try #require(row.firstMatch(of: /\| (?<calls>\d+) \|$/)?.output.calls)
            #expect(steps.count - 1 == Int(calls), "\(row)")
            for (index, step) in steps.enumerated() {
                let declaring = files.filter { file in
                    file.lines.contains { $0.holds("func \(step.name)(") }
                        && file.lines.contains { line in
                            ["struct ", "extension "].contains { kind in
                                line.holds(kind + step.type + " ") || line.holds(kind + step.type + ":")
                            }
                        }
                }
                #expect(!declaring.isEmpty, "\(step.type).\(step.name) is declared nowhere")
                // What is called as a function is named by the value that holds it.
                guard index + 1 < steps.count, steps[index + 1].name != "callAsFunction" else { continue }
                let next = steps[index + 1].name + "("
                #expect(
                    declaring.contains { $0.lines.contains { $0.holds(next) && !$0.holds("func " + next) } },
                    "\(step.type).\(step.name) does not call \(next)"
                )
            }
        }
    }
}
