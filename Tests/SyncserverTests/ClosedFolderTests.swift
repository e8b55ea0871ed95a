import Foundation
import ProgramRuns
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What is told to a user who may not read a file: that, and not that there is none.
@Suite(.ownThreads) struct ClosedFolderTests {
    /// Starts the program as a user who may not read a closed folder; nil if that is not possible. An administrator
    /// may read all, so another user is taken then.
    private static let command: [String]? = {
        guard geteuid() == 0 else { return [Program.syncserver.url.path] }
        let setpriv = "/usr/bin/setpriv"
        guard FileManager.default.isExecutableFile(atPath: setpriv) else { return nil }
        let command = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups"]
        let check = Process()
        check.executableURL = URL(fileURLWithPath: setpriv)
        check.arguments = Array(command.dropFirst()) + ["test", "-x", Program.syncserver.url.path]
        guard (try? check.run()) != nil else { return nil }
        check.waitUntilExit()
        return check.terminationStatus == 0 ? command + [Program.syncserver.url.path] : nil
    }()

    private func run(_ scratch: CommandTests.Scratch, _ arguments: [String]) async throws -> Run {
        let command = try #require(Self.command)
        return try await Child(
            program: URL(fileURLWithPath: command[0]),
            arguments: command.dropFirst() + arguments,
            in: scratch.folder
        ).end()
    }

    /// Closes a folder to all but an administrator.
    private func close(_ path: String, in scratch: CommandTests.Scratch, mode: Int = 0) throws {
        let path = scratch.folder.appendingPathComponent(path).path
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test(.enabled(if: command != nil)) func aClosedDataFolderIsNotTakenForAnEmptyOne() async throws {
        let scratch = try CommandTests.Scratch()
        for name in ["data", "saved"] {
            _ = try await scratch.run(arguments: "account", "add", "ada", "--data", name)
        }
        _ = try await scratch.run(arguments: "backup", "copy", "--data", "saved")
        for name in ["data", "copy"] { try close(name, in: scratch) }
        defer { for name in ["data", "copy"] { try? close(name, in: scratch, mode: 0o700) } }
        for arguments in [
            ["account", "list"], ["account", "add", "bob"], ["account", "remove", "ada"],
            ["account", "token", "ada"], ["account", "token", "list", "ada"], ["backup", "new"],
            ["account", "export", "ada", "new"], ["account", "erase", "ada", "--confirm", "ada"],
            ["account", "move", "ada", "--to", "new"], ["purge"], ["restore", "copy", "--replace"],
            ["doctor"],
        ] {
            let run = try await run(scratch, arguments + ["--data", "data"])
            #expect(run.exitCode == 77 && run.output.isEmpty, "\(arguments): \(run.error)")
            #expect(run.error.contains(" is not permitted.\nhelp: "), "\(arguments): \(run.error)")
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.folder.path + "/new"))
    }

    @Test(.enabled(if: command != nil)) func aFileInAClosedFolderIsNotTakenForAMissingOne() async throws {
        let scratch = try CommandTests.Scratch()
        let schemas = scratch.folder.appendingPathComponent("Schemas")
        for folder in ["Schemas", "closed", "open"] {
            try FileManager.default.createDirectory(
                at: scratch.folder.appendingPathComponent(folder),
                withIntermediateDirectories: true
            )
        }
        let text =
            #"{"title":"Note","type":"object","properties":{"id":{"type":"string"}},"required":["id"],"#
            + #""sync":{"key":"id","strategy":"preserve-local"}}"#
        try Data(text.utf8).write(to: schemas.appendingPathComponent("note.schema.json"))
        try Data().write(to: scratch.folder.appendingPathComponent("closed/token"))
        try close("closed", in: scratch)
        try close("open", in: scratch, mode: 0o777)
        defer { try? close("closed", in: scratch, mode: 0o700) }
        for options in [
            ["--admin-token-file", "closed/token"], ["--admin-socket", "closed/socket"],
            ["--jwt-secret-file", "closed/token"], ["--jwks", "closed/token", "--jwt-audience", "a"],
            ["--schemas", "closed"],
        ] {
            let run = try await run(scratch, ["--port", "0", "--data", "open/data"] + options)
            #expect(run.exitCode == 77 && run.output.isEmpty, "\(options): \(run.error)")
            #expect(run.error.contains(" is not permitted.\nhelp: "), "\(options): \(run.error)")
        }
    }

    @Test(.enabled(if: command != nil)) func aFolderThatMayNotBeListedGetsNothingAndLosesNothing()
        async throws
    {
        let scratch = try CommandTests.Scratch()
        let files = FileManager.default
        for name in ["drop", "monday.partial"] {
            let place = scratch.folder.appendingPathComponent(name)
            try files.createDirectory(at: place, withIntermediateDirectories: true)
        }
        try close(".", in: scratch, mode: 0o777)
        #expect(try await run(scratch, ["account", "add", "ada", "--data", "data"]).exitCode == 0)
        // Whoever runs it may make something in there, and may not see what there is.
        for name in ["drop", "monday.partial"] { try close(name, in: scratch, mode: 0o333) }
        defer { for name in ["drop", "monday.partial"] { try? close(name, in: scratch, mode: 0o700) } }
        for path in ["drop/monday", "drop/new/monday"] {
            for arguments in [["backup", path], ["account", "export", "ada", path]] {
                let run = try await run(scratch, arguments + ["--data", "data"])
                #expect(run.exitCode == 77 && run.output.isEmpty, "\(arguments): \(run.error)")
            }
        }
        let refused = try await run(scratch, ["backup", "monday", "--data", "data"])
        #expect(refused.exitCode == 64 && refused.error.contains("'monday.partial'"), "\(refused.error)")
        try close("drop", in: scratch, mode: 0o700)
        #expect(try files.contentsOfDirectory(atPath: scratch.folder.path + "/drop").isEmpty)
        #expect(files.fileExists(atPath: scratch.folder.path + "/monday.partial"))
    }

    @Test(.enabled(if: geteuid() == 0 && command != nil))
    func recordsThatMayNotBeReadAreNotLeftOutOfABackupOrAnExport() async throws {
        let scratch = try CommandTests.Scratch()
        _ = try await scratch.run(arguments: "account", "add", "ada", "--data", "data")
        try FileManager.default.createDirectory(
            at: scratch.folder.appendingPathComponent("data/logs"),
            withIntermediateDirectories: true
        )
        // Only the records belong to another user.
        for name in ["data"]
            + (try FileManager.default.contentsOfDirectory(
                atPath: scratch.folder.path + "/data"
            )).map({ "data/" + $0 })
        {
            chown(scratch.folder.appendingPathComponent(name).path, 65534, 65534)
        }
        let logs = scratch.folder.appendingPathComponent("data/logs").path
        chown(logs, 0, 0)
        try close("data/logs", in: scratch, mode: 0o700)
        try close(".", in: scratch, mode: 0o777)
        for arguments in [["backup", "new"], ["account", "export", "ada", "new"]] {
            let run = try await run(scratch, arguments + ["--data", "data"])
            #expect(run.exitCode == 77 && run.output.isEmpty, "\(arguments): \(run.error)")
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.folder.path + "/new"))
    }
}
