import Foundation
import ProgramRuns
import Testing

@Suite struct SchemaCommandTests {
    @Test func findsNothingInSoundSchemas() throws {
        let scratch = try Scratch()
        #expect(try scratch.must(arguments: "validate") == "4 schemas: valid.\n")
        #expect(
            try scratch.must(arguments: "validate", "--json")
                == #"{"valid":true,"schemas":4,"diagnostics":[]}"# + "\n"
        )
        #expect(try scratch.must(arguments: "validate", "--format", "github") == "")
        #expect(try scratch.must(arguments: "validate", "Schemas/note.schema.json") == "1 schema: valid.\n")
    }

    @Test func tellsFindingsInThreeFormatsAndEndsWith1() throws {
        let scratch = try Scratch()
        try scratch.write(
            "more/bad.schema.json",
            text: SampleSchemas.reading.replacing("set-union", with: "set-unoin")
        )
        let text = try scratch.run(arguments: "validate", "more")
        #expect(text.exitCode == 1)
        #expect(text.error == "")
        let first = try #require(text.lines.first)
        #expect(first.hasPrefix("more/bad.schema.json:8:"))
        #expect(first.contains(": error: "))
        #expect(text.lines[1].contains("set-union"))
        let report = try object(text: scratch.run(arguments: "validate", "more", "--format", "json").output)
        #expect(report["valid"] as? Bool == false)
        #expect(report["schemas"] as? Int == 1)
        let diagnostics = try #require(report["diagnostics"] as? [[String: Any]])
        #expect(
            diagnostics.first.map { Set($0.keys) }
                == ["path", "line", "column", "severity", "message", "rule", "help"]
        )
        let github = try scratch.run(arguments: "validate", "more", "--format", "github")
        #expect(github.exitCode == 1)
        #expect(github.output.hasPrefix("::error file=more/bad.schema.json,line=8,col="))
    }

    @Test(.timeLimit(.minutes(30)), arguments: [Program.synccheck, .synccodegen])
    func refusesAPipeThatIsNamedLikeASchema(program: Program) async throws {
        let scratch = try Scratch()
        let pipe = scratch.folder.appendingPathComponent("Schemas/pipe.schema.json")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        let arguments = program == .synccheck ? ["validate"] : ["--output", "out", pipe.path]
        let child = try Child(program: program.url, arguments: arguments, in: scratch.folder)
        let deadline = ContinuousClock.now + .seconds(60)
        while child.isRunning, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
        try #require(!child.isRunning, "it waits for somebody to write")
        let run = try await child.end()
        #expect(run.exitCode == (program == .synccheck ? 65 : 74))
        #expect(run.errorLines.count == 2)
        #expect(run.error.contains("pipe.schema.json"))
        #expect(run.errorLines.last?.hasPrefix("help: ") == true)
    }

    @Test func looksIntoFoldersButNotIntoHiddenOnes() throws {
        let scratch = try Scratch()
        try scratch.write("deep/a/b/note.schema.json", text: SampleSchemas.note)
        try scratch.write("deep/.build/broken.schema.json", text: "{")
        try FileManager.default.createSymbolicLink(
            atPath: scratch.folder.appendingPathComponent("deep/a/up").path,
            withDestinationPath: scratch.folder.appendingPathComponent("deep").path
        )
        #expect(try scratch.must(arguments: "validate", "deep") == "1 schema: valid.\n")
    }

    @Test func checksRecordsLineByLine() throws {
        let scratch = try Scratch()
        try scratch.write("good", text: "{\"link\":\"a\"}\n\n{\"link\":\"b\"}\n")
        #expect(
            try scratch.must(arguments: "validate", "--entity", "reading", "--records", "good")
                == "2 reading records: valid.\n"
        )
        let bad = "{\"link\":\"a\"}\n{\"isRead\":true}\n{\"link\":\"a\"}\n{\"link\""
        let run = try scratch.run(
            arguments: "validate",
            "--entity",
            "reading",
            "--records",
            "-",
            "--json",
            input: bad
        )
        #expect(run.exitCode == 1)
        let diagnostics = try #require(try object(text: run.output)["diagnostics"] as? [[String: Any]])
        #expect(diagnostics.map { $0["line"] as? Int } == [2, 3, 4])
        #expect(diagnostics.map { $0["rule"] as? String } == ["required", "refused", "json"])
        let text = try scratch.run(
            arguments: "validate",
            "--entity",
            "reading",
            "--records",
            "-",
            input: bad
        )
        #expect(text.lines.last == "4 reading records: 3 errors.")
        #expect(
            try scratch.run(arguments: "validate", "--entity", "nothing", "--records", "good").exitCode == 64
        )
        #expect(!scratch.exists(path: ".synccheck"))
    }

    @Test func generatesOnlyWhatChanges() throws {
        let scratch = try Scratch()
        #expect(try scratch.run(arguments: "generate", "--output", "out", "--check").exitCode == 1)
        #expect(!scratch.exists(path: "out"))
        let written = try scratch.must(arguments: "generate", "--output", "out")
        #expect(written.contains("write note.schema.swift\n"))
        #expect(
            try scratch.must(arguments: "generate", "--output", "out", "--check")
                == "5 files are up to date\n"
        )
        try scratch.write("out/mine.schema.swift", text: "// A person's own.\n")
        try FileManager.default.removeItem(
            at: scratch.folder.appendingPathComponent("Schemas/seat.schema.json")
        )
        let check = try scratch.run(arguments: "generate", "--output", "out", "--check", "--json")
        #expect(check.exitCode == 1)
        #expect(try object(text: check.output)["removed"] as? [String] == ["seat.schema.swift"])
        try scratch.must(arguments: "generate", "--output", "out")
        #expect(!scratch.exists(path: "out/seat.schema.swift"))
        #expect(scratch.exists(path: "out/mine.schema.swift"))
    }
}
