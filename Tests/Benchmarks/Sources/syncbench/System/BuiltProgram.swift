import Foundation

/// A program that was built beside this one, or by the package that is measured.
struct BuiltProgram {
    let url: URL

    /// The first of some names that was built.
    init?(_ names: String...) {
        let folders = Set([
            Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(),
            URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent(),
            Self.packageBuilds,
        ])
        // NB: in a test this program is a bundle, which stands beside what it tests.
        let candidates = names.flatMap { name in
            folders.flatMap { [$0, $0.deletingLastPathComponent()] }.map { $0.appendingPathComponent(name) }
        }
        guard let found = candidates.first(where: Self.isProgram) else { return nil }
        url = found
    }

    /// A program of the system, found as a shell finds it.
    init?(installed name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let candidates = folders.map { URL(fileURLWithPath: "\($0)/\(name)") }
        guard let found = candidates.first(where: Self.isProgram) else { return nil }
        url = found
    }

    /// Where the package that is measured builds its own programs.
    private static var packageBuilds: URL {
        #if DEBUG
            let configuration = "debug"
        #else
            let configuration = "release"
        #endif
        // This file is six levels below the package.
        let package = (0..<6).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        return package.appendingPathComponent(".build/\(configuration)")
    }

    private static func isProgram(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
            && FileManager.default.isExecutableFile(atPath: url.path)
    }

    /// Starts it; its output goes to a file, and what it logs to one beside it.
    func start(arguments: [String], output: URL, folder: String? = nil) throws -> Process {
        let log = URL(fileURLWithPath: output.path + ".log")
        for file in [output, log] { try Data().write(to: file) }
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        return process
    }

    /// Runs it in a folder to its end, and returns what it printed.
    @discardableResult
    func run(arguments: [String], in folder: String) throws -> String {
        let output = URL(fileURLWithPath: "\(folder)/output-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        let process = try start(arguments: arguments, output: output, folder: folder)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Unmeasured(reason: "\(url.lastPathComponent) ended with \(process.terminationStatus)")
        }
        return try String(contentsOf: output, encoding: .utf8)
    }
}
