import Foundation
import ProgramRuns
import SyncVersion
import Testing

/// The built tool, run as the plugin runs it.
@Suite struct CommandTests {
    private func run(arguments: [String]) throws -> Run {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "synccodegen-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try Child(program: Program.synccodegen.url, arguments: arguments, in: folder).wait()
    }

    @Test func theVersionIsPrinted() throws {
        let run = try run(arguments: ["--version"])
        #expect(run.exitCode == 0)
        #expect(run.output == "synccodegen \(EntitySyncVersion.current)\n")
    }

    @Test(arguments: [[], ["--output"], ["--version", "a"], ["--output", "a", "--version"]])
    func wrongUseIsSaid(arguments: [String]) throws {
        let run = try run(arguments: arguments)
        #expect(run.exitCode == 64)
        #expect(run.error.contains("synccodegen --output DIR SCHEMA..."))
    }
}
