import Foundation
import ProgramRuns
import Testing

@Suite struct DiffTests {
    private static func raised(text: String) -> String {
        text.replacing("\"key\"", with: "\"version\": 7, \"limit\": 3, \"key\"")
    }

    @Test func tellsBreakingChangesAndEndsWith1() throws {
        let scratch = try Scratch()
        #expect(try scratch.must(arguments: "diff", "Schemas", "Schemas") == "No change.\n")
        try scratch.write("new/note.schema.json", text: Self.raised(text: SampleSchemas.note))
        try scratch.write("old/note.schema.json", text: SampleSchemas.note)
        let run = try scratch.run(arguments: "diff", "old", "new", "--json")
        #expect(run.exitCode == 1)
        let report = try object(text: run.output)
        #expect(report["compatible"] as? Bool == false)
        let changes = try #require(report["changes"] as? [[String: Any]])
        #expect(changes.map { $0["rule"] as? String } == ["limit-lowered"])
        try scratch.write(
            "new/schema-changes.json",
            text: #"{"ignore":[{"rule":"limit-lowered","entity":"note","reason":"agreed"}]}"#
        )
        #expect(
            try scratch.must(arguments: "diff", "old", "new").contains(
                "ignored: agreed\n1 change: 0 breaking, 1 ignored.\n"
            )
        )
        #expect(try scratch.run(arguments: "diff", "new", "new").exitCode == 1)
    }

    @Test func holdsSchemasToABaseline() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "diff", "--write-baseline", "b.json", "Schemas")
        #expect(try scratch.must(arguments: "diff", "--baseline", "b.json", "Schemas") == "No change.\n")
        let url = scratch.folder.appendingPathComponent("Schemas/note.schema.json")
        try FileManager.default.removeItem(at: url)
        let run = try scratch.run(arguments: "diff", "--baseline", "b.json", "Schemas", "--format", "github")
        #expect(run.exitCode == 1)
        #expect(run.output.hasPrefix("::error title=entity-removed::note: "))
    }

    @Test(arguments: ["store.sqlite", "saved", "Schemas/note.schema.json", "Schemas/other.json", "notes.txt"])
    func aBaselineReplacesOnlyAnEarlierBaseline(path: String) throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "task", #"{"id":"t"}"#, "--store", "store.sqlite")
        try scratch.must(arguments: "backup", "saved", "--store", "store.sqlite")
        try scratch.write("Schemas/other.json", text: SampleSchemas.task)
        try scratch.write("notes.txt", text: "mine")
        let file = scratch.folder.appendingPathComponent(path)
        let before = try Data(contentsOf: file)
        let run = try scratch.run(arguments: "diff", "--write-baseline", path, "Schemas")
        #expect(run.exitCode == 64)
        #expect(run.output == "" && run.errorLines.map { $0.prefix(6) } == ["error:", "help: "])
        #expect(try Data(contentsOf: file) == before)
        for _ in 0..<2 { try scratch.must(arguments: "diff", "--write-baseline", "b.json", "Schemas") }
        #expect(try scratch.must(arguments: "diff", "--baseline", "b.json", "Schemas") == "No change.\n")
    }

    @Test func comparesNothingThatIsBroken() throws {
        let scratch = try Scratch()
        try scratch.write("bad/note.schema.json", text: "{")
        #expect(try scratch.run(arguments: "diff", "Schemas", "bad").exitCode == 65)
        #expect(try scratch.run(arguments: "diff", "Schemas", "nothing").exitCode == 65)
        #expect(
            try scratch.run(arguments: "diff", "--baseline", "bad/note.schema.json", "Schemas").exitCode == 65
        )
        try scratch.write("Schemas/schema-changes.json", text: #"{"ignore":[{"rule":"key-changed"}]}"#)
        let run = try scratch.run(arguments: "diff", "Schemas", "Schemas")
        #expect(run.exitCode == 65)
        #expect(run.error.contains("[bad-ignore]"))
        #expect(try scratch.run(arguments: "diff", "Schemas").exitCode == 64)
        #expect(
            try scratch.run(arguments: "diff", "--baseline", "b", "--write-baseline", "b", "Schemas").exitCode
                == 64
        )
    }

    /// Each error uses the terms of this command, with one line of advice.
    @Test(arguments: [
        (["nothing", "Schemas"], 65, "OLD before NEW"), (["Schemas", "nothing"], 65, "OLD before NEW"),
        (["Schemas", "empty"], 65, "OLD before NEW"),
        (["--baseline", "nothing.json", "Schemas"], 65, "--write-baseline FILE NEW"),
        (["--baseline", "Schemas", "Schemas"], 65, "--write-baseline FILE NEW"),
        (["--baseline", "Schemas/note.schema.json", "Schemas"], 65, "--write-baseline FILE NEW"),
        (["--write-baseline", "no/folder/b.json", "Schemas"], 74, "Make the folder"),
        (["--write-baseline", "b.json", "nothing"], 65, "'*.schema.json'"),
    ])
    func saysWhatToNameInstead(arguments: [String], code: Int32, help: String) throws {
        let scratch = try Scratch()
        try scratch.write("empty/readme.txt", text: "")
        let run = try Tool.run(in: scratch.folder, arguments: ["diff"] + arguments)
        #expect(run.exitCode == code)
        #expect(run.output == "")
        #expect(run.errorLines.suffix(2).map { $0.prefix(6) } == ["error:", "help: "])
        #expect(run.errorLines.last?.contains(help) == true, "\(run.error)")
    }

    @Test func warnsWhenAFolderIsComparedWithItself() throws {
        let scratch = try Scratch()
        let run = try scratch.run(arguments: "diff", "Schemas", "./Schemas/")
        #expect(run.exitCode == 0)
        #expect(run.output == "No change.\n")
        #expect(run.error == "warning: OLD and NEW are the same folder, so nothing can differ.\n")
        try scratch.write("copy/note.schema.json", text: SampleSchemas.note)
        try scratch.write("other/note.schema.json", text: SampleSchemas.note)
        #expect(try scratch.run(arguments: "diff", "copy", "other").error == "")
    }
}
