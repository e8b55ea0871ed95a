import ArgumentParser
import SyncCore

/// `syncserver admin`.
struct AdminCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin",
        abstract: "Ask a running server, through the socket that '--admin-socket' names. Answers are JSON."
    )

    /// What can be asked.
    enum Question: String, ExpressibleByArgument, CaseIterable {
        case status, accounts, drain
    }

    @Argument(help: "status, accounts, or drain, which makes '/ready' fail before a stop.")
    var question: Question

    @Option(help: ArgumentHelp("The server's socket.", valueName: "path"))
    var socket: String

    func run() throws { Streams.print(try AdminSocketClient(path: socket).ask(question.rawValue) + "\n") }
}
