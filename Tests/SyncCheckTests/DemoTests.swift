import Foundation
import ProgramRuns
import Testing

@testable import synccheck

@Suite struct DemoTests {
    @Test func tellsTheSameStoryEachTimeAndLeavesAFolderToLookAt() throws {
        let scratch = try Scratch()
        let first = try scratch.must(arguments: "demo", "--output", "one")
        let second = try scratch.must(arguments: "demo", "--output", "two")
        #expect(first.replacing("/one", with: "/x") == second.replacing("/two", with: "/x"))
        for part in [
            "1. ", "إِيَّاكَ نَعۡبُدُ", "local   \"Compare with 103:3.\"", "lost  \"accepted\"",
            "7. Both devices are equal",
            "CC-BY-SA 4.0",
        ] {
            #expect(first.contains(part), "\(part)")
        }
        for path in ["phone/store.sqlite", "laptop/store.sqlite", "shared", "Schemas/bookmark.schema.json"] {
            #expect(scratch.exists(path: "one/\(path)"))
        }
        let folder = scratch.folder.appendingPathComponent("one")
        let exports = try ["phone", "laptop"].map { name in
            try Tool.run(
                in: folder,
                arguments: ["export", "bookmark", "--include-deleted", "--store", "\(name)/store.sqlite"]
            )
        }
        #expect(exports.allSatisfy { $0.exitCode == 0 && $0.lines.count == 12 })
        #expect(exports[0].output == exports[1].output)
    }

    @Test func refusesAFolderThatIsInUse() throws {
        let scratch = try Scratch()
        #expect(try scratch.run(arguments: "demo", "--output", "Schemas").exitCode == 65)
    }

    @Test func showsTheSchemasThatThePackageShips() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        for schema in try DemoMaterial().schemas {
            let file = package.appendingPathComponent("Schemas/\(schema.name).schema.json")
            #expect(try String(contentsOf: file, encoding: .utf8) == schema.text)
        }
    }
}
