import Foundation
import ProgramRuns
import Testing

@testable import synccheck

/// What is drawn on a terminal while something takes long.
@Suite struct TerminalTests {
    private static let clearing = "\r\u{1B}[K"

    /// Imports records one after the other until the terminal shows progress, and returns what it showed.
    private func drawn(columns: UInt16 = 80, environment: [String: String] = [:]) async throws -> String {
        let scratch = try Scratch()
        let terminal = try PseudoTerminal(columns: columns)
        let pipe = Pipe()
        let variables = ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }
        let child = try Child(
            program: Tool.program,
            arguments: ["import", "reading", "-"],
            in: scratch.folder,
            environment: variables.merging(environment) { $1 },
            input: .descriptor(pipe.fileHandleForReading.fileDescriptor),
            errorDescriptor: terminal.descriptor
        )
        var count = 0
        while !terminal.text.contains(/[0-9]+ rec/), child.isRunning {
            try pipe.fileHandleForWriting.write(contentsOf: Data("{\"link\":\"\(count)\"}\n".utf8))
            count += 1
            try await Task.sleep(for: .milliseconds(10))
        }
        try pipe.fileHandleForWriting.close()
        let run = try await child.end()
        #expect(run.exitCode == 0)
        #expect(run.output == "Imported \(count) reading records.\n")
        return terminal.text
    }

    @Test func anImportShowsItsProgressAndClearsItAtTheEnd() async throws {
        let text = try await drawn()
        let frames = text.components(separatedBy: Self.clearing)
        #expect(frames.first == "")
        #expect(frames.last == "")
        let shown = try #require(frames.dropFirst().first)
        #expect(shown.wholeMatch(of: /[0-9]+ records, [0-9]+ s/) != nil, "\(shown)")
        #expect(!text.contains("\n"))
    }

    @Test func nothingIsColouredAndNoColourIsAskedFor() async throws {
        let text = try await drawn(environment: ["NO_COLOR": "1"])
        #expect(!text.replacing(Self.clearing, with: "").contains("\u{1B}"))
    }

    @Test func aNarrowTerminalGetsNoLineThatItWouldBreak() async throws {
        let text = try await drawn(columns: 11)
        for frame in text.components(separatedBy: Self.clearing) { #expect(frame.count <= 10, "\(frame)") }
        #expect(TerminalLine.fitting("123456", columns: 4) == "123")
        #expect(TerminalLine.fitting("123456", columns: 0) == "123456")
    }

    @Test func nothingIsDrawnWithoutATerminalThatCanClearALine() throws {
        #expect(TerminalLine.canShow(isTerminal: true, term: "xterm-256color"))
        #expect(!TerminalLine.canShow(isTerminal: false, term: "xterm-256color"))
        for term in [nil, "", "dumb"] { #expect(!TerminalLine.canShow(isTerminal: true, term: term)) }
        let scratch = try Scratch()
        let lines = (0..<2000).map { "{\"link\":\"\($0)\"}\n" }.joined()
        let run = try scratch.run(arguments: "import", "reading", "-", input: lines)
        #expect(run.error == "")
        #expect(run.output == "Imported 2000 reading records.\n")
    }

    @Test func aRefusedFileIsToldOnALineOfItsOwn() throws {
        let scratch = try Scratch()
        let terminal = try PseudoTerminal()
        let child = try Child(
            program: Tool.program,
            arguments: ["import", "reading", "nowhere"],
            in: scratch.folder,
            environment: ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 },
            errorDescriptor: terminal.descriptor
        )
        #expect(child.wait().exitCode == 65)
        #expect(terminal.text.hasPrefix("error: There is no file 'nowhere'.\r\n"))
    }
}
