import Foundation
import ProgramRuns
import SyncCodegen
import SyncSchema
import Testing

/// Generated code is compared byte by byte with files that are compiled into the test targets.
///
/// `RECORD_GOLDEN=1 swift test --filter GoldenTests` writes the files anew and fails once, so that somebody reads them.
@Suite struct GoldenTests {
    @Test func shippedSchemasGiveTheGoldenFiles() throws {
        let files = CodeGenerator.files(for: try Samples.shipped())
        try compare(files, with: Samples.testFolder(path: "SyncCodegenTests/Golden"))
    }

    @Test func everythingThatASchemaCanSayGivesTheGoldenFiles() throws {
        let files = CodeGenerator.files(for: try Samples.kitchenSink())
        let entities = files.filter { $0.name != CodeGenerator.registryFileName }
        try compare(entities, with: Samples.testFolder(path: "SyncDynamicTests/KitchenSink"))
    }

    @Test func orderOfTheSchemasMakesNoDifference() throws {
        let schemas = try Samples.shipped() + Samples.kitchenSink()
        let expected = CodeGenerator.files(for: schemas)
        #expect(CodeGenerator.files(for: schemas.reversed()) == expected)
        #expect(Set(expected.map(\.name)).count == schemas.count + 1)
    }

    @Test func parentsComeBeforeChildrenInTheRegistry() throws {
        let registry = try #require(CodeGenerator.files(for: try Samples.kitchenSink()).last)
        let parent = try #require(registry.contents.range(of: "SinkOwnerAdapter"))
        let child = try #require(registry.contents.range(of: "KitchenSinkAdapter"))
        #expect(parent.lowerBound < child.lowerBound)
    }

    @Test func noSchemasGiveAnEmptyRegistry() {
        let files = CodeGenerator.files(for: [])
        #expect(files.map(\.name) == ["SyncRegistry.swift"])
    }

    @Test func namesOfFilesFollowFromNamesOfSchemas() throws {
        #expect(
            CodeGenerator.fileName(forSchemaAt: "a/b c/read-status.schema.json") == "read-status.schema.swift"
        )
        for file in CodeGenerator.files(for: try Samples.shipped()) {
            #expect(file.contents.hasPrefix(CodeGenerator.header))
            #expect(file.contents.hasSuffix("}\n"))
        }
    }

    @Test(.enabled(if: Formatter.isAvailable)) func generatedCodeIsFormattedAsTheRepositoryIs() throws {
        let findings = try Formatter.lint(folders: [
            Samples.testFolder(path: "SyncCodegenTests/Golden"),
            Samples.testFolder(path: "SyncDynamicTests/KitchenSink"),
        ])
        #expect(findings.isEmpty, "\(findings)")
    }

    private func compare(_ files: [GeneratedFile], with folder: URL) throws {
        for file in files {
            let golden = folder.appendingPathComponent(file.name)
            let contents = Data(file.contents.utf8)
            if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
                try contents.write(to: golden)
                Issue.record("recorded \(file.name)")
            } else {
                #expect(try Data(contentsOf: golden) == contents, "\(file.name) differs from its golden file")
            }
        }
    }
}

/// The formatter of the toolchain.
private enum Formatter {
    static let isAvailable: Bool = (try? run(arguments: ["format", "--version"]))?.status == 0

    static func lint(folders: [URL]) throws -> String {
        let configuration = Samples.root.appendingPathComponent(".swift-format").path
        let paths = folders.map(\.path)
        let arguments =
            ["format", "lint", "--strict", "--recursive", "--configuration", configuration] + paths
        return try run(arguments: arguments).output
    }

    private static func run(arguments: [String]) throws -> (status: Int32, output: String) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "format-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let env = URL(fileURLWithPath: "/usr/bin/env")
        let run = try Child(program: env, arguments: ["swift"] + arguments, in: folder).wait()
        return (run.exitCode, run.error)
    }
}
