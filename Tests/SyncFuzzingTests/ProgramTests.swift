import Foundation
import ProgramRuns
import SyncVersion
import Testing

/// Runs the program that replays inputs as a process.
@Suite struct ProgramTests {
    private static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus")

    private func run(arguments: [String]) throws -> Run {
        let streams = FileManager.default.temporaryDirectory.appendingPathComponent(
            "syncfuzz-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: streams) }
        return try Child(program: Program.syncfuzz.url, arguments: arguments, in: streams).wait()
    }

    @Test func replaysFilesAndFolders() throws {
        let folder = Self.corpus.appendingPathComponent("json")
        let count = try FileManager.default.contentsOfDirectory(atPath: folder.path).count
        let replayed = try run(arguments: [
            "json", folder.path, folder.appendingPathComponent("accepted-text").path,
        ])
        #expect(replayed.exitCode == 0)
        #expect(replayed.output == "\(count + 1) inputs, 0 broken promises\n")
    }

    @Test func theVersionIsPrinted() throws {
        let told = try run(arguments: ["--version"])
        #expect(told.exitCode == 0)
        #expect(told.output == "syncfuzz \(EntitySyncVersion.current)\n")
    }

    @Test(arguments: [[], ["json"], ["yaml", "file"], ["--help"]])
    func wrongUseIsSaidAndNamesTheReaders(arguments: [String]) throws {
        let refused = try run(arguments: arguments)
        #expect(refused.exitCode == 64)
        #expect(refused.error.contains("json, schema, wire, segment"))
    }

    @Test func aFileThatIsNotThereIsNoReplay() throws {
        let missing = try run(arguments: ["json", Self.corpus.appendingPathComponent("not/there").path])
        #expect(missing.exitCode == 74)
        #expect(missing.error.contains("cannot be read"))
    }
}
