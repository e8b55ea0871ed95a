import Foundation
import ProgramRuns
import Testing

/// The program that replays inputs, as a process.
@Suite struct ProgramTests {
    private static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus")

    private func run(_ arguments: [String]) throws -> Run {
        let streams = FileManager.default.temporaryDirectory.appendingPathComponent(
            "syncfuzz-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: streams) }
        return try Child(Program.syncfuzz.url, arguments, in: streams).wait()
    }

    @Test func replaysFilesAndFolders() throws {
        let folder = Self.corpus.appendingPathComponent("json")
        let count = try FileManager.default.contentsOfDirectory(atPath: folder.path).count
        let replayed = try run(["json", folder.path, folder.appendingPathComponent("accepted-text").path])
        #expect(replayed.exitCode == 0)
        #expect(replayed.output == "\(count + 1) inputs, 0 broken promises\n")
    }

    @Test(arguments: [[], ["json"], ["yaml", "file"], ["--help"]])
    func wrongUseIsSaidAndNamesTheReaders(_ arguments: [String]) throws {
        let refused = try run(arguments)
        #expect(refused.exitCode == 64)
        #expect(refused.error.contains("json, schema, wire, segment"))
    }

    @Test func aFileThatIsNotThereIsNoReplay() throws {
        let missing = try run(["json", Self.corpus.appendingPathComponent("not/there").path])
        #expect(missing.exitCode == 74)
        #expect(missing.error.contains("cannot be read"))
    }
}
