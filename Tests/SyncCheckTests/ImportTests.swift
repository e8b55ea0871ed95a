import Foundation
import ProgramRuns
import Testing

@Suite struct ImportTests {
    @Test func toleratesAMarkBlankLinesCarriageReturnsAndAMissingLastLineFeed() throws {
        let scratch = try Scratch()
        try scratch.write(
            "in",
            text: "\u{FEFF}{\"link\":\"b\"}\r\n\r\n   \n{\"link\":\"a\",\"isRead\":true}\r\n{\"link\":\"c\"}"
        )
        #expect(try scratch.must(arguments: "import", "reading", "in") == "Imported 3 reading records.\n")
        #expect(
            try scratch.must(arguments: "export", "reading").split(separator: "\n")
                == [#"{"link":"a","isRead":true}"#, #"{"link":"b"}"#, #"{"link":"c"}"#]
        )
    }

    @Test func reportsEveryErrorWithItsPlaceAndWritesNothing() throws {
        let scratch = try Scratch()
        let text = """
            {"link":"first"}
            {"link":"first"}
            {"link":7}
            []
            {"link":"\\ud800"}
            {"link":NaN}
            {"link":"x"
            """
        var data = Data((text + "\n{\"link\":\"").utf8)
        data.append(0xFF)
        data.append(contentsOf: Data("\"}\n".utf8))
        try scratch.write("in.ndjson", data: data)
        let run = try scratch.run(arguments: "import", "reading", "in.ndjson")
        #expect(run.exitCode == 65)
        #expect(run.output == "")
        let places = run.errorLines.filter { $0.hasPrefix("in.ndjson:") }
            .map { $0.split(separator: ":").dropFirst().prefix(2).joined(separator: ":") }
        #expect(places == ["2:1", "3:1", "4:1", "5:16", "6:1", "7:12", "8:10"])
        #expect(run.error.contains("same reading key as line 1"))
        #expect(run.error.contains("error: 7 lines of 'in.ndjson' cannot be imported."))
        #expect(try scratch.must(arguments: "export", "reading", "--include-deleted") == "")
    }

    @Test func listsTwentyDiagnosticsAndCountsTheRest() throws {
        let scratch = try Scratch()
        let run = try scratch.run(
            arguments: "import",
            "reading",
            "-",
            input: String(repeating: "[]\n", count: 50)
        )
        #expect(run.exitCode == 65)
        #expect(run.errorLines.count { $0.hasPrefix("<stdin>:") } == 20)
        #expect(run.errorLines.contains("... and 30 more"))
    }

    @Test func refusesNestingWithoutBottom() throws {
        let scratch = try Scratch()
        let deep = String(repeating: "[", count: 200_000)
        let run = try scratch.run(arguments: "import", "reading", "-", input: "{\"link\":\"a\",\"x\":" + deep)
        #expect(run.exitCode == 65)
        #expect(run.error.contains("values nested too deeply"))
    }

    @Test func refusesWhatTheStoreRefusesWithItsLine() throws {
        let scratch = try Scratch()
        let run = try scratch.run(
            arguments: "import",
            "note",
            "-",
            input: "{\"title\":\"same\"}\n{\"title\":\"same\"}\n"
        )
        #expect(run.exitCode == 65)
        #expect(run.error.hasPrefix("<stdin>:2:1: error: There is a note record with the same title already"))
        #expect(try scratch.must(arguments: "export", "note") == "")
    }

    @Test func aLineWithoutARequiredFieldHasOneRuleAndAdviceForAnImport() throws {
        let scratch = try Scratch()
        let run = try scratch.run(arguments: "import", "note", "-", input: "{\"body\":\"a\"}\n")
        #expect(run.exitCode == 65)
        #expect(
            run.errorLines == [
                "<stdin>:1:1: error: 'title' is required [required]",
                "help: Correct the line and try again",
                "error: A line of '<stdin>' cannot be imported.",
                "help: Correct what is listed above and import again; nothing was imported.",
            ]
        )
        #expect(try scratch.must(arguments: "export", "note") == "")
    }

    @Test func refusesMissingFilesAndFolders() throws {
        let scratch = try Scratch()
        #expect(try scratch.run(arguments: "import", "reading", "nowhere").exitCode == 65)
        #expect(try scratch.run(arguments: "import", "reading", "Schemas").exitCode == 65)
    }

    @Test func replacesWholeRecordsAndKeepsGivenTimes() throws {
        let scratch = try Scratch()
        let id = "0a0a0a0a-0000-4000-8000-000000000001"
        let times = #""createdAt":"2001-02-03T04:05:06Z","updatedAt":"2002-02-03T04:05:06.789Z""#
        let first = #"{"id":"\#(id)","title":"a","body":"long",\#(times)}"#
        #expect(
            try scratch.must(arguments: "import", "note", "-", "--json", input: first)
                == "{\"entity\":\"note\",\"imported\":1}\n"
        )
        let second = #"{"id":"\#(id.uppercased())","title":"b",\#(times)}"#
        try scratch.must(arguments: "import", "note", "-", input: second)
        let record = try object(text: scratch.must(arguments: "get", "note", id))
        #expect(record["body"] == nil)
        #expect(record["title"] as? String == "b")
        #expect(record["createdAt"] as? String == "2001-02-03T04:05:06Z")
    }

    @Test func bringsAnExportBackAsItWas() throws {
        let scratch = try Scratch()
        let source = scratch.device(name: "source")
        let copy = scratch.device(name: "copy")
        try source.must(
            arguments: "put",
            "task",
            "--unknown",
            #"{"id":"kept","state":"done","extra":{"b":1,"a":[null]},"$odd":1}"#
        )
        try source.must(arguments: "put", "task", #"{"id":"gone","state":"done"}"#)
        try source.must(arguments: "delete", "task", "gone")
        let export = try source.must(arguments: "export", "task", "--include-deleted")
        try copy.must(arguments: "import", "task", "-", input: export)
        try copy.must(arguments: "import", "task", "-", input: export)
        #expect(try copy.must(arguments: "export", "task", "--include-deleted") == export)
        #expect(try copy.run(arguments: "get", "task", "gone").exitCode == 1)
    }
}

