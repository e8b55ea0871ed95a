import ProgramRuns
import Testing

@Suite struct RecordTests {
    @Test func createsFillsInAndReplacesOnlyWhatIsGiven() throws {
        let scratch = try Scratch()
        let key = try scratch.must(arguments: "put", "note", #"{"title":"a","body":"b"}"#).trimmed
        #expect(key.utf8.count == 36)
        let created = try object(text: scratch.must(arguments: "get", "note", key))
        #expect(created["createdAt"] as? String == created["updatedAt"] as? String)
        #expect(try scratch.must(arguments: "put", "note", #"{"id":"\#(key)","body":null}"#).trimmed == key)
        let changed = try scratch.must(arguments: "get", "note", key)
        #expect(changed.contains(#""title":"a","body":null"#))
        #expect(try object(text: changed)["createdAt"] as? String == created["createdAt"] as? String)
    }

    @Test func readsARecordFromStandardInput() throws {
        let scratch = try Scratch()
        #expect(try scratch.must(arguments: "put", "reading", "-", input: "{\"link\":\"x\"}\n") == "x\n")
        #expect(
            try scratch.must(arguments: "put", "reading", "-", "--json", input: "{\"link\":\"y\"}")
                == "{\"entity\":\"reading\",\"key\":\"y\"}\n"
        )
    }

    @Test(arguments: [
        #"{"link":1}"#, #"{"isRead":true}"#, #"{"link":"a","isRead":null}"#, "[]", "{", "",
        #"{"link":"a","link":"b"}"#,
    ])
    func refusesARecordThatDoesNotFitWith65(record: String) throws {
        let scratch = try Scratch()
        let run = try scratch.run(arguments: "put", "reading", record)
        #expect(run.exitCode == 65)
        #expect(run.output == "")
        #expect(run.errorLines.map { $0.prefix(6) } == ["error:", "help: "])
        #expect(try scratch.must(arguments: "export", "reading", "--include-deleted") == "")
    }

    @Test(arguments: [
        (#"{"id":"a","tpyo":1}"#, "no field 'tpyo'"),
        (#"{"id":"a","below":10}"#, "'below' must be less than 10.0"),
        (#"{"id":"a","above":0}"#, "'above' must be greater than 0.0"),
        (#"{"id":"a","most":10.5}"#, "'most' must be at most 10.0"),
        (#"{"id":""}"#, "'id' must not be empty"),
        (#"{"id":"a","\u0001":1}"#, "allows no other fields"),
    ])
    func saysWhatDoesNotFit(record: String, words: String) throws {
        let scratch = try Scratch()
        let schema = SampleSchemas.schema(
            title: "Strict",
            properties: """
                "id": { "type": "string" }, "below": { "type": "number", "exclusiveMaximum": 10 },
                "above": { "type": "number", "exclusiveMinimum": 0 }, "most": { "type": "number", "maximum": 10 }
                """,
            required: ["id"],
            sync: #""key": "id", "strategy": "last-write-wins""#
        ).replacing(#""type": "object","#, with: #""type": "object", "additionalProperties": false,"#)
        try scratch.write("Schemas/strict.schema.json", text: schema)
        let run = try scratch.run(arguments: "put", "strict", record)
        #expect(run.exitCode == 65)
        #expect(run.error.contains(words), "\(run.error)")
        try scratch.must(arguments: "put", "strict", #"{"id":"a","below":9.5,"above":0.5,"most":10}"#)
    }

    @Test func neverRepeatsWhatAPersonWroteInAnError() throws {
        let scratch = try Scratch()
        let run = try scratch.run(
            arguments: "put",
            "note",
            #"{"title":"\#(String(repeating: "secret", count: 20))"}"#
        )
        #expect(run.exitCode == 65)
        #expect(!run.error.contains("secret"))
        #expect(run.error.contains("'title'"))
    }

    @Test func findsAUuidInUpperCaseAndACompositeKeyInAnySpelling() throws {
        let scratch = try Scratch()
        let key = try scratch.must(arguments: "put", "note", #"{"title":"a"}"#).trimmed
        #expect(try scratch.run(arguments: "get", "note", key.uppercased()).exitCode == 0)
        #expect(
            try scratch.must(arguments: "put", "seat", #"{"number":7,"room":"A \"1\"","holder":"Ada"}"#)
                == "[\"A \\\"1\\\"\",7]\n"
        )
        let seat = try scratch.must(arguments: "get", "seat", #" [ "A \u00221\u0022" , 7 ] "#)
        #expect(seat == #"{"room":"A \"1\"","number":7,"holder":"Ada"}"# + "\n")
        #expect(try scratch.run(arguments: "get", "seat", #"["A \"1\"","7"]"#).exitCode == 1)
    }

    @Test func takesAKeyThatLooksLikeAnOption() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"--json"}"#)
        #expect(try scratch.must(arguments: "get", "reading", "--", "--json") == "{\"link\":\"--json\"}\n")
    }

    @Test func deletesOnceAndSaysSoAfterwards() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        #expect(try scratch.must(arguments: "delete", "reading", "a") == "a\n")
        let again = try scratch.run(arguments: "delete", "reading", "a")
        #expect(again.exitCode == 1)
        #expect(again.errorLines.first == "error: There is no reading record with that key.")
        #expect(try scratch.run(arguments: "get", "reading", "a").exitCode == 1)
        #expect(try scratch.run(arguments: "get", "reading", "never").exitCode == 1)
    }
}
