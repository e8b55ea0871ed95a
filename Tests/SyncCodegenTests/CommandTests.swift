import Foundation
import ProgramRuns
import SyncVersion
import Testing

/// The built tool, run as the plugin runs it.
@Suite struct CommandTests {
    private func run(arguments: [String]) throws -> Run {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "synccodegen-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try Child(program: Program.synccodegen.url, arguments: arguments, in: folder).wait()
    }

    @Test func theVersionIsPrinted() throws {
        let run = try run(arguments: ["--version"])
        #expect(run.exitCode == 0)
        #expect(run.output == "synccodegen \(EntitySyncVersion.current)\n")
    }

    @Test(arguments: [
        [], ["--output"], ["--version", "a"], ["--output", "a", "--version"],
        ["--output", "a", "--baseline"], ["--output", "a", "--baseline", "--b", "c"],
    ])
    func wrongUseIsSaid(arguments: [String]) throws {
        let run = try run(arguments: arguments)
        #expect(run.exitCode == 64)
        #expect(run.error.contains("synccodegen --output DIR [--baseline FILE] SCHEMA..."))
    }

    @Test func whatBreaksTheStoresOfAReleaseIsAnErrorWithItsPlace() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "synccodegen-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ name: String, text: String) throws {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        func schema(required: String) -> String {
            """
            {
              "title": "Note", "type": "object",
              "properties": {
                "id": { "type": "string" },
                "text": { "type": "string" }
              },
              "required": ["id"\(required)],
              "sync": { "key": "id", "strategy": "set-union" }
            }
            """
        }
        func run() throws -> Run {
            let arguments = [
                "--output", "out", "--baseline", "schemas.baseline.json", "note.schema.json",
            ]
            return try Child(program: Program.synccodegen.url, arguments: arguments, in: folder).wait()
        }
        let line = schema(required: "").split(separator: "\n").joined()
        try write(
            "schemas.baseline.json",
            text: "{\"format\":1,\"schemas\":{\"note.schema.json\":\(line)}}"
        )
        try write("note.schema.json", text: schema(required: ""))
        #expect(try run().exitCode == 0)
        try write("note.schema.json", text: schema(required: ", \"text\""))
        let broken = try run()
        #expect(broken.exitCode == 1)
        #expect(
            broken.error.contains("note.schema.json:5:5: error: the field is required; records without it")
        )
        #expect(broken.error.contains("[required-added]"))
        #expect(broken.error.contains("swift package synccheck baseline --accept '"))
        try write("schemas.baseline.json", text: "{}")
        #expect(try run().exitCode == 1)
    }
}
