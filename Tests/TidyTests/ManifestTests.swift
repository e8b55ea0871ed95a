import Foundation
import Testing

/// The manifest lists exactly what each target imports.
@Suite struct ManifestTests {
    /// A target of the manifest that holds Swift.
    struct ManifestTarget {
        var name: String
        var folder: String
        /// Names in quotes that it depends on, products included.
        var dependencies: Set<String>
        /// Whether a plugin generates code for it, whose imports are not in the folder.
        var hasPlugin: Bool
        var isProgram: Bool
    }

    @Test func everyTargetDependsOnWhatItImportsAndOnNothingElse() throws {
        let targets = try Self.targets()
        let names = Set(targets.map(\.name)).union(["CSQLite"])
        let programs = Set(targets.filter(\.isProgram).map(\.name))
        #expect(names.isSuperset(of: ["SyncCore", "synccheck", "TidyTests", "SyncEntities"]))
        for target in targets {
            let imports = try Self.imports(folder: target.folder).intersection(names)
            let undeclared = imports.subtracting(target.dependencies).subtracting([target.name])
            #expect(undeclared.isEmpty, "\(target.name) imports \(undeclared.sorted())")
            // Tests start programs without importing them.
            var unused = target.dependencies.intersection(names).subtracting(imports).subtracting(programs)
            if target.hasPlugin { unused.remove("SyncCore") }
            #expect(unused.isEmpty, "\(target.name) does not import \(unused.sorted())")
        }
    }

    @Test func aTargetOfTheManifestIsRead() throws {
        let target = try #require(try Self.targets().first { $0.name == "synccheck" })
        #expect(target.folder == "Sources/synccheck" && target.isProgram && !target.hasPlugin)
        #expect(target.dependencies.isSuperset(of: ["EntitySync", "ArgumentParser"]))
        #expect(!target.dependencies.contains("swift-argument-parser"))
        let entities = try #require(try Self.targets().first { $0.name == "SyncEntities" })
        #expect(entities.folder == "Schemas" && entities.hasPlugin)
    }

    static func targets() throws -> [ManifestTarget] {
        let file = Repository.root.appendingPathComponent("Package.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let kinds = /\.(?<kind>target|executableTarget|testTarget)\(\s*name: "(?<name>[A-Za-z]+)"/
        let matches = text.matches(of: kinds)
        return try matches.enumerated().map { index, match in
            let end = index + 1 < matches.count ? matches[index + 1].range.lowerBound : text.endIndex
            let body = text[match.range.upperBound..<end]
            let list = try /dependencies: \[(?<list>[^\]]*)\]/.firstMatch(in: body)?.output.list ?? ""
            let own = list.replacing(/package: "[^"]*"/, with: "")
            let kind = match.output.kind
            let name = String(match.output.name)
            let folder = try /path: "(?<path>[^"]+)"/.firstMatch(in: body).map { String($0.output.path) }
            return ManifestTarget(
                name: name,
                folder: folder ?? (kind == "testTarget" ? "Tests/\(name)" : "Sources/\(name)"),
                dependencies: Set(own.matches(of: /"(?<name>[A-Za-z]+)"/).map { String($0.output.name) }),
                hasPlugin: body.contains("plugins: ["),
                isProgram: kind == "executableTarget"
            )
        }
    }

    /// The modules that the files of a folder import.
    private static func imports(folder: String) throws -> Set<String> {
        let lines = try Repository.swiftFiles(folders: folder).flatMap(\.lines)
        return Set(
            lines.filter { $0.holds("import ") }.compactMap { line in
                HouseTests.importedModule(line: String(line.drop { $0 == " " }))
            }
        )
    }
}
