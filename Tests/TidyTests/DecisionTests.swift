import Foundation
import Testing

/// Each decision says whether it is in force, so that nobody follows one that another has replaced.
@Suite struct DecisionTests {
    private static let folder = "Sources/SyncCore/Documentation.docc/Decisions"

    @Test func everyDecisionHasAStatus() throws {
        let folder = Repository.root.appendingPathComponent(Self.folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".md")
        }
        let numbers = Set(names.map { String($0.prefix(4)) })
        #expect(names.count == numbers.count && names.count > 90)
        for name in names {
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            let line = text.components(separatedBy: "\n").dropFirst(2).first ?? ""
            let status = try #require(
                line.wholeMatch(
                    of: /\*\*Status\.\*\* (?<words>In force|In force, but for .+|Replaced by \d{4})\./
                ),
                "\(name): \(line)"
            )
            let others = line.matches(of: /\b\d{4}\b/).map { String($0.output) }
            for other in others {
                #expect(numbers.contains(other) && other > name.prefix(4), "\(name) names \(other)")
            }
            #expect(status.output.words == "In force" || !others.isEmpty, "\(name) names no other decision")
        }
    }
}
