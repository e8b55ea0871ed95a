import Foundation
import Testing

/// Safeguards are switches in a copy of the sources alone, which patches make.
@Suite struct MutationFlagTests {
    private static let folder = Repository.root.appendingPathComponent("Tests/Mutations")

    @Test func nothingOfTheProductKnowsOfSwitches() throws {
        for file in try Repository.swiftFiles(folders: "Sources", "Plugins", "Schemas") {
            for line in file.lines {
                #expect(!line.holds("Mutation."), "\(file.path): \(line)")
                guard line.holds("#if") || line.holds("#elseif") else { continue }
                #expect(!line.holds("Mutations") && !line.holds("DEBUG"), "\(file.path): \(line)")
            }
        }
    }

    /// Tests that turn safeguards off are named so that the command for them finds them.
    @Test func testsWithoutASafeguardAreInFilesOfTheirOwn() throws {
        for file in try Repository.swiftFiles(folders: "Tests") where !file.path.holds("Tests/Mutations/") {
            let turnsOff = file.lines.contains { $0.hasPrefix("#if Mutations") }
            let isNamedSo =
                file.path.hasSuffix("MutationTests.swift") || file.path.hasSuffix("MutationTable.swift")
            #expect(turnsOff == (isNamedSo && file.module != "SyncSchemaTests"), "\(file.path)")
            guard turnsOff else { continue }
            // The manifest keeps these in the copy, with what they need.
            let isBuilt = ["SyncRuntimeTests", "SyncServerBackendTests", "SyncChecksTests"].contains(
                file.module
            )
            #expect(isBuilt, "\(file.path)")
        }
    }

    @Test func ciTakesSafeguardsAway() throws {
        let url = Repository.root.appendingPathComponent(".ci/run")
        let lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
        #expect(
            lines.contains {
                $0.hasPrefix("SYNCMUTATIONS=1 swift test") && $0.holds("--filter MutationTests")
            }
        )
    }

    @Test func everySafeguardHasAPatchAndEveryPatchFits() throws {
        let switches = try String(
            contentsOf: Self.folder.appendingPathComponent("Switches/Safeguard.swift"),
            encoding: .utf8
        )
        let safeguards = switches.matches(of: /\n    case (?<name>\w+)/).map { String($0.output.name) }
        let patches = try FileManager.default.contentsOfDirectory(
            atPath: Self.folder.appendingPathComponent("Patches").path
        )
        #expect(safeguards.map { "\($0).patch" }.sorted() == patches.sorted())
        #expect(safeguards.count > 50)
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent(
            "mutations-\(UUID().uuidString)"
        )
        defer { try? FileManager.default.removeItem(at: copy) }
        let process = Process()
        process.executableURL = Self.folder.appendingPathComponent("apply")
        process.arguments = [copy.path]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
    }
}
