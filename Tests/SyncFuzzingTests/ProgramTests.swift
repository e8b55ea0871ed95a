import Foundation
import ProgramRuns
import Testing

/// The program that replays inputs, as a process.
@Suite struct ProgramTests {
    private static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus")

    private func run(_ arguments: [String]) throws -> (code: Int32, output: String, complaints: String) {
        let process = Process()
        process.executableURL = Program.syncfuzz.url
        process.arguments = arguments
        let (output, complaints) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = complaints
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let words = String(decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text, words)
    }

    @Test func replaysFilesAndFolders() throws {
        let folder = Self.corpus.appendingPathComponent("json")
        let count = try FileManager.default.contentsOfDirectory(atPath: folder.path).count
        let replayed = try run(["json", folder.path, folder.appendingPathComponent("accepted-text").path])
        #expect(replayed.code == 0)
        #expect(replayed.output == "\(count + 1) inputs, 0 broken promises\n")
    }

    @Test(arguments: [[], ["json"], ["yaml", "file"], ["--help"]])
    func wrongUseIsSaidAndNamesTheReaders(_ arguments: [String]) throws {
        let refused = try run(arguments)
        #expect(refused.code == 64)
        #expect(refused.complaints.contains("json, schema, wire, segment"))
    }

    @Test func aFileThatIsNotThereIsNoReplay() throws {
        let missing = try run(["json", Self.corpus.appendingPathComponent("not/there").path])
        #expect(missing.code == 74)
        #expect(missing.complaints.contains("cannot be read"))
    }
}
