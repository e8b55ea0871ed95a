import Foundation
import ProgramRuns
import SyncVersion
import Testing

/// Runs the built command as a process.
@Suite(.ownThreads) struct CommandTests {
    /// A folder for one test, which is removed afterwards.
    final class Scratch {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "syncserver-\(UUID().uuidString)"
        )

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func run(arguments: String...) async throws -> Run { try await run(arguments: arguments) }

        func run(arguments: [String]) async throws -> Run {
            try await Child(program: Program.syncserver.url, arguments: arguments, in: folder).end()
        }
    }

    @Test func anAccountsTokenIsPrintedAloneAndOnce() async throws {
        let scratch = try Scratch()
        let added = try await scratch.run(arguments: "account", "add", "ada", "--entities", "note,bookmark")
        #expect(added.exitCode == 0)
        let lines = added.output.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasPrefix("est_"))
        #expect(!added.error.isEmpty && !added.error.contains("est_"))
        let list = try await scratch.run(arguments: "account", "list")
        #expect(list.output.hasSuffix("\tactive\tbookmark,note\tada\n") && !list.output.contains("est_"))
        #expect(FileManager.default.fileExists(atPath: scratch.folder.path + "/.syncserver/accounts.sqlite"))
    }

    @Test func aNewTokenIsAnotherAndARemovedAccountHasNone() async throws {
        let scratch = try Scratch()
        let first = try await scratch.run(arguments: "account", "add", "ada", "--data", "d")
        let second = try await scratch.run(arguments: "account", "token", "ada", "--data", "d")
        #expect(second.exitCode == 0 && second.output.hasPrefix("est_") && first.output != second.output)
        #expect(try await scratch.run(arguments: "account", "remove", "ada", "--data", "d").exitCode == 0)
        #expect(
            try await scratch.run(arguments: "account", "list", "--data", "d").output.contains(
                "\tremoved\t*\tada\n"
            )
        )
        let gone = try await scratch.run(arguments: "account", "token", "ada", "--data", "d")
        #expect(gone.exitCode == 1 && gone.output.isEmpty)
    }

    @Test func everyErrorIsASentenceAndALineOfHelpWithItsExitCode() async throws {
        let scratch = try Scratch()
        _ = try await scratch.run(arguments: "account", "add", "ada")
        let name = String(repeating: "x", count: 129)
        try Data("{".utf8).write(to: scratch.folder.appendingPathComponent("broken.schema.json"))
        try Data("no database, but long enough".utf8).write(to: scratch.folder.appendingPathComponent("file"))
        let cases: [([String], Int32)] = [
            (["account", "add", "ada"], 65), (["account", "add", name], 64), (["account", "add"], 64),
            (["account", "add", "b", "--entities", "a,,b"], 64), (["account", "remove", "bob"], 1),
            (["account", "list", "--data", "file/inside"], 65),
            (["account", "add", "b", "--data", "file/inside"], 74),
            (["--port", "0", "--log-level", "loud"], 64),
            (["account", "add", "b", "--entities", "a b"], 64),
            (["account", "token", "b", "--data", "typo"], 65),
            (["account", "add", "b", "--entities", "a", "--schemas", "typo"], 65),
            (["nonsense"], 64), (["--port", "x"], 64),
            (["--port", "65536"], 64), ([], 64), (["--port", "0", "--rate", "0"], 64),
            (["purge", "--older-than-days", "-1"], 64), (["purge", "--schemas", "nowhere"], 65),
            (["purge", "--schemas", "."], 65), (["restore", "nowhere"], 65), (["backup", "."], 64),
            (["account", "erase", "ada"], 64), (["account", "erase", "bob", "--confirm", "bob"], 1),
            (["account", "move", "ada", "--to", ".syncserver"], 64), (["account", "export", "ada", "."], 64),
            (["--port", "0", "--database", "postgres://127.0.0.1:1/x", "--quota-records", "5"], 64),
        ]
        for (arguments, exitCode) in cases {
            let run = try await scratch.run(arguments: arguments)
            let lines = run.error.split(separator: "\n")
            #expect(run.exitCode == exitCode, "\(arguments): \(run.error)")
            #expect(run.output.isEmpty)
            #expect(lines.dropLast().last?.hasPrefix("error: ") == true, "\(arguments): \(run.error)")
            #expect(lines.last?.hasPrefix("help: ") == true, "\(arguments): \(run.error)")
        }
    }

    @Test func aFolderThatWasMistypedIsAnErrorAndIsNotMade() async throws {
        let scratch = try Scratch()
        for arguments in [
            ["account", "list"], ["account", "remove", "ada"], ["account", "token", "ada"], ["purge"],
            ["backup", "saved"], ["account", "export", "ada", "out"],
            ["account", "move", "ada", "--to", "there"],
            ["account", "erase", "ada", "--confirm", "ada"], ["doctor"],
        ] {
            let run = try await scratch.run(arguments: arguments + ["--data", "typo"])
            #expect(run.exitCode == 65 && run.output.isEmpty, "\(arguments): \(run.error)")
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.folder.path + "/typo"))
    }

    @Test func theFoldersAboveABackupAndAnExportAreMadeForTheirOwnerOnly() async throws {
        let scratch = try Scratch()
        _ = try await scratch.run(arguments: "account", "add", "ada")
        for (arguments, folder) in [
            (["backup", "backups/monday"], "backups"), (["account", "export", "ada", "a/b/c/"], "a/b"),
        ] {
            let run = try await scratch.run(arguments: arguments)
            #expect(run.exitCode == 0, "\(arguments): \(run.error)")
            let path = scratch.folder.appendingPathComponent(folder).path
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o700, "\(folder)")
        }
        let run = try await scratch.run(arguments: "backup", "backups/monday/backup.json/tuesday")
        #expect(run.exitCode == 74, "\(run.error)")
        #expect(run.error.contains("making 'tuesday.partial' failed (Not a directory)"), "\(run.error)")
    }

    @Test func aPathThatNamesNoNewFolderIsRefusedAndLeavesNothing() async throws {
        let scratch = try Scratch()
        _ = try await scratch.run(arguments: "account", "add", "ada", "--data", "data")
        let empty = scratch.folder.appendingPathComponent("empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        for path in ["", ".", "..", "/", "new/.", "new/../"] {
            for arguments in [["backup", path], ["account", "export", "ada", path]] {
                let run = try await Child(
                    program: Program.syncserver.url,
                    arguments: arguments + ["--data", "../data"],
                    in: empty,
                    streams: scratch.folder
                ).end()
                #expect(run.exitCode == 64, "\(arguments): \(run.error)")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: empty.path).isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(names.filter { !$0.hasPrefix(".output-") && !$0.hasPrefix(".error-") }.count == 2, "\(names)")
    }

    @Test func onlyWhatAnInterruptedCommandHasLeftIsRemoved() async throws {
        let scratch = try Scratch()
        let files = FileManager.default
        func path(_ name: String) -> String { scratch.folder.appendingPathComponent(name).path }
        _ = try await scratch.run(arguments: "account", "add", "ada", "--data", "data")
        #expect(
            try await scratch.run(arguments: "backup", "whole.partial", "--data", "data").exitCode == 0
        )
        let export = ["account", "export", "ada", "export.partial", "--data", "data"]
        #expect(try await scratch.run(arguments: export).exitCode == 0)
        for name in ["file.partial", "file-itself"] {
            try Data("precious".utf8).write(to: URL(fileURLWithPath: path(name)))
        }
        for name in ["other.partial", "marked.partial", "left.partial", "empty.partial", "named"] {
            try files.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        }
        for name in ["other.partial/notes", "marked.partial/incomplete"] {
            try Data("precious".utf8).write(to: URL(fileURLWithPath: path(name)))
        }
        try files.createSymbolicLink(atPath: path("link.partial"), withDestinationPath: "empty.partial")
        for (name, kept) in [
            ("whole", "whole.partial/backup.json"), ("export", "export.partial/account.json"),
            ("file", "file.partial"), ("other", "other.partial/notes"), ("link", "link.partial"),
            ("marked", "marked.partial/incomplete"), ("file-itself", "file-itself"),
        ] {
            for arguments in [["backup", name], ["account", "export", "ada", name]] {
                let run = try await scratch.run(arguments: arguments + ["--data", "data"])
                #expect(run.exitCode == 64 && run.output.isEmpty, "\(arguments): \(run.error)")
                let isNamed = name == "file-itself" || run.error.contains("'\(name).partial'")
                #expect(isNamed, "\(arguments): \(run.error)")
                #expect(files.fileExists(atPath: path(kept)), "\(arguments)")
            }
        }
        for name in ["left.partial/incomplete", "left.partial/backup.json", "named/incomplete", "named/old"] {
            try Data().write(to: URL(fileURLWithPath: path(name)))
        }
        for name in ["left", "empty", "named"] {
            let run = try await scratch.run(arguments: "account", "export", "ada", name, "--data", "data")
            #expect(run.exitCode == 0, "\(run.error)")
            #expect(try files.contentsOfDirectory(atPath: path(name)) == ["account.json"])
            #expect(!files.fileExists(atPath: path(name + ".partial")))
        }
    }

    @Test func aMisspelledCommandIsNamedWithTheOneThatIsMeant() async throws {
        let scratch = try Scratch()
        for (arguments, wrong, meant) in [
            (["acount", "add", "x"], "acount", "account"), (["bakup"], "bakup", "backup"),
            (["export", "ada", "e"], "export", "account export"), (["serv"], "serv", "serve"),
            (["account", "lst"], "lst", "list"), (["account", "tokens", "ada"], "tokens", "token"),
        ] {
            let run = try await scratch.run(arguments: arguments)
            #expect(run.exitCode == 64 && run.output.isEmpty)
            #expect(run.error.hasPrefix("error: There is no command '\(wrong)'.\n"), "\(run.error)")
            #expect(run.error.contains("\nhelp: Did you mean '\(meant)'? Run 'syncserver "), "\(run.error)")
        }
        let far = try await scratch.run(arguments: "nonsense")
        #expect(far.error.contains("\nhelp: Run 'syncserver --help' "), "\(far.error)")
        for arguments in [["help"], ["help", "account"], ["account", "--help"]] {
            #expect(try await scratch.run(arguments: arguments).exitCode == 0, "\(arguments)")
        }
    }

    @Test func theEntitiesOfAnAccountAreThoseOfTheSchemas() async throws {
        let scratch = try Scratch()
        let schemas = scratch.folder.appendingPathComponent("Schemas")
        try FileManager.default.createDirectory(at: schemas, withIntermediateDirectories: true)
        let text =
            #"{"title":"Note","type":"object","properties":{"id":{"type":"string"}},"required":["id"],"#
            + #""sync":{"key":"id","strategy":"preserve-local"}}"#
        try Data(text.utf8).write(to: schemas.appendingPathComponent("note.schema.json"))
        let wrong = try await scratch.run(arguments: "account", "add", "ada", "--entities", "note,notes")
        #expect(wrong.exitCode == 64 && wrong.error.contains("'notes'"), "\(wrong.error)")
        let right = try await scratch.run(arguments: "account", "add", "ada", "--entities", "note")
        #expect(right.exitCode == 0, "\(right.error)")
    }

    @Test func theVersionIsTold() async throws {
        let run = try await Scratch().run(arguments: "--version")
        #expect(
            run.exitCode == 0 && run.output == "syncserver \(EntitySyncVersion.current), protocol v1\n",
            "\(run.output)\(run.error)"
        )
    }

    @Test func helpNamesEveryFlagAndWhereTLSIs() async throws {
        let help = try await Scratch().run(arguments: "--help")
        #expect(help.exitCode == 0 && help.output.contains("TLS") && help.output.contains("account"))
        let serve = try await Scratch().run(arguments: "serve", "--help")
        for flag in ["schemas", "data", "port", "host", "rate", "tombstone-days", "max-connections"] {
            #expect(serve.output.contains("--\(flag)"))
        }
    }
}
