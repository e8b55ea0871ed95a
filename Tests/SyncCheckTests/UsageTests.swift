import Foundation
import ProgramRuns
import SyncVersion
import Testing

@Suite struct UsageTests {
    @Test(arguments: [
        ["frobnicate"], ["put"], ["put", "note", "{}", "--nope"], ["sync"], ["resolve", "note", "k"],
        ["resolve", "note", "k", "--keep", "both"],
        ["resolve", "note", "k", "--keep", "local", "--with", "{}"],
        ["validate", "--format", "xml"], ["validate", "--entity", "note"], ["generate"],
        ["export", "nothing"],
        ["get", "seat", "A-1"], ["get", "seat", "[\"A\"]"], ["sync", "--remote", "http://example.org"],
        ["sync", "--remote", "ftp://example.org/x"], ["sync", "--remote", ""],
        ["sync", "--remote", "file://"],
        ["sync", "--remote", "", "--dry-run"], ["conformance", "--remote", ""],
        ["retire", "0011223344556677", "--remote", ""], ["put", "reading", #"{"link":"a"}"#, "--store", ""],
        ["sync", "--remote", "shared", "--store", ""], ["status", "--store", ""],
    ])
    func refusesWrongUsageWith64AndAHelpLine(arguments: [String]) throws {
        let scratch = try Scratch()
        let run = try Tool.run(in: scratch.folder, arguments: arguments)
        #expect(run.exitCode == 64)
        #expect(run.output == "")
        try #require(run.errorLines.count == 2)
        #expect(run.errorLines[0].hasPrefix("error: "))
        #expect(run.errorLines[1].hasPrefix("help: "))
        #expect(!scratch.exists(path: ".synccheck"))
    }

    @Test func asksForTheRemoteBeforeItRetires() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        let run = try scratch.run(arguments: "retire", "0011223344556677")
        #expect(run.exitCode == 64)
        #expect(run.errorLines.first == "error: This store has not synced yet, so its remote is not known.")
    }

    @Test func namesTheCommandAndTheEntityThatWereMeant() throws {
        let scratch = try Scratch()
        #expect(try scratch.run(arguments: "exprot", "note").error.contains("Did you mean 'export'?"))
        #expect(try scratch.run(arguments: "export", "nots").error.contains("Did you mean 'note'?"))
        #expect(try scratch.run(arguments: "export", "nots").error.contains("note, reading, seat, task"))
    }

    @Test func printsItsVersion() throws {
        let run = try Scratch().run(arguments: "--version")
        #expect(run.exitCode == 0)
        #expect(run.output == "synccheck \(EntitySyncVersion.current)\n")
        #expect(run.error == "")
    }

    @Test func printsHelpToStandardOutput() throws {
        let scratch = try Scratch()
        for arguments in [["--help"], ["help"], ["sync", "--help"], ["help", "sync"], []] {
            let run = try Tool.run(in: scratch.folder, arguments: arguments)
            #expect(run.exitCode == 0)
            #expect(run.output.contains("USAGE: synccheck"))
            #expect(run.error == "")
        }
    }

