import ArgumentParser
import Foundation
import SyncCore
import SyncServer

/// `syncserver account token`.
struct AccountTokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Add, list, revoke and rotate the tokens of an account.",
        discussion:
            "With nothing but a name it prints a new token, once, and all other tokens of the account stop.",
        subcommands: [Renew.self, Add.self, List.self, Revoke.self, Rotate.self],
        defaultSubcommand: Renew.self
    )

    /// The name and the data folder, which all of these commands take.
    struct Target: ParsableArguments {
        @Argument(help: "The account's name.")
        var name: String

        @OptionGroup var data: DataOptions

        /// The accounts in the data folder.
        func book() throws -> ServerAccounts { try AccountCommand.book(data: data, mustExist: true) }
    }

    /// When a token ends.
    struct Expiry: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "When it ends: days or hours from now ('90d', '12h'), or a date ('2030-01-31'). By default never.",
                valueName: "when"
            )
        )
        var expires: String?

        func validate() throws { _ = try time(now: SystemClock().now()) }

        /// The time; nil for a token that does not end by itself.
        func time(now: Timestamp) throws -> Timestamp? {
            guard let expires else { return nil }
            let time = AccountTokenCommand.seconds(of: expires).map {
                Timestamp(microseconds: now.microseconds + $0 * 1_000_000)
            }
            guard let time = time ?? Timestamp("\(expires)T00:00:00Z") ?? Timestamp(expires), time > now
            else {
                throw ValidationError("'--expires' is like '90d' or '12h', or a date that is yet to come.")
            }
            return time
        }
    }

    /// The seconds of a text such as `90d` or `12h`; nil for any other text.
    static func seconds(of text: String) -> Int64? {
        let units: [Character: Int64] = ["d": 86_400, "h": 3600, "m": 60, "s": 1]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (0...36_500 * 86_400 / unit).contains(count)
        else { return nil }
        return count * unit
    }

    struct Renew: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a new token of an account, once; all others stop (the default)."
        )

        @OptionGroup var target: Target

        func run() throws { AccountCommand.show(try target.book().newToken(name: target.name)) }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a further token of an account, once; all others go on."
        )

        @OptionGroup var target: Target
        @OptionGroup var expiry: Expiry

        @Option(help: "A name for people, for example of the device that gets it.")
        var label: String

        func run() throws {
            let expires = try expiry.time(now: SystemClock().now())
            AccountCommand.show(
                try target.book().addToken(name: target.name, label: label, expires: expires)
            )
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the tokens of an account: id, state, made, end, label, with tabs between them."
        )

        @OptionGroup var target: Target

        func run() throws {
            let now = SystemClock().now()
            for token in try target.book().tokens(name: target.name) {
                let state = token.expires.map { $0 > now } ?? true ? "active" : "expired"
                let end = token.expires?.description ?? "-"
                Streams.print("\(token.id)\t\(state)\t\(token.created)\t\(end)\t\(token.label)\n")
            }
        }
    }

    struct Revoke: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End the tokens of a label or an id at once; all others go on."
        )

        @OptionGroup var target: Target

        @Option(help: "The token's label, or its id from 'account token list'.")
        var label: String

        func run() throws { try target.book().revokeToken(label, name: target.name) }
    }

    struct Rotate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Print a new token in place of another, once; the old one stops, or goes on for a while."
        )

        @OptionGroup var target: Target
        @OptionGroup var expiry: Expiry

        @Option(help: "The label of the token to replace, or its id.")
        var label: String

        @Option(
            help: ArgumentHelp(
                "How long the old token goes on, for example '7d' or '12h'; by default not at all.",
                valueName: "time"
            )
        )
        var grace = "0s"

        func validate() throws {
            guard AccountTokenCommand.seconds(of: grace) != nil else {
                throw ValidationError("'--grace' is like '7d' or '12h'.")
            }
        }

        func run() throws {
            AccountCommand.show(
                try target.book().rotateToken(
                    label,
                    name: target.name,
                    expires: try expiry.time(now: SystemClock().now()),
                    graceSeconds: AccountTokenCommand.seconds(of: grace) ?? 0
                )
            )
        }
    }
}