/// Other formats, and files of rejects.
extension ImportTests {
    @Test func whatDoesNotFitGoesToAFileOfRejectsAndTheRestIsImported() throws {
        let scratch = try Scratch()
        try scratch.write("in.csv", text: "link,isRead\na,TRUE\nb,perhaps\nc,\n")
        let run = try scratch.run(
            arguments: "import",
            "reading",
            "in.csv",
            "--format",
            "csv",
            "--rejects",
            "out.csv"
        )
        #expect(run.exitCode == 1)
        #expect(run.output == "Imported 2 reading records; 1 record refused, see the file of rejects.\n")
        #expect(
            try scratch.must(arguments: "export", "reading").split(separator: "\n")
                == [#"{"link":"a","isRead":true}"#, #"{"link":"c"}"#]
        )
        let rejects = try String(
            contentsOf: scratch.folder.appendingPathComponent("out.csv"),
            encoding: .utf8
        )
        #expect(rejects.hasPrefix("$rejected,link,isRead\n\"line 3: 'isRead' "))
        try scratch.write("out.csv", text: rejects.replacing("perhaps", with: "false"))
        #expect(
            try scratch.must(
                arguments: "import",
                "reading",
                "out.csv",
                "--format",
                "csv",
                "--rejects",
                "out.csv",
                "--json"
            ) == "{\"entity\":\"reading\",\"imported\":1,\"rejected\":0}\n"
        )
    }

    @Test func anArrayIsImportedAllOrNothingAndNamesThePlacesOfWhatDoesNotFit() throws {
        let scratch = try Scratch()
        let text = "[{\"link\":\"a\"},\n {\"link\":7},{\"link\":\"b\",\n\"isRead\" true}]"
        let run = try scratch.run(arguments: "import", "reading", "-", "--format", "array", input: text)
        #expect(run.exitCode == 65)
        let places = run.errorLines.filter { $0.hasPrefix("<stdin>:") }
            .map { $0.split(separator: ":").dropFirst().prefix(2).joined(separator: ":") }
        #expect(places == ["2:2", "3:10"])
        #expect(try scratch.must(arguments: "export", "reading") == "")
        let mended = text.replacing("\" true", with: "\":true").replacing(":7", with: ":\"c\"")
        #expect(
            try scratch.must(arguments: "import", "reading", "-", "--format", "array", input: mended)
                == "Imported 3 reading records.\n"
        )
    }

    @Test func aDeleteThatIsRefusedLeavesTheRecordAsItWas() throws {
        let scratch = try Scratch()
        let shelf = #""id": { "type": "string" }, "room": { "type": "string" }"#
        let item = #""id": { "type": "string" }, "shelfId": { "type": "string" }"#
        for (name, fields, more) in [
            ("Shelf", shelf, ""),
            ("Item", item, #", "references": { "shelfId": { "entity": "shelf", "onDelete": "restrict" } }"#),
        ] {
            try scratch.write(
                "Schemas/\(name.lowercased()).schema.json",
                text: SampleSchemas.schema(
                    title: name,
                    properties: fields,
                    required: ["id"],
                    sync: #""key": "id", "strategy": "last-write-wins"\#(more)"#
                )
            )
        }
        try scratch.must(arguments: "put", "shelf", #"{"id":"s","room":"hall"}"#)
        try scratch.must(arguments: "put", "item", #"{"id":"i","shelfId":"s"}"#)
        let run = try scratch.run(
            arguments: "import",
            "shelf",
            "-",
            "--rejects",
            "out",
            input: #"{"id":"s","room":"attic","$deleted":true}"#
        )
        #expect(run.exitCode == 1)
        #expect(try scratch.must(arguments: "export", "shelf") == "{\"id\":\"s\",\"room\":\"hall\"}\n")
    }
}
