import Foundation
import ProgramRuns

/// A program of one file, compiled as an app's is, outside of the package, with the modules that the package built.
enum AppProgram {
    /// The errors of a program. `features` are upcoming features of Swift that the app turns on.
    static func errors(of text: String, features: [String] = []) throws -> [String] {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(text.utf8).write(to: folder.appendingPathComponent("App.swift"))
        let run = try Child(
            program: URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["swiftc", "-typecheck", "-swift-version", "6", "-module-name", "App"] + modules
                + features.flatMap { ["-enable-upcoming-feature", $0] } + ["App.swift"],
            in: folder
        ).wait()
        return run.errorLines.filter { $0.contains("error: ") }
    }

    /// The types that a module declares for everybody, nested ones by their path: `SyncEvent.Level`.
    static func publicTypes(of module: String) throws -> Set<String> {
        let folder = try temporaryFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let run = try Child(
            program: URL(fileURLWithPath: "/usr/bin/env"),
            arguments: [
                "swift", "symbolgraph-extract", "-module-name", module, "-target", try target(),
                "-minimum-access-level", "public", "-include-spi-symbols", "-output-dir", folder.path,
            ] + modules,
            in: folder
        ).wait()
        guard run.exitCode == 0 else { throw Failure(lines: run.errorLines) }
        var types: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasSuffix(".symbols.json") {
            let graph = try JSONDecoder().decode(
                SymbolGraph.self,
                from: Data(contentsOf: folder.appendingPathComponent(name))
            )
            for symbol in graph.symbols where SymbolGraph.types.contains(symbol.kind.identifier) {
                types.insert(symbol.pathComponents.joined(separator: "."))
            }
        }
        return types
    }

    /// What the compiler said when it read no symbols.
    struct Failure: Error {
        let lines: [String]
    }

    /// What is read of the compiler's file of symbols.
    private struct SymbolGraph: Decodable {
        struct Symbol: Decodable {
            struct Kind: Decodable { let identifier: String }
            let kind: Kind
            let pathComponents: [String]
        }
        let symbols: [Symbol]

        static let types: Set = [
            "swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.typealias", "swift.actor",
        ]
    }

    /// Where the compiler finds the modules.
    private static let modules = [
        "-I", Program.synccheck.url.deletingLastPathComponent().appendingPathComponent("Modules").path,
        "-Xcc", "-fmodule-map-file=\(Self.root.path)/Sources/CSQLite/module.modulemap",
    ]

    /// The package's folder.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The platform that this program runs on, as the compiler calls it.
    private static func target() throws -> String {
        struct Info: Decodable {
            struct Target: Decodable { let triple: String }
            let target: Target
        }
        let run = try Child(
            program: URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["swiftc", "-print-target-info"],
            in: FileManager.default.temporaryDirectory
        ).wait()
        return try JSONDecoder().decode(Info.self, from: Data(run.output.utf8)).target.triple
    }

    private static func temporaryFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
