import Foundation
import ProgramRuns
import Testing

@Suite struct UsageTests {
    @Test(arguments: [
        ["frobnicate"], ["put"], ["put", "note", "{}", "--nope"], ["sync"], ["resolve", "note", "k"],
        ["resolve", "note", "k", "--keep", "both"],
        ["resolve", "note", "k", "--keep", "local", "--with", "{}"],
        ["validate", "--format", "xml"], ["validate", "--entity", "note"], ["generate"],
        ["export", "nothing"],
        ["get", "seat", "A-1"], ["get", "seat", "[\"A\"]"], ["sync", "--remote", "http://example.org"],
        ["sync", "--remote", "ftp://example.org/x"], ["retire", "0011223344556677"],
    ])
    func refusesWrongUsageWith64AndAHelpLine(_ arguments: [String]) throws {
        let scratch = try Scratch()
        let run = try Tool.run(in: scratch.folder, arguments)
        #expect(run.exitCode == 64)
        #expect(run.output == "")
        try #require(run.errorLines.count == 2)
        #expect(run.errorLines[0].hasPrefix("error: "))
        #expect(run.errorLines[1].hasPrefix("help: "))
        #expect(!scratch.exists(".synccheck"))
    }

    @Test func namesTheCommandAndTheEntityThatWereMeant() throws {
        let scratch = try Scratch()
        #expect(try scratch.run("exprot", "note").error.contains("Did you mean 'export'?"))
        #expect(try scratch.run("export", "nots").error.contains("Did you mean 'note'?"))
        #expect(try scratch.run("export", "nots").error.contains("note, reading, seat, task"))
    }

    @Test func printsHelpToStandardOutput() throws {
        let scratch = try Scratch()
        for arguments in [["--help"], ["help"], ["sync", "--help"], ["help", "sync"], []] {
            let run = try Tool.run(in: scratch.folder, arguments)
            #expect(run.exitCode == 0)
            #expect(run.output.contains("USAGE: synccheck"))
            #expect(run.error == "")
        }
    }

    @Test(arguments: ["status", "doctor", "conflicts", "journal", "rejected"])
    func looksAtAStoreThatDoesNotExistWithoutMakingOne(_ command: String) throws {
        let scratch = try Scratch()
        #expect(try scratch.run(command).exitCode == 0)
        #expect(try scratch.run(command, "--json").exitCode == 0)
        #expect(!scratch.exists(".synccheck"))
    }

    @Test func findsNothingInAStoreThatDoesNotExist() throws {
        let scratch = try Scratch()
        #expect(try scratch.must("export", "note") == "")
        for arguments in [
            ["get", "reading", "a"], ["delete", "reading", "a"], ["explain", "reading", "a"],
            ["restore", "x"],
            ["resolve", "reading", "a", "--keep", "local"],
        ] {
            #expect(try Tool.run(in: scratch.folder, arguments).exitCode == 1)
        }
        #expect(!scratch.exists(".synccheck"))
    }

    @Test func refusesBrokenOrMissingSchemasWith65() throws {
        let scratch = try Scratch()
        let missing = try scratch.run("status", "--schemas", "nowhere")
        #expect(missing.exitCode == 65)
        #expect(missing.error.contains("There is no schema file or folder 'nowhere'."))
        try scratch.write("empty/readme.txt", "")
        #expect(try scratch.run("status", "--schemas", "empty").exitCode == 65)
        try scratch.write("Schemas/broken.schema.json", "{\"title\":")
        let broken = try scratch.run("put", "note", #"{"title":"a"}"#)
        #expect(broken.exitCode == 65)
        #expect(broken.output == "")
        #expect(broken.errorLines[0].hasPrefix("Schemas/broken.schema.json:1:"))
        #expect(broken.errorLines.suffix(2).first == "error: The schemas have an error.")
        #expect(!scratch.exists(".synccheck"))
    }

    @Test func refusesAStoreThatIsNoDatabaseAndLeavesIt() throws {
        let scratch = try Scratch()
        let text = String(repeating: "Dear diary, ", count: 500)
        try scratch.write("diary.txt", text)
        for arguments in [["status"], ["put", "reading", #"{"link":"a"}"#], ["sync", "--remote", "shared"]] {
            #expect(try Tool.run(in: scratch.folder, arguments + ["--store", "diary.txt"]).exitCode == 65)
        }
        #expect(
            try String(contentsOf: scratch.folder.appendingPathComponent("diary.txt"), encoding: .utf8)
                == text
        )
    }

    @Test func endsQuietlyWhenNobodyReadsOn() throws {
        let scratch = try Scratch()
        let lines = (0..<20_000).map { "{\"link\":\"https://example.org/a/rather/long/link/\($0)\"}" }
        try scratch.must("import", "reading", "-", input: lines.joined(separator: "\n"))
        let pipeline = "'\(Tool.program.path)' export reading 2>errors | head -n 2 >first"
        _ = try Child(URL(fileURLWithPath: "/bin/sh"), ["-c", pipeline], in: scratch.folder).wait()
        func read(_ name: String) throws -> String {
            try String(contentsOf: scratch.folder.appendingPathComponent(name), encoding: .utf8)
        }
        #expect(try read("errors") == "")
        #expect(try read("first").split(separator: "\n").count == 2)
    }
}
