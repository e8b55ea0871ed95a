import ArgumentParser
import EntitySync
import Foundation

/// The message and exit code of a command that failed or printed help.
struct CommandExit {
    /// Text for standard output; used for help only.
    var output = ""
    /// Text for standard error.
    var message = ""
    /// The exit code of the process.
    var exitCode: Int32

    /// Makes the message and the exit code for any error that a command throws.
    init(_ error: any Error) {
        switch error {
        case let error as SyncError:
            message = Self.sentence(error: error)
            exitCode = error.kind.exitCode
        case let error as InputError:
            message = error.details + Self.sentence(error: error.error)
            exitCode = error.error.kind.exitCode
        case let code as ExitCode:
            exitCode = code.rawValue
        default:
            let code = SyncCheck.exitCode(for: error)
            if code.isSuccess {
                output = SyncCheck.fullMessage(for: error) + "\n"
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
        StandardStreams.write(output, to: .output)
        StandardStreams.write(message, to: .error)
        Foundation.exit(exitCode)
    }

    /// An error as a sentence and a line of advice.
    static func sentence(error: SyncError) -> String {
        "error: \(error.message.oneLine)\nhelp: \((error.commandLineHelp ?? error.help).oneLine)\n"
    }

    /// The argument parser's message in the form of our own errors.
    private static func usage(error: any Error) -> String {
        let lines = SyncCheck.fullMessage(for: error).split(separator: "\n").map(String.init)
        let usage = lines.first { $0.hasPrefix("Usage: ") }?.dropFirst("Usage: ".count)
        let message = SyncCheck.message(for: error)
        let help = usage.map { "The usage is: \($0)" } ?? "Run 'synccheck --help' for the list of commands."
        return "error: \(message.oneLine)\nhelp: \(help.oneLine)\n"
    }
}

/// An error with diagnostics that are printed before it, for example of invalid schemas.
struct InputError: Error {
    /// Lines for standard error, each with its line feed.
    var details: String
    /// The summary error.
    var error: SyncError
}

extension ExitCode {
    /// The exit code for findings and partial syncs. Details were printed before.
    static let findings = ExitCode(1)
}

extension String {
    /// The text with line breaks replaced by spaces.
    var oneLine: String {
        split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: " ")
    }
}
