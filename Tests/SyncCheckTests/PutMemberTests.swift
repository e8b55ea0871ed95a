import ProgramRuns
import Testing

/// `put` writes what was meant: a member that no schema knows is most often misspelt.
@Suite struct PutMemberTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func aMisspeltMemberIsToldAndNothingIsWritten() throws {
        let put = try scratch.run(arguments: "put", "note", #"{"titel":"t","title":"x"}"#)
        #expect(put.exitCode == 65 && put.output == "", "\(put.output)\(put.error)")
        #expect(put.error.contains("'titel'") && put.error.contains("'title'"), "\(put.error)")
        #expect(put.error.contains("--unknown"), "\(put.error)")
        #expect(try scratch.must(arguments: "export", "note") == "")
    }

    @Test func anUnknownMemberIsWrittenOnRequestAndThenKnown() throws {
        let key =
            try scratch.must(
                arguments: "put",
                "note",
                #"{"title":"x","future":{"a":1}}"#,
                "--unknown"
            ).split(separator: "\n").first.map(String.init) ?? ""
        #expect(try scratch.must(arguments: "get", "note", key).contains(#""future":{"a":1}"#))
        // What the record has already is no slip: a record that was read can be written back.
        let read = try scratch.must(arguments: "get", "note", key, "--with-version")
        try scratch.must(arguments: "put", "note", read.replacing(#""x""#, with: #""y""#))
        #expect(try scratch.must(arguments: "get", "note", key).contains(#""title":"y""#))
        let other = try scratch.run(arguments: "put", "note", #"{"id":"\#(key)","futur":1}"#)
        #expect(other.exitCode == 65 && other.error.contains("'future'"), "\(other.error)")
    }

    @Test func aSeedIsHeldToTheSame() throws {
        let put = try scratch.run(arguments: "put", "reading", "--seed", #"{"link":"a","isred":true}"#)
        #expect(put.exitCode == 65 && put.error.contains("'isRead'"), "\(put.output)\(put.error)")
        try scratch.must(arguments: "put", "reading", "--seed", "--unknown", #"{"link":"a","isred":true}"#)
    }
}
