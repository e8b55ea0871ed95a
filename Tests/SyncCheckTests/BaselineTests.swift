import Foundation
import ProgramRuns
import Testing

/// The file to which builds hold schemas.
@Suite struct BaselineTests {
    private static let path = "Schemas/schemas.baseline.json"

    private func bytes(scratch: Scratch) throws -> Data {
        try Data(contentsOf: scratch.folder.appendingPathComponent(Self.path))
    }

    /// Requires a field that records of the release may lack.
    private func require(scratch: Scratch) throws {
        let text = SampleSchemas.note.replacing(
            "\"properties\": {",
            with: "\"properties\": {\"extra\": {\"type\": \"string\"},"
        )
        .replacing("\"required\": [", with: "\"required\": [\"extra\", ")
        try #require(text != SampleSchemas.note)
        try scratch.write("Schemas/note.schema.json", text: text)
    }

    @Test func theSameSchemasGiveTheSameBytesAndNoSchemaOfTheirOwn() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "baseline", "Schemas")
        let first = try bytes(scratch: scratch)
        try scratch.must(arguments: "baseline", "Schemas/")
        #expect(try bytes(scratch: scratch) == first)
        #expect(
            try scratch.must(arguments: "diff", "--baseline", Self.path, "Schemas") == "No change.\n"
        )
    }

    @Test func whatBreaksStoresIsWrittenOnlyOnceItIsAccepted() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "baseline", "Schemas")
        let first = try bytes(scratch: scratch)
        try require(scratch: scratch)
        let refused = try scratch.run(arguments: "baseline", "Schemas")
        #expect(refused.exitCode == 1)
        #expect(refused.output.contains("Schemas/note.schema.json:"))
        #expect(refused.output.contains("error: the field is new and required"))
        #expect(refused.output.contains("synccheck baseline --accept Schemas"))
        #expect(try bytes(scratch: scratch) == first)
        let accepted = try scratch.must(arguments: "baseline", "Schemas", "--accept")
        #expect(accepted.contains("warning: the field is new and required"))
        #expect(try bytes(scratch: scratch) != first)
        #expect(try scratch.run(arguments: "baseline", "Schemas").exitCode == 0)
    }

    @Test func aChangeThatStoresFollowIsWrittenAtOnce() throws {
        let scratch = try Scratch()
        try scratch.must(arguments: "baseline", "Schemas")
        let text = SampleSchemas.note.replacing("\"key\"", with: "\"version\": 7, \"limit\": 3, \"key\"")
        try scratch.write("Schemas/note.schema.json", text: text)
        #expect(try scratch.run(arguments: "baseline", "Schemas", "--json").exitCode == 0)
    }

    @Test func anotherFileOfThatNameStays() throws {
        let scratch = try Scratch()
        try scratch.write(Self.path, text: "mine")
        #expect(try scratch.run(arguments: "baseline", "Schemas", "--accept").exitCode == 65)
        #expect(try bytes(scratch: scratch) == Data("mine".utf8))
    }
}
