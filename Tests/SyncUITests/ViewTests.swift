import Foundation
import ProgramRuns
import Testing

/// The views compile against a stand-in that declares what they use of SwiftUI, which is not on Linux.
@Suite struct ViewTests {
    @Test(.timeLimit(.minutes(30))) func theViewsCompileAgainstTheDeclarationsOfSwiftUI() throws {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
            "views-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let standIn = scratch.appendingPathComponent("SwiftUI.swift")
        try FileManager.default.copyItem(
            at: tests.appendingPathComponent("StandIn/SwiftUI.swift.txt"),
            to: standIn
        )
        let module = try compile(
            arguments: [
                "-emit-module", "-module-name", "SwiftUI", "-emit-module-path",
                scratch.appendingPathComponent("SwiftUI.swiftmodule").path, standIn.path,
            ],
            in: scratch
        )
        try #require(module.exitCode == 0, "\(module.error)")

        let room = tests.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/SyncUI")
        let files = FileManager.default.enumerator(atPath: room.path)?.compactMap { $0 as? String } ?? []
        let sources = files.filter { $0.hasSuffix(".swift") }.map { room.appendingPathComponent($0).path }
        #expect(sources.contains { $0.hasSuffix("ConflictSheet.swift") })
        let views = try compile(
            arguments: ["-typecheck", "-module-name", "SyncUI", "-I", scratch.path] + sources,
            in: scratch
        )
        #expect(views.exitCode == 0 && !views.error.contains("warning:"), "\(views.error)")
        // The views were not left out.
        let broken = scratch.appendingPathComponent("Broken.swift")
        try Data("import SwiftUI\nlet badge: SyncStatusBadge = 1\n".utf8).write(to: broken)
        let refused = try compile(
            arguments: ["-typecheck", "-module-name", "SyncUI", "-I", scratch.path, broken.path] + sources,
            in: scratch
        )
        #expect(refused.error.contains("to specified type 'SyncStatusBadge'"))
    }

    /// Runs the compiler with the modules that this package was built to.
    private func compile(arguments: [String], in folder: URL) throws -> Run {
        let built = Program.synccheck.url.deletingLastPathComponent().appendingPathComponent("Modules").path
        let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let maps = ["CSQLite", "CPostgreSQL"].flatMap {
            ["-Xcc", "-fmodule-map-file=\(root.path)/Sources/\($0)/module.modulemap"]
        }
        // The package manager names a package after its folder.
        let package = root.lastPathComponent.lowercased()
        let compiler =
            ["swiftc", "-swift-version", "6", "-package-name", package, "-I", built] + maps
            + features.flatMap { ["-enable-upcoming-feature", $0] }
        let streams = folder.appendingPathComponent("streams-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
        return try Child(
            program: URL(fileURLWithPath: "/usr/bin/env"),
            arguments: compiler + arguments,
            in: folder,
            streams: streams
        ).wait()
    }
}
