import Foundation
import ProgramRuns
import SyncCore
import Testing

@testable import SyncInspector
@testable import SyncPages

@Suite struct StoreCommandsTests {
    /// The words that a shell makes of a command.
    private func words(_ command: String) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory
        let run = try Child(
            program: URL(fileURLWithPath: "/bin/bash"),
            arguments: ["-c", "synccheck() { printf '%s\\0' \"$@\"; }; \(command)"],
            in: folder
        ).wait()
        #expect(run.exitCode == 0, "\(run.error)")
        return run.output.split(separator: "\0", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    @Test(arguments: [
        "plain", "two words", "it's", "$HOME `id` \\ \"quoted\"", "\u{202E}over", "a\tb\u{1B}[31m", "*?[x]",
        "ünï",
        "\\'\u{7}", "[\"A\",1]",
    ])
    func aCommandNamesExactlyItsRecord(key: String) throws {
        let commands = StoreCommands(store: "my store's.sqlite", schemas: "My Schemas")
        let record = RecordName(entity: "note", key: RecordKey(key))
        let options = ["--schemas", "My Schemas", "--store", "my store's.sqlite"]
        #expect(try words(commands.explain(record)) == ["explain", "note", key] + options)
        #expect(try words(commands.retry(record)) == ["rejected", "retry", "note", key] + options)
        let command = commands.explain(record)
        #expect(command.unicodeScalars.allSatisfy { !$0.isHidden })
    }

    @Test func aKeyThatLooksLikeAnOptionStandsBehindTwoDashes() throws {
        let record = RecordName(entity: "note", key: RecordKey("--keep"))
        #expect(
            try words(StoreCommands().discard(record)) == ["rejected", "discard", "--", "note", "--keep"]
        )
    }

    @Test func aConflictIsResolvedAgainstTheVersionThatIsShown() throws {
        let world = try InspectorWorld()
        try world.fill()
        let conflict = try #require(try world.report().conflicts.elements.first)
        let commands = StoreCommands()
        let version = try #require(conflict.version)
        #expect(
            try words(commands.resolve(conflict, keep: "local"))
                == ["resolve", "note", "conflict plain", "--keep", "local", "--against", version]
        )
        let json = try #require(conflict.draft)
        #expect(json == #"{"id":"conflict plain","title":"mine plain","body":"a body","stars":3}"#)
        #expect(
            try words(commands.resolve(conflict, with: json))
                == ["resolve", "note", "conflict plain", "--with", json, "--against", version]
        )
        let long = String(repeating: "x", count: 5000)
        #expect(commands.resolve(conflict, with: long).hasSuffix(" < record.json"))
    }

    @Test func defaultOptionsAreLeftOut() throws {
        #expect(StoreCommands().list("conflicts") == "synccheck conflicts")
    }
}
