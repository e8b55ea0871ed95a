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
        // The exit code is the contract of the command line, so a script sees the same one.
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
        // The output of the command line is data, so nothing of the build goes there.
        process.standardOutput = FileHandle.standardError
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw SyncCheckPluginError.notBuilt }
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
