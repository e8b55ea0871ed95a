import ArgumentParser
import Foundation
import SyncCore

/// The message and exit code of a command that failed or printed help.
struct ServerCommandExit {
    /// Text for standard output; used for help only.
    var output = ""
    /// Text for standard error.
    var message = ""
    /// The exit code of the process.
    var exitCode: Int32

    /// Makes the message and the exit code for any error that a command throws.
    init(_ error: any Error) {
        switch error {
        case let code as ExitCode: exitCode = code.rawValue
        case let error as SyncError:
            message = Self.sentence(error: error)
            exitCode = error.kind.exitCode
        case let error as SchemaFolderError:
            message = error.diagnostics + Self.sentence(error: error.error)
            exitCode = error.error.kind.exitCode
        default:
            let code = SyncServerCommand.exitCode(for: error)
            if code.isSuccess {
                output = SyncServerCommand.fullMessage(for: error) + "\n"
                exitCode = 0
            } else if code == .validationFailure {
                message = Self.usage(error: error)
                exitCode = code.rawValue
            } else {
                message = Self.sentence(error: .unexpected(error: error))
                exitCode = SyncError.Kind.inputOutput.exitCode
            }
        }
    }

    /// Prints the message and ends the process.
    func exit() -> Never {
        Streams.print(output)
        Streams.printError(text: message)
        Foundation.exit(exitCode)
    }

    private static func sentence(error: SyncError) -> String {
        "error: \(oneLine(text: error.message))\nhelp: \(oneLine(text: error.help))\n"
    }

    /// The argument parser's message in the form of our own errors.
    private static func usage(error: any Error) -> String {
        let lines = SyncServerCommand.fullMessage(for: error).split(separator: "\n").map(String.init)
        let usage = lines.first { $0.hasPrefix("Usage: ") }?.dropFirst("Usage: ".count)
        let help = usage.map { "The usage is: \($0)" } ?? "Run 'syncserver --help' for the list of commands."
        return
            "error: \(oneLine(text: SyncServerCommand.message(for: error)))\nhelp: \(oneLine(text: help))\n"
    }

    private static func oneLine(text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: " ")
    }
}
