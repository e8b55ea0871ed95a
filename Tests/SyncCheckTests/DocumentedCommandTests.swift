import EntitySync
import Foundation
import ProgramRuns
import Testing

@testable import synccheck

/// The documentation of the command line is correct.
@Suite struct DocumentedCommandTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let catalog = root.appendingPathComponent("Sources/EntitySync/EntitySync.docc")

    /// The pages with their lines.
    private static func pages() throws -> [(name: String, lines: [String])] {
        let names = try FileManager.default.contentsOfDirectory(atPath: catalog.path)
        let articles = names.filter { $0.hasSuffix(".md") }.sorted().map {
            catalog.appendingPathComponent($0)
        }
        return try (articles + [root.appendingPathComponent("README.md")]).map { url in
            let text = try String(contentsOf: url, encoding: .utf8)
            return (url.lastPathComponent, text.components(separatedBy: "\n"))
        }
    }

    /// The groups of each match.
    private static func matches(pattern: String, text: String) throws -> [[String]] {
        let expression = try NSRegularExpression(pattern: pattern)
        return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).map { match in
            (1..<match.numberOfRanges).map { index in
                Range(match.range(at: index), in: text).map { String(text[$0]) } ?? ""
            }
        }
    }

    @Test func everyCommandAndOptionThatAPageNamesExists() throws {
        let scratch = try Scratch()
        var helps: [String: String] = [:]
        var seen: Set<String> = []
        for page in try Self.pages() {
            for (index, line) in page.lines.enumerated() {
                for call in try Self.matches(pattern: "synccheck ([a-z]+)([^`;|&]*)", text: line) {
                    let (name, rest) = (call[0], call[1])
                    if helps[name] == nil { helps[name] = try scratch.run(arguments: "help", name).output }
                    let help = helps[name] ?? ""
                    let place = "\(page.name):\(index + 1)"
                    #expect(help.contains("USAGE: synccheck \(name)"), "\(place): no command '\(name)'")
                    seen.insert(name)
                    for option in try Self.matches(pattern: "(--[a-z-]+)", text: rest).map({ $0[0] }) {
                        #expect(help.contains(option), "\(place): '\(name)' has no option '\(option)'")
                    }
                }
            }
        }
        #expect(seen.isSuperset(of: ["diff", "doctor", "explain", "rejected", "journal", "conformance"]))
    }

    @Test func everyKindOfErrorHasTheExitCodeThatThePageSays() throws {
        let url = Self.catalog.appendingPathComponent("Troubleshooting.md")
        let text = try String(contentsOf: url, encoding: .utf8)
        var told: [String: Int32] = [:]
        for row in try Self.matches(pattern: #"(?m)^\| `([A-Za-z]+)` \| ([0-9]+) \|"#, text: text) {
            told[row[0]] = Int32(row[1])
        }
        for kind in SyncError.Kind.allCases { #expect(told[kind.rawValue] == kind.exitCode, "\(kind)") }
        #expect(told.count == SyncError.Kind.allCases.count)
    }
}
