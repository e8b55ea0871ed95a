import Foundation
import ProgramRuns
import Testing

@Suite struct StatusTests {
    @Test func aStoreMayHaveAPathOfOneCharacter() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "task", #"{"id":"t"}"#, "--store", "A")
        #expect(scratch.exists(path: "A"))
    }

    @Test func whatIsToBeDoneNextNamesTheStoreAsItWasGiven() throws {
        let scratch = try Scratch()
        let device = scratch.device(name: "my store")
        try device.must(arguments: "put", "task", #"{"id":"t"}"#)
        let text = try device.must(arguments: "status")
        #expect(
            text.contains(#"next: run "synccheck sync --remote DIR --store 'my store.sqlite'"."#),
            "\(text)"
        )
        let status = try object(text: device.must(arguments: "status", "--json"))
        #expect((status["next"] as? [String])?.last?.contains("--store 'my store.sqlite'") == true)
    }

    @Test func tellsScriptsTheCountsOfEveryEntity() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        try scratch.must(arguments: "put", "reading", #"{"link":"b"}"#)
        try scratch.must(arguments: "delete", "reading", "b")
        let text = try scratch.must(arguments: "status", "--json")
        let status = try object(text: text)
        #expect((status["device"] as? String)?.utf8.count == 16)
        #expect(
            text.contains(
                #""reading":{"records":1,"pending":2,"conflicts":0,"rejected":0,"deleted":1},"seat":{"records":0,"#
            )
        )
        #expect(status["oldestPendingSeconds"] as? Int != nil)
        #expect(text.contains(#","lastSync":null,"inSync":false,"pending":2,"#))
        try scratch.must(arguments: "sync", "--remote", "shared")
        let synced = try object(text: scratch.must(arguments: "status", "--json"))
        #expect(synced["oldestPendingSeconds"] is NSNull)
        #expect((synced["lastSync"] as? String)?.hasSuffix("Z") == true)
    }

    @Test func countsTheAgeOfEditsAndNeverBelowZero() throws {
        let scratch = try Scratch()
        let row =
            #"{"id":"0a0a0a0a-0000-4000-8000-00000000000%","title":"%","updatedAt":"20@-01-01T00:00:00Z"}"#
        func line(number: String, year: String) -> String {
            row.replacing("%", with: number).replacing("@", with: year)
        }
        try scratch.must(arguments: "import", "note", "-", input: line(number: "1", year: "90"))
        #expect(
            try object(text: scratch.must(arguments: "status", "--json"))["oldestPendingSeconds"] as? Int == 0
        )
        try scratch.must(arguments: "import", "note", "-", input: line(number: "2", year: "01"))
        let age = try #require(
            try object(text: scratch.must(arguments: "status", "--json"))["oldestPendingSeconds"] as? Int
        )
        #expect(age > 20 * 365 * 86_400)
    }

    @Test func advisesWhatToDoNext() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        #expect(try scratch.must(arguments: "doctor").contains("1 not sent yet; this store has never synced"))
        try scratch.must(arguments: "sync", "--remote", "shared")
        let report = try object(text: scratch.must(arguments: "doctor", "--json"))
        #expect(report["next"] as? [String] == ["All is well: nothing waits, conflicts or was rejected."])
        #expect(report["entities"] is [String: Any])
    }

    @Test func tellsOfFailedSyncsAndWhatToDo() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        try scratch.must(arguments: "sync", "--remote", "shared")
        try FileManager.default.removeItem(at: scratch.folder.appendingPathComponent("shared"))
        #expect(try scratch.run(arguments: "sync", "--remote", "shared").exitCode != 0)
        #expect(try scratch.must(arguments: "status").contains("failed since then: 1 attempt, the last at "))
        let doctor = try scratch.run(arguments: "doctor")
        #expect(doctor.exitCode == 1)
        #expect(doctor.output.contains("- The last sync failed ("))
        #expect(doctor.output.contains("last syncs"))
        let syncs =
            try object(text: scratch.run(arguments: "doctor", "--json").output)["syncs"] as? [[String: Any]]
        #expect(syncs?.compactMap { $0["outcome"] as? String } == ["failed", "synced"])
        #expect(syncs?.last?["pushed"] as? Int == 1)
    }

    @Test func editsOfAnEntityWithoutItsSchemaAreAFinding() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        let schema = scratch.folder.appendingPathComponent("Schemas/reading.schema.json")
        try FileManager.default.removeItem(at: schema)
        let status = try scratch.must(arguments: "status")
        #expect(!status.contains("All is well"))
        #expect(status.contains("- 1 record of reading is not synced, and no schema describes reading\n"))
        #expect(try scratch.run(arguments: "doctor").exitCode == 1)
        #expect(try !scratch.must(arguments: "inspect").contains("All is well"))
        try FileManager.default.createSymbolicLink(
            at: schema,
            withDestinationURL: scratch.folder.appendingPathComponent("nowhere")
        )
        let dangling = try scratch.run(arguments: "status")
        #expect(dangling.exitCode != 0 && dangling.error.contains("reading.schema.json"), "\(dangling.error)")
        try FileManager.default.removeItem(at: schema)
        try FileManager.default.createDirectory(at: schema, withIntermediateDirectories: true)
        let folder = try scratch.run(arguments: "status")
        #expect(folder.exitCode != 0 && folder.error.contains("reading.schema.json"), "\(folder.error)")
    }

    @Test func aSyncThatLeavesEditsOfARemovedEntityIsPartial() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "note", #"{"title":"t"}"#)
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        let schema = scratch.folder.appendingPathComponent("Schemas/reading.schema.json")
        let text = try String(contentsOf: schema, encoding: .utf8)
        try FileManager.default.removeItem(at: schema)
        let sync = try scratch.run(arguments: "sync", "--remote", "shared", "--json")
        #expect(sync.exitCode == 1, "\(sync.output)\(sync.error)")
        #expect(try object(text: sync.output)["outcome"] as? String == "partial")
        let told = try scratch.run(arguments: "sync", "--remote", "shared")
        #expect(
            told.exitCode == 1 && (told.output + told.error).contains("reading"),
            "\(told.output)\(told.error)"
        )
        // Once the schema is back, they are sent.
        try text.write(to: schema, atomically: true, encoding: .utf8)
        try scratch.must(arguments: "sync", "--remote", "shared")
        #expect(try scratch.must(arguments: "doctor").contains("All is well"))
    }

    @Test func shiftsNoColumn() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "import", "reading", "-", input: "")
        let rows = try scratch.must(arguments: "status").split(separator: "\n").filter {
            $0.contains("  0") || $0.contains("records")
        }
        #expect(rows.count == 5)
        #expect(Set(rows.map(\.count)).count == 1)
    }
}
