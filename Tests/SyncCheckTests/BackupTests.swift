import Foundation
import ProgramRuns
import Testing

/// `backup` and `restore` of whole stores, also when they are killed.
@Suite struct BackupTests {
    @Test func aStoreComesBackFromItsBackupAndGoesOnSyncing() throws {
        let scratch = try Scratch()
        let (phone, laptop) = (scratch.device(name: "phone"), scratch.device(name: "laptop"))
        try phone.must(arguments: "put", "reading", #"{"link":"a"}"#)
        try phone.sync()
        #expect(try phone.must(arguments: "backup", "saved") == "saved\n")
        try laptop.sync()
        try laptop.must(arguments: "put", "reading", #"{"link":"b"}"#)
        try laptop.sync()
        try phone.must(arguments: "put", "reading", #"{"link":"unsent"}"#)
        let refused = try phone.run(arguments: "restore", "saved")
        #expect(refused.exitCode == 64)
        #expect(refused.errorLines.map { $0.prefix(6) } == ["error:", "help: "])
        try phone.must(arguments: "restore", "saved", "--replace-unsent")
        #expect(scratch.exists(path: "phone.sqlite.before-restore"))
        try phone.sync()
        try laptop.sync()
        for device in [phone, laptop] {
            let links = try device.must(arguments: "export", "reading")
            #expect(links.contains(#""a""#) && links.contains(#""b""#) && !links.contains("unsent"))
        }
        let other = try phone.run(arguments: "backup", "Schemas/note.schema.json")
        #expect(other.exitCode == 64)
        #expect(try phone.run(arguments: "restore", "Schemas/note.schema.json").exitCode == 65)
        let mistyped = try phone.run(arguments: "restore", "saved.backup")
        #expect(mistyped.exitCode == 65)
        #expect(mistyped.errorLines.first?.hasPrefix("error: There is no file 'saved.backup'") == true)
    }

    @Test func aStoppedBackupLeavesNothingBehind() async throws {
        let scratch = try Scratch()
        let lines = (0..<100_000).map { "{\"link\":\"l\($0)\"}\n" }.joined()
        try scratch.must(arguments: "import", "reading", "-", input: lines)
        var stopped = 0
        for attempt in 0..<200 where stopped < 2 {
            let number = attempt.isMultiple(of: 2) ? SIGINT : SIGTERM
            let child = try Child(program: Tool.program, arguments: ["backup", "saved"], in: scratch.folder)
            // Keeps its thread: a task that yields on a busy machine comes back after the backup is done.
            while child.isRunning, !scratch.exists(path: "saved.partial") { usleep(100) }
            child.signal(number)
            let run = try await child.end()
            if run.exitCode == -number { stopped += 1 }
            #expect([0, -number].contains(run.exitCode), "\(run.error)")
            let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
            #expect(names.allSatisfy { !$0.hasPrefix("saved.") }, "\(names)")
        }
        #expect(stopped > 0)
    }

    @Test func ofTwoBackupsToOneFileOneIsWrittenAndTheOtherIsToldToWait() async throws {
        let scratch = try Scratch()
        let lines = (0..<20_000).map { "{\"link\":\"l\($0)\"}\n" }.joined()
        try scratch.must(arguments: "import", "reading", "-", input: lines)
        let first = try Child(program: Tool.program, arguments: ["backup", "saved"], in: scratch.folder)
        while first.isRunning, !scratch.exists(path: "saved.partial") { usleep(100) }
        let second = try Child(program: Tool.program, arguments: ["backup", "saved"], in: scratch.folder)
        let runs = [try await first.end(), try await second.end()]
        #expect(runs[0].exitCode == 0, "\(runs[0].error)")
        #expect(runs[1].exitCode == 0 || runs[1].error.contains("Another backup is being written"))
        try scratch.must(arguments: "restore", "saved", "--replace-unsent")
        #expect(try scratch.must(arguments: "query", "reading", "--count") == "20000\n")
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(names.filter { $0.hasPrefix("saved") } == ["saved"])
    }

    /// Kills the program at moments spread over its run. Whatever it had done, the store is the former or the restored one.
    @Test func aKilledBackupOrRestoreLeavesWholeFiles() throws {
        let scratch = try Scratch()
        let lines = (0..<20_000).map { "{\"link\":\"l\($0)\"}\n" }.joined()
        try scratch.must(arguments: "import", "reading", "-", input: lines)
        try scratch.must(arguments: "backup", "saved")
        try scratch.must(arguments: "put", "reading", #"{"link":"later"}"#)
        var seen: Set<Int> = []
        let streams = scratch.folder.appendingPathComponent("streams")
        try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
        for step in 0..<12 {
            for arguments in [
                ["backup", "other"], ["restore", "saved", "--replace-unsent"],
            ] {
                let child = try Child(
                    program: Tool.program,
                    arguments: arguments,
                    in: scratch.folder,
                    input: .nothing,
                    streams: streams
                )
                usleep(UInt32(step) * 25_000)
                child.signal(SIGKILL)
                _ = child.wait()
                let count = try scratch.must(arguments: "query", "reading", "--count").trimmed
                seen.insert(try #require(Int(count)))
                if scratch.exists(path: "other") {
                    try scratch.must(
                        arguments: "restore",
                        "other",
                        "--store",
                        "checked.sqlite",
                        "--replace-unsent"
                    )
                }
            }
        }
        #expect(seen.isSubset(of: [20_000, 20_001]), "\(seen)")
        try scratch.must(arguments: "restore", "saved", "--replace-unsent")
        #expect(try scratch.must(arguments: "query", "reading", "--count") == "20000\n")
        #expect(!scratch.exists(path: ".synccheck/store.sqlite.restoring"))
    }
}
