public import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The output and the exit code of a program.
public struct Run: Sendable {
    public var output: String
    public var error: String
    /// The exit code; the negative number of the signal that ended it.
    public var exitCode: Int32

    public var lines: [String] { output.split(separator: "\n").map(String.init) }
    public var errorLines: [String] { error.split(separator: "\n").map(String.init) }
}

/// A started program. Its streams are files, so that no pipe can fill up.
///
/// NB: this does not use Foundation's `Process`. On Linux (Swift 6.3) that leaks file descriptors after a
/// program's end. With about 1,360 open ones it may read beyond its list of them at the next start, which
/// crashes the test process.
public final class Child {
    /// The system's process id.
    public let processID: Int32
    private let outputFile: URL
    private let errorFile: URL
    private var ending: Int32?

    /// The input of a program.
    public enum Input {
        case nothing
        case file(URL)
        case descriptor(Int32)
    }

    /// Starts a program in a folder. `environment` replaces this process's own, `outputDescriptor` receives the
    /// output instead of a file, `errorDescriptor` the errors, and `streams` is the folder for the stream files.
    /// Throws `NotStarted`.
    public init(
        program: URL,
        arguments: [String],
        in folder: URL,
        environment: [String: String]? = nil,
        input: Input = .nothing,
        outputDescriptor: Int32? = nil,
        errorDescriptor: Int32? = nil,
        streams: URL? = nil
    ) throws {
        let name = UUID().uuidString
        outputFile = (streams ?? folder).appendingPathComponent(".output-\(name)")
        errorFile = (streams ?? folder).appendingPathComponent(".error-\(name)")
        let start = Start()
        defer { start.discard() }
        switch input {
        case .nothing: start.read(from: "/dev/null")
        case .file(let file): start.read(from: file.path)
        case .descriptor(let number): start.pass(number, as: 0)
        }
        if let outputDescriptor {
            start.pass(outputDescriptor, as: 1)
        } else {
            start.write(1, to: outputFile.path)
        }
        if let errorDescriptor {
            start.pass(errorDescriptor, as: 2)
        } else {
            start.write(2, to: errorFile.path)
        }
        let environment = environment ?? ProcessInfo.processInfo.environment
        processID = try start.run(
            command: [program.path] + arguments,
            in: folder.path,
            environment: environment.map { "\($0.key)=\($0.value)" }
        )
    }

    /// A released program is ended.
    deinit {
        guard isRunning else { return }
        kill(processID, SIGKILL)
        fetchEnding(options: 0)
    }

    public var output: String { Self.text(file: outputFile) }
    public var error: String { Self.text(file: errorFile) }

    public var isRunning: Bool {
        fetchEnding(options: WNOHANG)
        return ending == nil
    }

    /// The output and the exit code; nil while it runs.
    public var run: Run? {
        fetchEnding(options: WNOHANG)
        return ending.map { Run(output: output, error: error, exitCode: $0) }
    }

    /// Sends a signal if the program is still running.
    public func signal(_ number: Int32) {
        if isRunning { kill(processID, number) }
    }

    /// Waits for the end without blocking a thread. Throws `NeverEnded` after a very long time.
    public func end(within limit: Duration = .seconds(900)) async throws -> Run {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if let run { return run }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw NeverEnded()
    }

    /// Waits for the end and blocks the thread.
    public func wait() -> Run {
        while true {
            fetchEnding(options: 0)
            if let run { return run }
        }
    }

    /// Thrown if a program does not end.
    public struct NeverEnded: Error {}

    /// Asks the system for the exit code unless it is known; the negative number of a signal.
    private func fetchEnding(options: Int32) {
        guard ending == nil else { return }
        var status: Int32 = 0
        guard waitpid(processID, &status, options) == processID else { return }
        let signal = status & 0x7f
        ending = signal == 0 ? status >> 8 & 0xff : -signal
    }

    private static func text(file: URL) -> String {
        String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
    }
}
