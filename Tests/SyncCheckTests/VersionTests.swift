import Foundation
import ProgramRuns
import Testing

/// Records that are read and written with their version, by other programs that hold them open meanwhile.
@Suite struct VersionTests {
    private struct Pair {
        let scratch: Scratch
        let a: ScratchDevice
        let b: ScratchDevice

        init() throws {
            scratch = try Scratch()
            (a, b) = (scratch.device(name: "a"), scratch.device(name: "b"))
        }

        func sync() throws {
            for device in [a, b, a, b] { try device.sync() }
        }
    }

    /// A JSON object with other members.
    private func changing(_ line: String, _ members: [String: String]) throws -> String {
        var object = try object(text: line)
        for (name, value) in members { object[name] = value }
        return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    @Test func aFormOfAnotherProgramWritesOnlyWhatItChanged() throws {
        let pair = try Pair()
        let key = try pair.a.must(arguments: "put", "note", #"{"title":"t","body":"v1"}"#).trimmed
        try pair.sync()
        let form = try pair.b.must(arguments: "get", "note", key, "--with-version")
        try pair.a.must(arguments: "put", "note", #"{"id":"\#(key)","body":"WORD-A"}"#)
        try pair.sync()
        #expect(try pair.b.must(arguments: "put", "note", form).trimmed == key, "no edit")
        #expect(try object(text: pair.b.must(arguments: "get", "note", key))["body"] as? String == "WORD-A")
        try pair.b.must(arguments: "put", "note", try changing(form, ["title": "WORD-B"]))
        try pair.sync()
        let all = try [pair.a, pair.b].map { device in
            try ["get", "conflicts", "journal"].map { command in
                command == "get"
                    ? try device.must(arguments: "get", "note", key)
                    : try device.must(arguments: command, "--json")
            }.joined()
        }.joined()
        for word in ["WORD-A", "WORD-B"] { #expect(all.contains(word), "\(word) is somewhere") }
    }

    @Test func anImportOfWhatWasExportedMeetsWhatHasComeSince() throws {
        let pair = try Pair()
        try pair.a.must(arguments: "put", "reading", #"{"link":"x","isRead":false}"#)
        try pair.a.must(arguments: "put", "reading", #"{"link":"y","isRead":false}"#)
        let lines = try pair.a.must(arguments: "export", "reading", "--with-versions")
        try pair.a.must(arguments: "put", "reading", #"{"link":"x","isRead":true}"#)
        try pair.a.must(arguments: "delete", "reading", "y")
        try pair.a.must(arguments: "import", "reading", "-", input: lines)
        #expect(try object(text: pair.a.must(arguments: "get", "reading", "x"))["isRead"] as? Bool == true)
        #expect(try pair.a.run(arguments: "get", "reading", "y").exitCode == 1, "still deleted")
        let deleted = try pair.a.must(arguments: "export", "reading", "--with-versions", "--include-deleted")
        #expect(deleted.components(separatedBy: "$version").count == 3)
        try pair.a.must(arguments: "import", "reading", "-", input: deleted)
        #expect(try pair.a.run(arguments: "get", "reading", "y").exitCode == 1)
    }

    @Test func aVersionOfAnotherStoreOrAnythingElseIsRefused() throws {
        let pair = try Pair()
        try pair.a.must(arguments: "put", "reading", #"{"link":"x","isRead":false}"#)
        try pair.sync()
        let form = try pair.a.must(arguments: "get", "reading", "x", "--with-version")
        let cut = try changing(form, ["$version": "v1-cut"])
        for (line, device) in [(form, pair.b), (cut, pair.a)] {
            for run in [
                try device.run(arguments: "put", "reading", line),
                try device.run(arguments: "import", "reading", "-", input: line),
            ] {
                #expect(run.exitCode == 65 && run.output.isEmpty)
                #expect(run.errorLines.suffix(2).map { $0.prefix(6) } == ["error:", "help: "])
            }
        }
    }

    @Test func aSeedGivesWayAndWritesNothingWhereARecordIs() throws {
        let pair = try Pair()
        try pair.a.must(arguments: "put", "reading", #"{"link":"x","isRead":true}"#)
        try pair.a.sync()
        #expect(
            try pair.b.must(arguments: "put", "--seed", "reading", #"{"link":"x","isRead":false}"#) == "x\n"
        )
        try pair.sync()
        for device in [pair.a, pair.b] {
            #expect(
                try object(text: device.must(arguments: "get", "reading", "x"))["isRead"] as? Bool == true
            )
            #expect(try device.must(arguments: "journal", "--json").trimmed == "[]")
        }
        try pair.a.must(arguments: "put", "reading", "--seed", #"{"link":"x","isRead":false}"#)
        #expect(try object(text: pair.a.must(arguments: "get", "reading", "x"))["isRead"] as? Bool == true)
    }
}