    @Test(arguments: [
        ["get", "reading", "a"], ["export", "reading"], ["delete", "reading", "a"], ["status"], ["doctor"],
        ["inspect"], ["inspect", "reading", "a"],
        ["conflicts"], ["resolve", "reading", "a", "--keep", "local"], ["explain", "reading", "a"],
        ["journal"],
        ["restore", "x"], ["rejected"], ["rejected", "export"], ["rejected", "retry"],
        ["rejected", "discard", "reading", "a"], ["retire", "0011223344556677", "--remote", "shared"],
    ])
    func refusesAStoreThatDoesNotExistWith65AndMakesNone(arguments: [String]) throws {
        let scratch = try Scratch()
        for store in [[], ["--store", "other/typo.sqlite"]] {
            let run = try Tool.run(in: scratch.folder, arguments: arguments + store)
            #expect(run.exitCode == 65)
            #expect(run.output == "")
            #expect(
                run.errorLines.first
                    == "error: There is no store '\(store.last ?? ".synccheck/store.sqlite")'."
            )
            #expect(run.errorLines.last?.hasPrefix("help: ") == true)
        }
        #expect(!scratch.exists(path: ".synccheck"))
        #expect(!scratch.exists(path: "other"))
    }

    @Test(arguments: [
        ["put", "reading", #"{"link":"a"}"#], ["import", "reading", "-"], ["sync", "--remote", "shared"],
    ])
    func makesTheStoreWhereACommandBeginsOne(arguments: [String]) throws {
        let scratch = try Scratch()
        #expect(
            try Tool.run(in: scratch.folder, arguments: arguments + ["--store", "new/one.sqlite"]).exitCode
                == 0
        )
        #expect(scratch.exists(path: "new/one.sqlite"))
    }

    @Test func saysHowToStartInAStoreThatHoldsNothing() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "import", "reading", "-", input: "")
        #expect(try scratch.must(arguments: "doctor").contains("Start with 'synccheck put'"))
    }

    @Test func refusesBrokenOrMissingSchemasWith65() throws {
        let scratch = try Scratch()
        let missing = try scratch.run(arguments: "status", "--schemas", "nowhere")
        #expect(missing.exitCode == 65)
        #expect(missing.error.contains("There is no schema file or folder 'nowhere'."))
        try scratch.write("empty/readme.txt", text: "")
        #expect(try scratch.run(arguments: "status", "--schemas", "empty").exitCode == 65)
        try scratch.write("Schemas/broken.schema.json", text: "{\"title\":")
        let broken = try scratch.run(arguments: "put", "note", #"{"title":"a"}"#)
        #expect(broken.exitCode == 65)
        #expect(broken.output == "")
        #expect(broken.errorLines[0].hasPrefix("Schemas/broken.schema.json:1:"))
        #expect(broken.errorLines.suffix(2).first == "error: The schemas have an error.")
        #expect(!scratch.exists(path: ".synccheck"))
    }

    @Test func refusesAStoreThatIsNoDatabaseAndLeavesIt() throws {
        let scratch = try Scratch()
        let text = String(repeating: "Dear diary, ", count: 500)
        try scratch.write("diary.txt", text: text)
        for arguments in [["status"], ["put", "reading", #"{"link":"a"}"#], ["sync", "--remote", "shared"]] {
            #expect(
                try Tool.run(in: scratch.folder, arguments: arguments + ["--store", "diary.txt"]).exitCode
                    == 65
            )
        }
        #expect(
            try String(contentsOf: scratch.folder.appendingPathComponent("diary.txt"), encoding: .utf8)
                == text
        )
    }

    @Test func endsQuietlyWhenNobodyReadsOn() throws {
        let scratch = try Scratch()
        let lines = (0..<20_000).map { "{\"link\":\"https://example.org/a/rather/long/link/\($0)\"}" }
        try scratch.must(arguments: "import", "reading", "-", input: lines.joined(separator: "\n"))
        let pipeline = "'\(Tool.program.path)' export reading 2>errors | head -n 2 >first"
        _ = try Child(
            program: URL(fileURLWithPath: "/bin/sh"),
            arguments: ["-c", pipeline],
            in: scratch.folder
        ).wait()
        func read(name: String) throws -> String {
            try String(contentsOf: scratch.folder.appendingPathComponent(name), encoding: .utf8)
        }
        #expect(try read(name: "errors") == "")
        #expect(try read(name: "first").split(separator: "\n").count == 2)
    }
}

/// What a shell offers while somebody types.
@Suite struct CompletionTests {
    /// What the program answers to the script that it made for a shell.
    private func offered(_ scratch: Scratch, place: Int, words: String...) throws -> [String] {
        let command = words[0]
        let run = try Tool.run(
            in: scratch.folder,
            arguments: [
                "---completion", command, "--", "positional@\(place)", "\(words.count)", "0", "synccheck",
            ] + words
        )
        return run.lines
    }

    @Test func entitiesAndKeysAreOffered() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"one"}"#)
        try scratch.must(arguments: "put", "reading", #"{"link":"other"}"#)
        #expect(
            Set(try offered(scratch, place: 0, words: "get", "")).isSuperset(of: ["note", "reading", "seat"])
        )
        #expect(try offered(scratch, place: 1, words: "get", "reading", "").sorted() == ["one", "other"])
        #expect(try offered(scratch, place: 1, words: "get", "note", "") == [])
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func everyShellGetsAScript(shell: String) throws {
        let scratch = try Scratch()
        #expect(try scratch.must(arguments: "--generate-completion-script", shell).contains("synccheck"))
    }
}
