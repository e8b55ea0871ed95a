import Foundation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The sample app of `Tests/Sample`, built as its developer would build it.
enum Sample {
    /// Builds the app, once for all tests. What was built stays, so that the next run builds what changed.
    static func program() async throws -> URL { try await built.value }

    private static let built = Task { () throws -> URL in
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        // NB: not in the folder of the build that runs these tests, which may be locked.
        let scratch = root.appendingPathComponent(".build/sample")
        let log = FileManager.default.temporaryDirectory.appendingPathComponent(
            "entitysync-sample-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: log, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: log) }
        let build = try Child(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "swift", "build", "--product", "shelf",
                "--package-path", root.appendingPathComponent("Tests/Sample").path,
                "--scratch-path", scratch.path,
                // A plan that is kept does not learn of files that came to or went from this package's Sources.
                "--disable-build-manifest-caching",
            ],
            in: log
        )
        let run = await build.end()
        try #require(run.exitCode == 0, "\(run.output)\(run.error)")
        return scratch.appendingPathComponent("debug/shelf")
    }
}

/// What a program printed and how it ended.
struct Run {
    var output: String
    var error: String
    /// The exit code; the negative number of the signal that ended it.
    var exitCode: Int32
}

/// A program that was started. Its streams go through files, so that no pipe can fill up.
final class Child {
    private let process = Process()
    private let outputFile: URL
    private let errorFile: URL

    init(_ program: URL, _ arguments: [String], in folder: URL) throws {
        let name = UUID().uuidString
        outputFile = folder.appendingPathComponent(".output-\(name)")
        errorFile = folder.appendingPathComponent(".error-\(name)")
        for file in [outputFile, errorFile] { try Data().write(to: file) }
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
    }

    var output: String { Self.text(outputFile) }
    var error: String { Self.text(errorFile) }

    /// Sends a signal, if it still runs.
    func signal(_ number: Int32) {
        if process.isRunning { kill(process.processIdentifier, number) }
    }

    /// Waits for its end, and holds no thread meanwhile.
    func end() async -> Run {
        while process.isRunning {
            if let ending { return Run(output: output, error: error, exitCode: ending) }
            // NB: a wait that is cancelled returns early; the test has failed then.
            do { try await Task.sleep(for: .milliseconds(20)) } catch {
                return Run(output: output, error: self.error, exitCode: .min)
            }
        }
        let status = process.terminationStatus
        return Run(
            output: output,
            error: error,
            exitCode: process.terminationReason == .exit ? status : -status
        )
    }

    /// How it ended, where nobody has fetched that yet: its exit code, or the negative number of a signal.
    ///
    /// NB: Foundation hears of an end by a descriptor, copies of which programs that are started at the same moment may hold
    /// until they end themselves; so the system is asked, too.
    private var ending: Int32? {
        var info = siginfo_t()
        let options = WEXITED | WNOHANG | WNOWAIT
        guard waitid(P_PID, id_t(process.processIdentifier), &info, options) == 0 else { return nil }
        #if canImport(Darwin)
            let (pid, status) = (info.si_pid, info.si_status)
        #else
            let (pid, status) = (info._sifields._sigchld.si_pid, info._sifields._sigchld.si_status)
        #endif
        guard pid != 0 else { return nil }
        return info.si_code == CLD_EXITED ? status : -status
    }

    private static func text(_ file: URL) -> String {
        String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
    }
}
