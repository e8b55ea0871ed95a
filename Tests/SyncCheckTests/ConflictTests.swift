import EntitySync
import Foundation
import ProgramRuns
import SyncStore
import Testing

@testable import synccheck

@Suite struct ConflictTests {
    /// Two devices that edited one note concurrently; the laptop is in conflict. Returns the note's key.
    private func conflict(phone: ScratchDevice, laptop: ScratchDevice) throws -> String {
        let key = try phone.must(arguments: "put", "note", #"{"title":"a","body":"base"}"#).trimmed
        try phone.sync()
        try laptop.sync()
        try phone.must(arguments: "put", "note", #"{"id":"\#(key)","body":"phone"}"#)
        try laptop.must(arguments: "put", "note", #"{"id":"\#(key)","body":"laptop"}"#)
        try phone.sync()
        try laptop.sync()
        return key
    }

    @Test func showsBothSidesAndWhatTheyCameFrom() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try conflict(phone: phone, laptop: laptop)
        let conflicts = try objects(text: laptop.must(arguments: "conflicts", "--json"))
        try #require(conflicts.count == 1)
        #expect(conflicts[0]["entity"] as? String == "note")
        #expect(conflicts[0]["key"] as? String == key)
        for (side, body) in [("local", "laptop"), ("remote", "phone"), ("base", "base")] {
            #expect((conflicts[0][side] as? [String: Any])?["body"] as? String == body)
        }
        #expect(try laptop.must(arguments: "conflicts", "reading", "--json") == "[]\n")
        let text = try laptop.must(arguments: "conflicts")
        #expect(
            text.contains("  body\n    base    \"base\"\n    local   \"laptop\"\n    remote  \"phone\"\n")
        )
        #expect(!text.contains("  title\n"))
        #expect(try laptop.run(arguments: "sync", "--remote", "shared").exitCode == 0)
        #expect(try laptop.run(arguments: "sync", "--remote", "shared", "--fail-on-conflict").exitCode == 1)
    }

    @Test func resolvesAllConflictsOfAnEntityAtOnce() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try conflict(phone: phone, laptop: laptop)
        for arguments in [
            ["--all"], ["--all", "--with", "{}"], [key, "--all", "--keep", "local"], ["--keep", "local"],
        ] {
            let run = try Tool.run(
                in: scratch.folder,
                arguments: ["resolve", "note"] + arguments + ["--store", "laptop.sqlite"]
            )
            #expect(run.exitCode == 64, "\(arguments)")
        }
        #expect(
            try laptop.must(arguments: "resolve", "note", "--all", "--keep", "remote")
                == "Resolved 1 note conflict.\n"
        )
        #expect(try laptop.must(arguments: "conflicts", "--json") == "[]\n")
        #expect(try object(text: laptop.must(arguments: "get", "note", key))["body"] as? String == "phone")
        #expect(
            try laptop.must(arguments: "resolve", "note", "--all", "--keep", "local", "--json")
                == "{\"entity\":\"note\",\"resolved\":0}\n"
        )
    }

    @Test func showsADeletedSideAsNull() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try phone.must(arguments: "put", "note", #"{"title":"a"}"#).trimmed
        try phone.sync()
        try laptop.sync()
        try phone.must(arguments: "delete", "note", key)
        try laptop.must(arguments: "put", "note", #"{"id":"\#(key)","body":"laptop"}"#)
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.must(arguments: "conflicts", "--json").contains(#","remote":null,"base":{"#))
        #expect(try laptop.must(arguments: "conflicts").contains("remote  (deleted)"))
    }

    @Test(arguments: ["local", "remote"])
    func resolvesWithASide(side: String) throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try conflict(phone: phone, laptop: laptop)
        #expect(
            try laptop.must(arguments: "resolve", "note", key.uppercased(), "--keep", side).trimmed
                == key.uppercased().lowercased()
        )
        try laptop.sync()
        try phone.sync()
        for device in [phone, laptop] {
            let body = try object(text: device.must(arguments: "get", "note", key))["body"] as? String
            #expect(body == (side == "local" ? "laptop" : "phone"))
            #expect(try device.must(arguments: "conflicts", "--json") == "[]\n")
        }
        #expect(try phone.must(arguments: "export", "note") == laptop.must(arguments: "export", "note"))
    }

    @Test(arguments: [["conflicts"], ["conflicts", "--json"], ["conflicts", "note"], ["explain"]])
    func aDecisionAnswersWhatWasShownLastAndIsRefusedWhereMoreCameSince(command: [String]) throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try conflict(phone: phone, laptop: laptop)
        func show() throws {
            let record = command == ["explain"] ? ["note", key] : []
            let run = try Tool.run(
                in: scratch.folder,
                arguments: command + record + ["--store", laptop.store]
            )
            #expect(run.exitCode == 0, "\(run.error)")
        }
        try show()
        try phone.must(arguments: "put", "note", #"{"id":"\#(key)","body":"later"}"#)
        try phone.sync()
        try laptop.sync()
        let refused = try laptop.run(arguments: "resolve", "note", key, "--keep", "local")
        #expect(refused.exitCode == 65, "\(refused.output)")
        #expect(refused.error.contains("has changed since it was shown"), "\(refused.error)")
        #expect(try objects(text: laptop.must(arguments: "conflicts", "reading", "--json")).isEmpty)
        #expect(
            try laptop.run(arguments: "resolve", "note", key, "--keep", "local").exitCode == 65,
            "that list was another one"
        )
        try show()
        try laptop.must(arguments: "resolve", "note", key, "--keep", "local")
        try laptop.sync()
        try phone.sync()
        #expect(try object(text: phone.must(arguments: "get", "note", key))["body"] as? String == "laptop")
    }

    @Test func aVersionThatIsNamedCountsForMoreThanWhatWasShown() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try conflict(phone: phone, laptop: laptop)
        let shown = try #require(
            try objects(text: laptop.must(arguments: "conflicts", "--json"))[0]["version"] as? String
        )
        try phone.must(arguments: "put", "note", #"{"id":"\#(key)","body":"later"}"#)
        try phone.sync()
        try laptop.sync()
        let now = try #require(
            try objects(text: laptop.must(arguments: "conflicts", "--json"))[0]["version"] as? String
        )
        #expect(
            try laptop.run(arguments: "resolve", "note", key, "--keep", "local", "--against", shown).exitCode
                == 65
        )
        try laptop.must(arguments: "resolve", "note", key, "--keep", "local", "--against", now)
    }

    @Test func conflictsAreShownAlsoWhereTheStoreCannotBeWritten() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try conflict(phone: phone, laptop: laptop)
        let schemas = scratch.folder.appendingPathComponent("Schemas").path
        let path = scratch.folder.appendingPathComponent(laptop.store).path
        let store = try Workspace(schemaPaths: [schemas], storePath: path).open()
        defer { store.close() }
        try store.write(.full) { _ in
            for command in [["conflicts"], ["explain", "note", key]] {
                let run = try Tool.run(in: scratch.folder, arguments: command + ["--store", laptop.store])
                #expect(run.exitCode == 0, "\(run.error)")
                #expect(run.output.contains("phone"))
            }
        }
    }

    @Test func resolvesWithAWholeRecord() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try conflict(phone: phone, laptop: laptop)
        let created = try object(text: laptop.must(arguments: "get", "note", key))["createdAt"] as? String
        #expect(
            try laptop.run(arguments: "resolve", "note", key, "--with", #"{"body":"no title"}"#).exitCode
                == 65
        )
        #expect(try laptop.run(arguments: "resolve", "note", key, "--with", #"{"title":7}"#).exitCode == 65)
        let other = #"{"id":"0a0a0a0a-0000-4000-8000-000000000001","title":"b"}"#
        #expect(try laptop.run(arguments: "resolve", "note", key, "--with", other).exitCode == 65)
        try laptop.must(arguments: "resolve", "note", key, "--with", "-", input: #"{"title":"both"}"#)
        try laptop.sync()
        try phone.sync()
        let record = try object(text: phone.must(arguments: "get", "note", key))
        #expect(record["title"] as? String == "both")
        #expect(record["body"] == nil)
        #expect(record["createdAt"] as? String == created)
        let again = try laptop.run(arguments: "resolve", "note", key, "--keep", "local")
        #expect(again.exitCode == 1)
        #expect(again.errorLines.first == "error: That note record is not in conflict.")
    }

    @Test func explainsTheTreesAndTheRule() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try conflict(phone: phone, laptop: laptop)
        let text = try laptop.must(arguments: "explain", "note", key)
        for part in [
            "note \(key): conflict\n", "synccheck resolve note \(key) --keep local --against ",
            "synccheck resolve note \(key) --keep remote --against ", "--store laptop.sqlite\n", "\nlocal: ",
            "\nbase: ",
            "\nremote: ", "by this device, edit 1", "\nhistory\n", "preserve-local: local ",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        let explanation = try object(text: laptop.must(arguments: "explain", "note", key, "--json"))
        #expect(explanation["state"] as? String == "conflict")
        for side in ["local", "base", "remote"] {
            #expect((explanation[side] as? [String: Any])?["record"] is [String: Any])
        }
        #expect((explanation["history"] as? [[String: Any]])?.first?["event"] as? String == "conflict")
    }

    /// Runs a line of a text in a shell, with the built program.
    private func run(_ command: String, in scratch: Scratch) throws -> Run {
        try Child(
            program: URL(fileURLWithPath: "/bin/bash"),
            arguments: ["-c", "synccheck() { \"$0\" \"$@\"; }; \(command)", Tool.program.path],
            in: scratch.folder
        ).wait()
    }

    @Test(arguments: ["-x", "a\nb", "it's $HOME", "zero\u{200B}width"], [["conflicts"], ["explain"]])
    func theLinesThatAreShownForAChoiceDoWhatTheySay(key: String, command: [String]) throws {
        let scratch = try Scratch()
        let schema = SampleSchemas.schema(
            title: "Memo",
            properties: #""id": { "type": "string" }, "text": { "type": "string" }"#,
            required: ["id"],
            sync: #""key": "id", "strategy": "preserve-local""#
        )
        try scratch.write("My Schemas/memo.schema.json", text: schema)
        func tool(_ device: String, _ words: [String]) throws -> Run {
            let options = ["--schemas", "My Schemas", "--store", device]
            let isKey = words.last == key
            return try Tool.run(
                in: scratch.folder,
                arguments: isKey ? [words[0]] + options + ["--"] + words.dropFirst() : words + options
            )
        }
        func put(_ device: String, _ text: String) throws {
            let record = try JSONSerialization.data(withJSONObject: ["id": key, "text": text])
            let run = try tool(device, ["put", "memo", String(decoding: record, as: UTF8.self)])
            #expect(run.exitCode == 0 && !run.output.dropLast().contains("\n"), "\(run.error)")
        }
        func sync(_ device: String) throws {
            let run = try tool(device, ["sync", "--remote", "shared"])
            #expect(run.exitCode == 0, "\(run.error)")
        }
        try put("phone 1", "base")
        for device in ["phone 1", "laptop 1"] { try sync(device) }
        try put("phone 1", "phone")
        try put("laptop 1", "laptop")
        for device in ["phone 1", "laptop 1"] { try sync(device) }
        let shown = try tool("laptop 1", command == ["explain"] ? ["explain", "memo", key] : command)
        #expect(shown.exitCode == 0, "\(shown.error)")
        let lines = shown.lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter {
            $0.hasPrefix("synccheck resolve")
        }
        #expect(lines.count == 2 && shown.lines.allSatisfy { !$0.contains("|") })
        let resolved = try self.run(try #require(lines.first { $0.contains("--keep remote") }), in: scratch)
        #expect(resolved.exitCode == 0, "\(resolved.error)")
        let record = try object(text: tool("laptop 1", ["get", "memo", key]).output)
        #expect(record["text"] as? String == "phone")
    }

    @Test func onlyFieldsInConflictAreListedAndLongValuesWhereTheyDiffer() throws {
        let scratch = try Scratch()
        let schema = SampleSchemas.schema(
            title: "Memo",
            properties:
                #""id": { "type": "string" }, "text": { "type": "string" }, "color": { "type": "string" }"#,
            required: ["id"],
            sync: #""key": "id", "strategy": "preserve-local", "granularity": "field""#
        )
        try scratch.write("Schemas/memo.schema.json", text: schema)
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let long = String(repeating: "word ", count: 400)
        func put(_ device: ScratchDevice, _ text: String, color: String) throws {
            try device.must(
                arguments: "put",
                "memo",
                #"{"id":"m","text":"\#(long)\#(text)\#(long)","color":"\#(color)"}"#
            )
        }
        try put(phone, "base", color: "red")
        try phone.sync()
        try laptop.sync()
        try put(phone, "PHONE", color: "red")
        try put(laptop, "LAPTOP", color: "blue")
        try phone.sync()
        try laptop.sync()
        let text = try laptop.must(arguments: "conflicts", "memo")
        #expect(text.contains("  text\n") && !text.contains("  color\n"))
        #expect(text.contains("PHONE") && text.contains("LAPTOP") && text.contains("base"))
        #expect(text.utf8.count < 3000)
    }

    @Test func aBaseThatIsNotKeptAnyMoreIsToldFromNone() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try phone.must(arguments: "put", "note", #"{"title":"a","body":"base"}"#).trimmed
        try phone.sync()
        try laptop.sync()
        // Two folders that a file service brings together later: each device sends before it sees the other's edit.
        let files = FileManager.default
        let (shared, other) = (
            scratch.folder.appendingPathComponent("shared"), scratch.folder.appendingPathComponent("other")
        )
        try files.copyItem(at: shared, to: other)
        try phone.must(arguments: "put", "note", #"{"id":"\#(key)","body":"phone"}"#)
        try laptop.must(arguments: "put", "note", #"{"id":"\#(key)","body":"laptop"}"#)
        try phone.sync()
        try laptop.must(arguments: "sync", "--remote", "other")
        let paths = try files.subpathsOfDirectory(atPath: other.path)
        for path in paths where !files.fileExists(atPath: shared.path + "/" + path) {
            try files.copyItem(atPath: other.path + "/" + path, toPath: shared.path + "/" + path)
        }
        try phone.sync()
        #expect(try phone.must(arguments: "conflicts").contains("base    (not kept any more)"))
        #expect(try phone.must(arguments: "inspect").contains("not kept any more"))
    }

    @Test(arguments: ["put", "delete"])
    func aPrintedKeyObeysNoTerminal(command: String) throws {
        let scratch = try Scratch()
        let record = #"{"link":"a\u001b[31m\u202eb"}"#
        let put = try scratch.must(arguments: "put", "reading", record)
        let printed =
            command == "put"
            ? put : try scratch.must(arguments: "delete", "reading", "a\u{1B}[31m\u{202E}b")
        #expect(printed == "a\\u{1b}[31m\\u{202e}b\n")
    }

    @Test func keepsTerminalCodesOutOfWhatPeopleRead() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try conflict(phone: phone, laptop: laptop)
        try phone.must(arguments: "put", "note", #"{"id":"\#(key)","body":"\#u{9B}31m\#u{202E}evil"}"#)
        try phone.sync()
        try laptop.sync()
        for command in [["conflicts"], ["explain", "note", key]] {
            let run = try Tool.run(in: scratch.folder, arguments: command + ["--store", laptop.store])
            #expect(run.output.contains("\\u{9b}31m\\u{202e}evil"))
            #expect(!run.output.unicodeScalars.contains("\u{9B}"))
        }
    }
}
