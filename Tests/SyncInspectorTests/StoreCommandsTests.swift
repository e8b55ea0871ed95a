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
        "\\'\u{7}", "[\"A\",1]", "a\nb", "zero\u{200B}width", "soft\u{AD}hyphen", "left\u{200E}mark",
        "\u{3164}",
    ])
    func aCommandNamesExactlyItsRecord(key: String) throws {
        let commands = StoreCommands(store: "my store's.sqlite", schemas: "My Schemas")
        let record = RecordName(entity: "note", key: RecordKey(key))
        let options = ["--schemas", "My Schemas", "--store", "my store's.sqlite"]
        #expect(try words(#require(commands.explain(record))) == ["explain", "note", key] + options)
        #expect(try words(#require(commands.retry(record))) == ["rejected", "retry", "note", key] + options)
        let command = commands.explain(record)
        #expect(try #require(command).unicodeScalars.allSatisfy { !$0.isInvisible })
    }

    @Test func aKeyThatLooksLikeAnOptionStandsBehindTwoDashes() throws {
        let record = RecordName(entity: "note", key: RecordKey("--keep"))
        #expect(
            try words(#require(StoreCommands().discard(record))) == [
                "rejected", "discard", "--", "note", "--keep",
            ]
        )
    }

    @Test func aConflictIsResolvedAgainstTheVersionThatIsShown() throws {
        let world = try InspectorWorld()
        try world.fill()
        let conflict = try #require(try world.report().conflicts.elements.first)
        let commands = StoreCommands()
        let version = try #require(conflict.version)
        #expect(
            try words(#require(commands.resolve(conflict.record, keep: "local", against: version)))
                == ["resolve", "note", "conflict plain", "--keep", "local", "--against", version]
        )
        let json = try #require(conflict.draft)
        #expect(json == #"{"id":"conflict plain","title":"mine plain","body":"a body","stars":3}"#)
        #expect(
            try words(#require(commands.resolve(conflict, with: json)))
                == ["resolve", "note", "conflict plain", "--with", json, "--against", version]
        )
        let long = String(repeating: "x", count: 5000)
        #expect(commands.resolve(conflict, with: long)?.hasSuffix(" < record.json") == true)
    }

    @Test func aKeyThatNoShellArgumentCanHoldHasNoCommand() throws {
        let record = RecordName(entity: "note", key: RecordKey("e\u{0}k"))
        let commands = StoreCommands()
        let all = [
            commands.resolve(record, keep: "local", against: nil), commands.explain(record),
            commands.get(record),
            commands.retry(record), commands.discard(record), commands.inspect(record),
        ]
        #expect(all == Array(repeating: nil, count: all.count))
    }

    @Test func aStoreWhosePathLooksLikeAnOptionIsStillNamed() throws {
        let commands = StoreCommands(store: "-store", schemas: "-schemas")
        #expect(
            try words(commands.list("conflicts")) == ["conflicts", "--schemas=-schemas", "--store=-store"]
        )
        #expect(try words(commands.sync(remote: "-r")).prefix(2) == ["sync", "--remote=-r"])
    }

    @Test func anInstructionTellsItsCommandsFromItsWords() {
        let next: Instruction = "see \(command: "a 'b'"), \("then") \(command: "c")."
        #expect(next.text == "see \"a 'b'\", then 'c'.")
        #expect(next.parts.filter { if case .command = $0 { true } else { false } }.count == 2)
    }

    @Test func defaultOptionsAreLeftOut() throws {
        #expect(StoreCommands().list("conflicts") == "synccheck conflicts")
    }
}
