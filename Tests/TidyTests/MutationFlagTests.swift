import Foundation
import Testing

/// Safeguards can be disabled only in a build for tests, and only in one form.
@Suite struct MutationFlagTests {
    @Test func oneFileOfTheProductKnowsWhetherSafeguardsCanBeTakenAway() throws {
        let conditions = try conditions(folders: "Sources", "Plugins", "Schemas")
        #expect(
            conditions.filter { $0.text.holds("Mutations") }.map(\.path)
                == ["Sources/SyncModel/Safeguards/Mutation.swift"]
        )
    }

    @Test func noCodeOfTheProductIsThereForDebugBuildsOnly() throws {
        for condition in try conditions(folders: "Sources", "Plugins", "Schemas") {
            #expect(!condition.text.holds("DEBUG"), "\(condition.path): \(condition.text)")
        }
    }

    @Test func theTestCommandTakesSafeguardsAway() throws {
        for path in ["README.md", ".ci/run", "Sources/EntitySync/EntitySync.docc/WorkingOnTheCode.md"] {
            let url = Repository.root.appendingPathComponent(path)
            let text = try String(contentsOf: url, encoding: .utf8)
            #expect(text.holds("swift test --traits Server,Mutations"), "\(path)")
        }
    }

    /// The conditions of compilation, each with the path of its file.
    private func conditions(folders: String...) throws -> [(path: String, text: String)] {
        try folders.flatMap { try Repository.swiftFiles(folders: $0) }.flatMap { file in
            file.lines
                .map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { $0.hasPrefix("#if") || $0.hasPrefix("#elseif") }
                .map { (path: file.path, text: $0) }
        }
    }
}
