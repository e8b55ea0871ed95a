import Foundation
import PackagePlugin

/// Runs the command line in an app's package: `swift package synccheck validate Sources/Model`.
///
/// The first run builds `synccheck` from the sources of this package, in a folder of the plugin, so that an app that never
/// runs it resolves and builds nothing for it. Paths are relative to the app's package.
@main struct SyncCheckPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let dependencies = context.package.dependencies.map(\.package)
        guard let home = ([context.package] + dependencies).first(where: { $0.displayName == "EntitySync" })
        else { throw SyncCheckPluginError.noPackage }
        let tool = try build(
            home: home.directoryURL,
            scratch: context.pluginWorkDirectoryURL.appendingPathComponent("build")
        )
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        // The package manager ends with 1 for each other code than 0.
        let wasKilled = process.terminationReason == .uncaughtSignal
        let code = wasKilled ? 128 + process.terminationStatus : process.terminationStatus
        if code != 0 { exit(code) }
    }

    /// Builds the command line, or what changed of it; where it is.
    private func build(home: URL, scratch: URL) throws -> URL {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swift", "build", "--quiet", "--product", "synccheck",
            "--package-path", home.path, "--scratch-path", scratch.path,
        ]
        // The output of the command line is data, and the package manager shows all that a plugin writes as output. So
        // the words of the build go to a file.
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let log = scratch.appendingPathComponent("build.log")
        try Data().write(to: log)
        let words = try FileHandle(forWritingTo: log)
        (process.standardOutput, process.standardError) = (words, words)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = try? String(contentsOf: log, encoding: .utf8)
            FileHandle.standardError.write(Data((text ?? "").utf8))
            throw SyncCheckPluginError.notBuilt
        }
        return scratch.appendingPathComponent("debug/synccheck")
    }
}

/// Why the command line cannot be run.
enum SyncCheckPluginError: Error, CustomStringConvertible {
    /// The package is not among the direct dependencies.
    case noPackage
    /// Its sources do not build.
    case notBuilt

    var description: String {
        switch self {
        case .noPackage: "the package EntitySync is not among the dependencies of this one"
        case .notBuilt:
            "synccheck cannot be built; where plugins run in a sandbox, call 'swift package --disable-sandbox synccheck'"
        }
    }
}
