import Foundation
import ProgramRuns
import Testing

@testable import synccheck

/// Commands that only look at a store, and one whose file was damaged.
@Suite struct ReadingTests {
    /// The sample of a note in its second version, with a field more.
    private static let newer = SampleSchemas.note
        .replacingOccurrences(of: #""key": "id""#, with: #""version": 2, "key": "id""#)
        .replacingOccurrences(of: #""body":"#, with: #""mood": { "type": "string" }, "body":"#)

    private static func bytes(_ name: String, in scratch: Scratch) throws -> Data {
        try Data(contentsOf: scratch.folder.appendingPathComponent(name))
    }

    @Test func aLookWithNewerSchemasLeavesTheStoreToTheAppThatHasTheFormerOnes() throws {
        let scratch = try Scratch()
        let device = scratch.device(name: "phone")
        for (name, text) in SampleSchemas.all where name != "note" {
            try scratch.write("Newer/\(name).schema.json", text: text)
        }
        try scratch.write("Newer/note.schema.json", text: Self.newer)
        let key = try device.must(arguments: "put", "note", #"{"title":"one"}"#).trimmed
        try device.sync()
        let before = try Self.bytes("phone.sqlite", in: scratch)
        let looks = [
            ["status"], ["doctor"], ["conflicts"], ["journal"], ["rejected"], ["rejected", "export"],
            ["export", "note"], ["get", "note", key], ["query", "note", "--scan"], ["explain", "note", key],
            ["inspect", "--output", "page.html"], ["sync", "--remote", "shared", "--dry-run"],
        ]
        for look in looks {
            let run = try Tool.run(
                in: scratch.folder,
                arguments: look + ["--store", "phone.sqlite", "--schemas", "Newer"]
            )
            #expect(run.exitCode == 0, "\(look): \(run.error)")
            #expect(
                run.errorLines.contains {
                    $0.hasPrefix("note: The store was written with other schemas.")
                },
                "\(look): \(run.error)"
            )
        }
        try device.must(arguments: "backup", "saved", "--schemas", "Newer")
        #expect(try Self.bytes("phone.sqlite", in: scratch) == before)
        #expect(!scratch.exists(path: "phone.sqlite-wal") && !scratch.exists(path: "phone.sqlite-shm"))
        for file in ["phone.sqlite", "saved"] {
            try scratch.must(arguments: "put", "note", #"{"title":"two \#(file)"}"#, "--store", file)
        }
        // What writes brings the store to the schemas, and then nobody looks at a copy any more.
        try device.must(arguments: "put", "note", #"{"title":"three","mood":"calm"}"#, "--schemas", "Newer")
        #expect(try device.run(arguments: "status", "--schemas", "Newer").error == "")
        #expect(try device.run(arguments: "status").exitCode == 65)
    }

    @Test func aFileSystemThatKnowsNoBoundHasSpace() {
        #expect(Workspace.isEnough(blocks: .max, ofBytes: 4096))
        #expect(Workspace.isEnough(blocks: 32, ofBytes: 4096))
        #expect(!Workspace.isEnough(blocks: 31, ofBytes: 4096))
        #expect(!Workspace.isEnough(blocks: 0, ofBytes: .max))
    }

    @Test func aTextThatWasDamagedInTheFileIsNotSentAndBlocksNoOther() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try phone.must(arguments: "put", "note", #"{"title":"one","body":"damaged-here"}"#).trimmed
        try phone.must(arguments: "put", "note", #"{"title":"two","body":"sound"}"#)
        var file = try Self.bytes("phone.sqlite", in: scratch)
        let place = try #require(file.range(of: Data("damaged-here".utf8)))
        file[place.lowerBound] = 0xFF
        try scratch.write("phone.sqlite", data: file)
        let run = try phone.run(arguments: "sync", "--remote", "shared")
        #expect(run.exitCode == 1)
        let rejected = try phone.must(arguments: "rejected")
        #expect(rejected.contains(key) && rejected.contains("bytes that are no text"))
        try laptop.sync()
        #expect(try laptop.must(arguments: "export", "note").contains("sound"))
        #expect(try laptop.run(arguments: "get", "note", key).exitCode == 1)
        try phone.must(arguments: "put", "note", #"{"id":"\#(key)","body":"written again"}"#)
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.must(arguments: "get", "note", key).contains("written again"))
    }

    @Test func whatCouldNotBeTakenInAndWasGivenUpComesAgainOnRequest() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        for (name, text) in SampleSchemas.all {
            let strict = text.replacingOccurrences(of: #""maxLength": 40"#, with: #""maxLength": 4"#)
            try scratch.write("Strict/\(name).schema.json", text: strict)
        }
        let key = try phone.must(arguments: "put", "note", #"{"title":"too long"}"#).trimmed
        try phone.sync()
        let strict = ["--remote", "shared", "--store", "laptop.sqlite", "--schemas", "Strict"]
        #expect(try Tool.run(in: scratch.folder, arguments: ["sync"] + strict).exitCode == 1)
        try laptop.must(arguments: "rejected", "discard", "note", key, "--schemas", "Strict")
        #expect(try Tool.run(in: scratch.folder, arguments: ["sync"] + strict).exitCode == 0)
        #expect(try Tool.run(in: scratch.folder, arguments: ["sync", "--rejoin"] + strict).exitCode == 1)
        #expect(try laptop.must(arguments: "rejected", "--schemas", "Strict").contains(key))
        try laptop.sync()
        #expect(try laptop.must(arguments: "get", "note", key).contains("too long"))
    }

    @Test func aDeletedLineNeedsNothingButItsKey() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        let key = try phone.must(arguments: "put", "note", #"{"title":"one"}"#).trimmed
        try phone.sync()
        try laptop.sync()
        let unknown = "00000000-0000-4000-8000-000000000001"
        let lines = [key, unknown].map { #"{"id":"\#($0)","$deleted":true}"# }.joined(separator: "\n")
        #expect(
            try laptop.must(arguments: "import", "note", "-", input: lines) == "Imported 2 note records.\n"
        )
        #expect(try laptop.must(arguments: "export", "note") == "")
        let all = try laptop.must(arguments: "export", "note", "--include-deleted").split(separator: "\n")
        #expect(all.count == 2)
        #expect(all.contains { $0.contains(key) && $0.contains(#""title":"one""#) })
        try laptop.sync()
        try phone.sync()
        #expect(try phone.must(arguments: "export", "note") == "")
        try scratch.must(arguments: "import", "note", "-", input: all.joined(separator: "\n"))
        #expect(try scratch.must(arguments: "export", "note") == "")
    }

    @Test func oneDamagedEntryOfTheJournalHidesNoOther() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        for key in ["a", "b"] {
            try phone.must(arguments: "put", "task", #"{"id":"\#(key)","state":"first"}"#)
        }
        try phone.sync()
        try laptop.sync()
        for key in ["a", "b"] {
            try phone.must(arguments: "put", "task", #"{"id":"\#(key)","state":"lost-\#(key)"}"#)
            try laptop.must(arguments: "put", "task", #"{"id":"\#(key)","state":"kept"}"#)
        }
        try laptop.sync()
        try phone.sync()
        let ids = try objects(text: phone.must(arguments: "journal", "--json")).map { $0["id"] as? String }
        #expect(ids.count == 2)
        var file = try Self.bytes("phone.sqlite", in: scratch)
        let place = try #require(file.range(of: Data("lost-a".utf8)))
        file[place.lowerBound] = 0xFF
        try scratch.write("phone.sqlite", data: file)
        let run = try phone.run(arguments: "journal")
        #expect(run.exitCode == 65)
        #expect(run.output.contains("lost-b") && run.error.contains("journal entry of a task record"))
        let page = try phone.must(arguments: "inspect")
        #expect(page.contains("1 entry cannot be read") && page.contains("lost-b"))
        let sound = try #require(ids.first { run.output.contains($0 ?? "?") } ?? nil)
        try phone.must(arguments: "restore", sound)
        #expect(try phone.must(arguments: "get", "task", "b").contains("lost-b"))
    }

    @Test func theDoctorFindsRecordsThatTheSchemaNoLongerAllows() throws {
        let scratch = try Scratch()
        let device = scratch.device(name: "phone")
        try device.must(arguments: "put", "note", #"{"title":"rather long"}"#)
        try device.must(arguments: "put", "note", #"{"title":"ok"}"#)
        try device.sync()
        try device.must(arguments: "doctor")
        for (name, text) in SampleSchemas.all {
            let strict = text.replacingOccurrences(of: #""maxLength": 40"#, with: #""maxLength": 4"#)
            try scratch.write("Strict/\(name).schema.json", text: strict)
        }
        let run = try device.run(arguments: "doctor", "--schemas", "Strict")
        #expect(run.exitCode == 1)
        #expect(run.output.contains("1 note record does not fit the schema ('title'"))
        #expect(!run.output.contains("rather long"), "values are not printed")
    }
}
