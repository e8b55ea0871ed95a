import Foundation
import ProgramRuns
import Testing

/// The output of `status` and `doctor` in addition to counts.
@Suite struct DoctorTests {
    private static let errorContentType = "Content-Type: application/problem+json\n"

    private func findings(scratch: Scratch, store: String) throws -> [String: Bool] {
        let report = try object(text: scratch.run(arguments: "doctor", "--json", "--store", store).output)
        let findings = try #require(report["findings"] as? [[String: Any]])
        for finding in findings {
            #expect(!(finding["message"] as? String ?? "").isEmpty)
            #expect((finding["next"] as? String ?? "").hasSuffix("."), "each finding says what to do next")
        }
        return Dictionary(
            uniqueKeysWithValues: findings.map {
                ($0["rule"] as? String ?? "", $0["problem"] as? Bool ?? false)
            }
        )
    }

    @Test func endsWith0WhileNothingButEditsAndConflictsWait() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try phone.must(arguments: "put", "note", #"{"title":"a"}"#).trimmed
        #expect(try findings(scratch: scratch, store: phone.store) == ["pending": false])
        try phone.sync()
        try laptop.sync()
        try phone.must(arguments: "put", "note", #"{"id":"\#(key)","title":"b"}"#)
        try laptop.must(arguments: "put", "note", #"{"id":"\#(key)","title":"c"}"#)
        try phone.sync()
        try laptop.sync()
        let doctor = try laptop.must(arguments: "doctor")
        let next = "next: compare with 'synccheck conflicts --store laptop.sqlite'"
        #expect(doctor.contains("- 1 in conflict\n  \(next)"))
        #expect(doctor.contains("in sync: no\n"))
        #expect(try findings(scratch: scratch, store: phone.store) == [:])
        #expect(try phone.must(arguments: "status").contains("in sync: yes\n"))
    }

    @Test func statusShowsTheSameAsDoctor() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        let status = try object(text: scratch.must(arguments: "status", "--json"))
        let doctor = try object(text: scratch.must(arguments: "doctor", "--json"))
        #expect(Set(status.keys) == Set(doctor.keys))
        for name in [
            "inSync", "pending", "inFlight", "progress", "conflicted", "rejected", "orphaned", "lastSuccess",
            "deletedWithParent", "altered", "nextRetry", "clockSkewSeconds", "account", "syncs", "next",
            "findings",
        ] { #expect(status[name] != nil, "\(name)") }
    }

    /// Writes schemas of parents, and of children with cascading deletes.
    private static func writeFamily(_ scratch: Scratch) throws {
        for (name, properties, sync) in [
            ("parent", #""id": { "type": "string" }"#, #""key": "id""#),
            (
                "child", #""id": { "type": "string" }, "parentId": { "type": "string" }"#,
                #""key": "id", "references": { "parentId": { "entity": "parent", "onDelete": "cascade" } }"#
            ),
        ] {
            let strategy = #", "strategy": "last-write-wins""#
            let required = name == "parent" ? ["id"] : ["id", "parentId"]
            let text = SampleSchemas.schema(
                title: name.capitalized,
                properties: properties,
                required: required,
                sync: sync + strategy
            )
            try scratch.write("Schemas/\(name).schema.json", text: text)
        }
    }

    @Test func tellsOfChildrenThatWereDeletedWithTheirParentUntilTheJournalIsLookedAt() throws {
        let scratch = try Scratch()
        try Self.writeFamily(scratch)
        let (office, crew) = (scratch.device(name: "office"), scratch.device(name: "crew"))
        try office.must(arguments: "put", "parent", #"{"id":"p"}"#)
        try office.sync()
        try crew.sync()
        try office.must(arguments: "delete", "parent", "p")
        try crew.must(arguments: "put", "child", #"{"id":"c","parentId":"p"}"#)
        try office.sync()
        try crew.sync()
        #expect(try crew.run(arguments: "get", "child", "c").exitCode == 1)
        #expect(try object(text: crew.must(arguments: "status", "--json"))["deletedWithParent"] as? Int == 1)
        #expect(
            try crew.must(arguments: "status").contains(
                "deleted with a parent that was deleted elsewhere: 1\n"
            )
        )
        let doctor = try crew.must(arguments: "doctor")
        #expect(doctor.contains("- 1 deleted with a parent that another device had deleted"))
        #expect(!doctor.contains("All is well"))
        let entry = try #require(try objects(text: crew.must(arguments: "journal", "--json")).first)
        #expect(entry["rule"] as? String == "cascade")
        try crew.sync()
        #expect(try object(text: crew.must(arguments: "status", "--json"))["deletedWithParent"] as? Int == 0)
        #expect(try crew.must(arguments: "doctor").contains("All is well"))
        try crew.must(arguments: "restore", try #require(entry["id"] as? String), "--with-parents")
        #expect(try crew.must(arguments: "export", "child").contains(#""id":"c""#))
    }

    @Test func countsRecordsThatWaitForTheirParent() throws {
        let scratch = try Scratch()
        try Self.writeFamily(scratch)
        try scratch.must(arguments: "put", "child", #"{"id":"c","parentId":"p"}"#)
        #expect(try object(text: scratch.must(arguments: "status", "--json"))["orphaned"] as? Int == 1)
        let doctor = try scratch.must(arguments: "doctor")
        #expect(doctor.contains("waiting for their parent: 1\n"))
        #expect(doctor.contains("- 1 kept back until the record that they belong to arrives\n  next: "))
        try scratch.must(arguments: "put", "parent", #"{"id":"p"}"#)
        #expect(try object(text: scratch.must(arguments: "status", "--json"))["orphaned"] as? Int == 0)
    }

    @Test func keepsWhatAServerSaidOfItsClockAndOfTheNextAttempt() throws {
        let scratch = try Scratch()
        let headers = Self.errorContentType + "Retry-After: 3600\nDate: Wed, 01 Jan 2020 00:00:00 GMT\n"
        let server = try FixedServer(status: 503, headers: headers)
        try scratch.write("token", text: "abc")
        let remote = ["sync", "--remote", server.url, "--token-file", "token"]
        #expect(try Tool.run(in: scratch.folder, arguments: remote).exitCode == 69)
        let status = try object(text: scratch.must(arguments: "status", "--json"))
        #expect((status["nextRetry"] as? String)?.hasSuffix("Z") == true)
        #expect(try #require(status["clockSkewSeconds"] as? Double) < -86_400 * 365)
        let text = try scratch.must(arguments: "status")
        #expect(text.contains("next attempt: at "))
        #expect(text.contains("days ahead of the server's\n"))
        let found = try findings(scratch: scratch, store: ".synccheck/store.sqlite")
        #expect(found == ["sync-failed": true, "clock-skew": true])
        #expect(
            try scratch.run(arguments: "doctor").output.contains("next: sync again after the time for which")
        )
        #expect(try scratch.run(arguments: "doctor").exitCode == 1)
    }

    @Test func tellsWhoseStoreItIs() throws {
        let scratch = try Scratch()
        let folders = ["0a0a0a0a-0000-4000-8000-000000000001", "0a0a0a0a-0000-4000-8000-000000000002"]
        func account(folder: String) throws -> String? {
            let store = "accounts/\(folder)/store.sqlite"
            return try object(text: scratch.must(arguments: "status", "--json", "--store", store))["account"]
                as? String
        }
        for store in folders.map({ "accounts/\($0)/store.sqlite" }) + [".synccheck/store.sqlite"] {
            try scratch.must(arguments: "import", "reading", "-", "--store", store, input: "")
        }
        #expect(try account(folder: folders[0]) == "none")
        func index(active: Int) -> String {
            let entries =
                #"[{"id":null,"folder":"\#(folders[0])"},{"id":"somebody@example.org","folder":"\#(folders[1])"}]"#
            return #"{"format":1,"active":"\#(folders[active])","accounts":\#(entries),"doomed":[]}"#
        }
        try scratch.write("accounts/index.json", text: index(active: 0))
        #expect(try folders.map(account) == ["guest", "notInUse"])
        try scratch.write("accounts/index.json", text: index(active: 1))
        #expect(try folders.map(account) == ["notInUse", "signedIn"])
        let text = try scratch.must(arguments: "status", "--store", "accounts/\(folders[1])/store.sqlite")
        #expect(text.contains("account: signed in\n"))
        #expect(!text.contains("somebody"), "names of people are not told")
        try scratch.write("accounts/index.json", text: "{")
        #expect(try account(folder: folders[1]) == "unreadable")
        #expect(
            try findings(scratch: scratch, store: "accounts/\(folders[1])/store.sqlite") == [
                "accounts-unreadable": true
            ]
        )
        try scratch.write("index.json", text: "{")
        #expect(try object(text: scratch.must(arguments: "status", "--json"))["account"] as? String == "none")
    }
}
