#if Server
    import Foundation
    import Testing

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// A built program.
    enum Program: String {
        case synccheck, syncserver

        /// The program beside the test bundle.
        var url: URL {
            let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
            let places = bundles + [URL(fileURLWithPath: CommandLine.arguments[0]), Bundle.main.bundleURL]
            let candidates =
                places.map { $0.deletingLastPathComponent().appendingPathComponent(rawValue) }
                + [Bundle.main.bundleURL.appendingPathComponent(rawValue)]
            return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
        }
    }

    /// What a program printed and how it ended.
    struct Run {
        var output: String
        var error: String
        /// The exit code; the negative number of the signal that ended it.
        var exitCode: Int32

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// A program that was started. Its streams go through files, so that no pipe can fill up.
    final class Child {
        private let process = Process()
        private let outputFile: URL
        private let errorFile: URL

        init(
            _ program: Program,
            _ arguments: [String],
            in folder: URL,
            environment: [String: String] = [:]
        ) throws {
            let name = UUID().uuidString
            outputFile = folder.appendingPathComponent(".output-\(name)")
            errorFile = folder.appendingPathComponent(".error-\(name)")
            for file in [outputFile, errorFile] { try Data().write(to: file) }
            var variables = ProcessInfo.processInfo.environment
            variables["SYNCCHECK_TOKEN"] = nil
            process.executableURL = program.url
            process.arguments = arguments
            process.currentDirectoryURL = folder
            process.environment = variables.merging(environment) { $1 }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: outputFile)
            process.standardError = try FileHandle(forWritingTo: errorFile)
            try process.run()
        }

        var output: String { Self.text(outputFile) }
        var error: String { Self.text(errorFile) }
        /// NB: asked of the system, too: Foundation hears of an end by a descriptor, copies of which programs that are
        /// started at the same moment may hold until they end themselves.
        var isRunning: Bool { process.isRunning && ending == nil }

        /// How it ended, where nobody has fetched that yet: its exit code, or the negative number of a signal.
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

        /// Sends a signal, if it still runs.
        func signal(_ number: Int32) {
            if process.isRunning { kill(process.processIdentifier, number) }
        }

        /// Waits for its end.
        func end(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Run {
            var found: Int32?
            try await eventually("the program ends", sourceLocation: sourceLocation) {
                found = ending
                return found != nil || !process.isRunning
            }
            if let found { return Run(output: output, error: error, exitCode: found) }
            let isExit = process.terminationReason == .exit
            let status = process.terminationStatus
            return Run(output: output, error: error, exitCode: isExit ? status : -status)
        }

        private static func text(_ file: URL) -> String {
            String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
        }
    }
#endif
