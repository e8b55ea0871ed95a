import Foundation
import ProgramRuns
import Testing

/// Paths that are empty, or that lead nowhere.
@Suite struct PathTests {
    @Test(arguments: [
        ["backup", ""], ["restore", ""], ["import", "reading", ""], ["validate", ""],
        ["validate", "--entity", "reading", "--records", ""], ["status", "--schemas", ""],
        ["generate", "--output", ""], ["generate", "", "--output", "g"],
        ["generate", "--sql", "postgres", "--from", "", "--output", "g"], ["diff", "", "Schemas"],
        ["diff", "--baseline", "", "Schemas"], ["diff", "--write-baseline", "", "Schemas"],
        ["inspect", "--output", ""], ["simulate", "--runs", "1", "--report", ""], ["demo", "--output", ""],
        ["sync", "--remote", "shared", "--token-file", ""],
        ["sync", "--remote", "https://127.0.0.1", "--ca-file", ""],
    ])
    func anEmptyPathEndsWith64AndLeavesNothing(arguments: [String]) throws {
        let scratch = try Scratch()
        // NB: these need a store, and make none.
        if ["backup", "restore"].contains(arguments[0]) {
            try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        }
        func names() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: scratch.folder.path).sorted()
        }
        let before = try names()
        let run = try Tool.run(in: scratch.folder, arguments: arguments)
        #expect(run.exitCode == 64, "\(run.error)")
        #expect(run.output == "")
        #expect(run.errorLines.count == 2 && run.error.contains(" is empty."), "\(run.error)")
        #expect(run.errorLines.last?.hasPrefix("help: ") == true)
        #expect(try names() == before)
    }

    @Test(arguments: ["nowhere/saved", "Schemas/note.schema.json/saved"])
    func aBackupInAFolderThatIsNotThereSaysSo(path: String) throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        let run = try scratch.run(arguments: "backup", path)
        #expect(run.exitCode == 74)
        #expect(run.errorLines.first?.hasPrefix("error: '\(path)' could not be written (") == true)
        #expect(run.errorLines.last == "help: Make the folder that it shall lie in, or check the path.")
        #expect(!scratch.exists(path: "nowhere"))
    }

    @Test func aStoreBelowAFileSaysSo() throws {
        let scratch = try Scratch()
        let path = "Schemas/note.schema.json/s.sqlite"
        let run = try scratch.run(arguments: "put", "reading", #"{"link":"a"}"#, "--store", path)
        #expect(run.exitCode == 74)
        #expect(run.errorLines.first?.hasPrefix("error: '\(path)' could not be written (") == true)
    }
}

/// Help names what the command line has, and nothing that only an app or another command has.
@Suite struct HelpLineTests {
    @Test(arguments: ["isRead = true", "isRead = true and not (link = 'a')", "not (isRead = true)"])
    func aQueryWithoutAnIndexNamesTheOptionThatAllowsAScan(expression: String) throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        let run = try scratch.run(arguments: "query", "reading", expression)
        #expect(run.exitCode == 64)
        #expect(run.errorLines.last?.contains("'--scan'") == true, "\(run.error)")
        #expect(!run.error.contains("allowingScan"))
        try scratch.must(arguments: "query", "reading", expression, "--scan")
    }

    @Test func aMissingBackupIsNotSoughtInStandardInput() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "put", "reading", #"{"link":"a"}"#)
        let run = try scratch.run(arguments: "restore", "nope.backup")
        #expect(run.exitCode == 65)
        #expect(run.errorLines.first == "error: There is no file 'nope.backup'.")
        #expect(!run.error.contains("standard input"))
    }

    @Test func aServerWithoutItsSchemeIsWrongUsageAndBindsNothing() throws {
        let scratch = try Scratch()
        let run = try scratch.run(arguments: "sync", "--remote", "sync.example.org")
        #expect(run.exitCode == 64)
        #expect(run.output == "")
        #expect(!FileManager.default.fileExists(atPath: scratch.folder.path + "/sync.example.org"))
        #expect(!FileManager.default.fileExists(atPath: scratch.folder.path + "/.synccheck/store.sqlite"))
    }

    @Test func aPlainServerElsewhereNamesThePermission() throws {
        let scratch = try Scratch()
        let run = try scratch.run(arguments: "sync", "--remote", "http://example.org")
        #expect(run.exitCode == 64)
        let help =
            "help: Use 'https'. On a network where you trust everybody, '--allow-plain-http' takes it."
        #expect(run.errorLines.last == help)
    }
}
