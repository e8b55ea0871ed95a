public import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What a program printed and how it ended.
public struct Run: Sendable {
    public var output: String
    public var error: String
    /// The exit code; the negative number of the signal that ended it.
    public var exitCode: Int32

    public var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// A program that was started. Its streams go through files, so that no pipe can fill up.
public final class Child {
    private let process = Process()
    private let outputFile: URL
    private let errorFile: URL

    /// Starts a program in a folder. `environment` replaces this process's own where it is given.
    public init(
        _ program: URL,
        _ arguments: [String],
        in folder: URL,
        environment: [String: String]? = nil
    ) throws {
        let name = UUID().uuidString
        outputFile = folder.appendingPathComponent(".output-\(name)")
        errorFile = folder.appendingPathComponent(".error-\(name)")
        for file in [outputFile, errorFile] { try Data().write(to: file) }
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        if let environment { process.environment = environment }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
    }

    public var output: String { Self.text(outputFile) }
    public var error: String { Self.text(errorFile) }

    public var isRunning: Bool { process.isRunning && ending == nil }

    /// What it printed and how it ended; nil while it runs.
    public var run: Run? {
        if let ending { return Run(output: output, error: error, exitCode: ending) }
        guard !process.isRunning else { return nil }
        let (isExit, status) = (process.terminationReason == .exit, process.terminationStatus)
        return Run(output: output, error: error, exitCode: isExit ? status : -status)
    }

    /// Sends a signal, if it still runs.
    public func signal(_ number: Int32) {
        if process.isRunning { kill(process.processIdentifier, number) }
    }

    /// Waits for its end, and holds no thread meanwhile. Throws `NeverEnded` after a time that no program needs.
    public func end() async throws -> Run {
        let deadline = ContinuousClock.now + .seconds(900)
        while ContinuousClock.now < deadline {
            if let run { return run }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw NeverEnded()
    }

    /// A program did not end.
    public struct NeverEnded: Error {}

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
