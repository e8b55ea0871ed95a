import Foundation
import ProgramRuns
import Testing

/// A sample app, built as its developer would build it.
enum Sample: String {
    /// Bookmarks with accounts, of `Tests/Sample`.
    case shelf
    /// The recipes of a household, of `Tests/Recipes`.
    case cook

    /// Builds the app without a warning, once for all tests. What was built stays, so that the next run builds what changed.
    func program() async throws -> URL {
        try await (self == .shelf ? Self.builtShelf : Self.builtCook).value
    }

    private static let builtShelf = Task { try await build(product: "shelf", package: "Tests/Sample") }
    // One after the other: they share a folder.
    private static let builtCook = Task {
        _ = await builtShelf.result
        return try await build(product: "cook", package: "Tests/Recipes")
    }

    private static func build(product: String, package: String) async throws -> URL {
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
                "swift", "build", "--product", product,
                "--package-path", root.appendingPathComponent(package).path,
                "--scratch-path", scratch.path,
                // A plan that is kept does not learn of files that came to or went from this package's Sources.
                "--disable-build-manifest-caching",
            ],
            in: log
        )
        // From nothing, beside other builds, it takes long.
        let run = try await build.end(within: .seconds(2_700))
        try #require(run.exitCode == 0, "\(run.output)\(run.error)")
        let warnings = (run.output + run.error).matches(of: /\.swift:\d+:\d+: warning:.*/)
        try #require(warnings.isEmpty, "\(run.output)\(run.error)")
        return scratch.appendingPathComponent("debug/\(product)")
    }
}
