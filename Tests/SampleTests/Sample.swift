import Foundation
import ProgramRuns
import Testing

/// The sample app of `Tests/Sample`, built as its developer would build it.
enum Sample {
    /// Builds the app, once for all tests. What was built stays, so that the next run builds what changed.
    static func program() async throws -> URL { try await built.value }

    private static let built = Task { () throws -> URL in
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        // NB: not in the folder of the build that runs these tests, which may be locked.
        let scratch = root.appendingPathComponent(
            ".build/commands/plugins/SyncCheckPlugin/outputs/build"
        )
        let log = FileManager.default.temporaryDirectory.appendingPathComponent(
            "entitysync-sample-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: log, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: log) }
        let build = try Child(
            program: URL(fileURLWithPath: "/usr/bin/env"),
            arguments: [
                "swift", "build", "--product", "shelf",
                "--package-path", root.appendingPathComponent("Tests/Sample").path,
                "--scratch-path", scratch.path,
                // A plan that is kept does not learn of files that came to or went from this package's Sources.
                "--disable-build-manifest-caching",
            ],
            in: log
        )
        // From nothing, beside other builds, it takes long.
        let run = try await build.end(within: .seconds(2_700))
        try #require(run.exitCode == 0, "\(run.output)\(run.error)")
        return scratch.appendingPathComponent("debug/shelf")
    }
}
