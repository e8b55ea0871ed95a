import ArgumentParser
import Foundation
import SyncCore
import SyncServer

/// `syncserver account`.
struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Add, list, remove, export, move and erase accounts; a running server sees it at once.",
        subcommands: [
            Add.self, List.self, Remove.self, AccountTokenCommand.self, AccountExportCommand.self,
            AccountMoveCommand.self, AccountEraseCommand.self,
        ]
    )

    /// The accounts in a data folder.
    static func book(data: DataOptions, mustExist: Bool) throws -> ServerAccounts {
        try ServerAccounts(
            directory: data.data,
            clock: SystemClock(),
            random: SystemRandom(),
            mustExist: mustExist
        )
    }

    /// Prints a new token alone on standard output.
    static func show(_ token: String) {
        Streams.printError(text: "This is the account's token. Keep it safe: it is not shown again.\n")
        Streams.print(token + "\n")
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Add an account and print its token, once.")

        @Argument(help: "A name for people.")
        var name: String

        @OptionGroup var data: DataOptions

        @Option(help: ArgumentHelp("The entities that it may exchange; by default all.", valueName: "a,b"))
        var entities: String?

        @Option(
            help: ArgumentHelp(
                "The folder with the schemas that '--entities' is checked with; by default 'Schemas', if there is one.",
                valueName: "dir"
            )
        )
        var schemas: String?

        func run() throws {
            let names = entities?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            if let names { try check(names) }
            let book = try AccountCommand.book(data: data, mustExist: false)
            AccountCommand.show(try book.add(name: name, entities: names.map { Set($0) }))
        }

        /// Checks entity names: against the schemas, or without schemas by their form. Throws `SyncError`.
        private func check(_ names: [String]) throws {
            guard names.allSatisfy({ !$0.isEmpty }) else { throw SyncError.badEntities }
            let folder = schemas ?? "Schemas"
            let hasSchemas = schemas != nil || FileManager.default.fileExists(atPath: folder)
            let known = hasSchemas ? try SchemaFolder.load(folder).map(\.name).sorted() : []
            for name in names {
                let isName = name.utf8.allSatisfy {
                    (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                }
                guard hasSchemas ? known.contains(name) : isName else {
                    throw SyncError.unknownEntity(name: name, known: known)
                }
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the accounts: id, state, entities, name, with tabs between them."
        )

        @OptionGroup var data: DataOptions

        func run() throws {
            for entry in try AccountCommand.book(data: data, mustExist: true).list() {
                let entities = entry.account.entities?.sorted().joined(separator: ",") ?? "*"
                let state = entry.removed == nil ? "active" : "removed"
                Streams.print("\(entry.account.id)\t\(state)\t\(entities)\t\(entry.account.name)\n")
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lock an account out; its data stays, and its name becomes free."
        )

        @Argument(help: "The account's name.")
        var name: String

        @OptionGroup var data: DataOptions

        func run() throws { try AccountCommand.book(data: data, mustExist: true).remove(name) }
    }
}
