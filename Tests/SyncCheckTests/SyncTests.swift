import Foundation
import ProgramRuns
import Testing

@Suite struct SyncTests {
    private static let nothing =
        #"{"pushed":0,"pulled":0,"merged":0,"conflicts":0,"rejected":0}"#

    @Test func tellsScriptsWhatItDidForEveryEntity() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        try phone.must(arguments: "put", "reading", #"{"link":"a"}"#)
        try phone.must(arguments: "put", "reading", #"{"link":"b"}"#)
        try phone.must(arguments: "delete", "reading", "b")
        try phone.sync()
        let rest = #","seat":\#(Self.nothing),"task":\#(Self.nothing)}}"#
        let first = try laptop.must(arguments: "sync", "--remote", "shared", "--json")
        #expect(
            first == #"{"outcome":"synced","requests":0,"entities":{"note":\#(Self.nothing),"reading":"#
                + Self.nothing.replacingOccurrences(of: #""pulled":0"#, with: #""pulled":2"#) + rest + "\n"
        )
        let second = try laptop.must(arguments: "sync", "--remote", "shared", "--json")
        #expect(
            second == #"{"outcome":"synced","requests":0,"entities":{"note":\#(Self.nothing),"reading":"#
                + Self.nothing + rest + "\n"
        )
    }

    @Test func tellsPeopleOnlyWhatHappened() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        #expect(try scratch.must(arguments: "sync", "--remote", "shared") == "synced\n  reading: 1 pushed\n")
        let again = try scratch.run(arguments: "sync", "--remote", "shared/")
        #expect(again.output == "synced\n")
        #expect(again.error == "")
    }

    @Test func takesAFileURL() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        let url = scratch.folder.appendingPathComponent("my shared folder").absoluteString
        try scratch.must(arguments: "sync", "--remote", url)
        #expect(scratch.exists(path: "my shared folder"))
    }

    @Test func writesNothingInADryRun() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        try phone.must(arguments: "put", "reading", #"{"link":"a"}"#)
        try phone.sync()
        let report = try object(
            text: laptop.must(arguments: "sync", "--remote", "shared", "--dry-run", "--json")
        )
        let entities = try #require(report["entities"] as? [String: [String: Int]])
        #expect(entities["reading"]?["pulled"] == 1)
        #expect(!scratch.exists(path: laptop.store))
        try laptop.must(arguments: "put", "reading", #"{"link":"b"}"#)
        #expect(
            try laptop.must(arguments: "sync", "--remote", "shared", "--dry-run").contains(
                "1 pushed, 1 pulled"
            )
        )
        #expect(try laptop.must(arguments: "export", "reading") == "{\"link\":\"b\"}\n")
        try phone.sync()
        #expect(try phone.must(arguments: "export", "reading") == "{\"link\":\"a\"}\n")
    }

    @Test func saysWhenTheRemoteCannotBeReached() throws {
        let scratch = try Scratch()
        let device = scratch.device(name: "phone")
        let away = try device.run(arguments: "sync", "--remote", "no/such/place", "--json")
        #expect(away.exitCode == 69)
        #expect(try object(text: away.output)["outcome"] as? String == "failed")
        #expect(away.errorLines.map { $0.prefix(6) } == ["error:", "help: "])
        try device.sync()
        try FileManager.default.removeItem(at: scratch.folder.appendingPathComponent("shared"))
        #expect(try device.run(arguments: "sync", "--remote", "shared").exitCode == 69)
        #expect(!scratch.exists(path: "shared"))
    }

    @Test func refusesAnEmptiedRemoteUntilAskedToRejoin() throws {
        let scratch = try Scratch()
        let device = scratch.device(name: "phone")
        try device.must(arguments: "put", "reading", #"{"link":"a"}"#)
        try device.sync()
        try FileManager.default.removeItem(at: scratch.folder.appendingPathComponent("shared"))
        try scratch.write("shared/.keep", text: "")
        let refused = try device.run(arguments: "sync", "--remote", "shared")
        #expect(refused.exitCode == 65)
        #expect(try device.must(arguments: "export", "reading") == "{\"link\":\"a\"}\n")
        try device.must(arguments: "sync", "--remote", "shared", "--rejoin")
        let other = scratch.device(name: "laptop")
        try other.sync()
        #expect(try other.must(arguments: "export", "reading") == "{\"link\":\"a\"}\n")
    }

    @Test func endsWith1AndAWarningWhenSomethingHadToBeSkipped() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        try phone.must(arguments: "put", "reading", #"{"link":"a"}"#)
        try phone.sync()
        let shared = scratch.folder.appendingPathComponent("shared")
        let files = try #require(FileManager.default.subpaths(atPath: shared.path)).filter {
            $0.contains("segment") || $0.hasSuffix(".ndjson") || $0.hasSuffix(".seg")
        }
        let segment = shared.appendingPathComponent(try #require(files.first))
        let bytes = try Data(contentsOf: segment)
        try bytes.dropLast(8).write(to: segment)
        let run = try laptop.run(arguments: "sync", "--remote", "shared", "--json")
        #expect(run.exitCode == 1)
        #expect(try object(text: run.output)["outcome"] as? String == "partial")
        #expect(run.errorLines.first?.hasPrefix("warning: ") == true)
        let doctor = try laptop.run(arguments: "doctor")
        #expect(doctor.exitCode == 1)
        #expect(doctor.output.contains("- The last sync had to leave something out\n  next: "))
    }

    @Test func readsWhileAnotherProcessHoldsTheSync() throws {
        let scratch = try Scratch()
        let device = scratch.device(name: "phone")
        try device.must(arguments: "put", "reading", #"{"link":"a"}"#)
        let lock = open(
            scratch.folder.appendingPathComponent("phone.sqlite.lock").path,
            O_RDWR | O_CREAT,
            0o600
        )
        defer { close(lock) }
        try #require(flock(lock, LOCK_EX) == 0)
        #expect(try device.must(arguments: "export", "reading") == "{\"link\":\"a\"}\n")
        try device.must(arguments: "status")
        try device.must(arguments: "put", "reading", #"{"link":"b"}"#)
        let busy = try device.run(arguments: "sync", "--remote", "shared")
        #expect(busy.exitCode == 74)
        #expect(busy.error.contains("Another process is syncing"))
    }
}
