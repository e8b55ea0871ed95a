import ArgumentParser
import SyncServer

/// `syncserver doctor`.
struct ServerDoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Tell whether accounts are the same on every machine that shares a database.",
        discussion: """
            With a database, the account of a JWT login has an id that follows from the token's issuer and subject, so \
            that every machine gives it the same one. Accounts of an earlier version, and those of 'account add', keep \
            the id that their data folder gave them. This command counts them. Without '--jwt-issuer' it tells them by \
            the form of the id, and takes an account of any issuer for right. Exit code 1 if something was found.
            """
    )

    @OptionGroup var data: DataOptions
    @OptionGroup var database: DatabaseOptions

    @Option(help: ArgumentHelp("Whom a JWT comes from (its 'iss'), to compare ids with.", valueName: "text"))
    var jwtIssuer: String?

    func run() throws {
        let book = try AccountCommand.book(data: data, mustExist: true)
        let isShared = try database.isGiven || DatabaseMark(data: data.data).isSet
        let accounts = try isShared ? book.list().filter { $0.removed == nil }.map(\.account) : []
        let count = accounts.count { !LoginID.isDerived($0, issuer: jwtIssuer) }
        guard count > 0 else {
            Streams.print(isShared ? Self.allDerived : Self.notShared)
            return
        }
        Streams.print(Self.finding(count: count, of: accounts.count))
        throw ExitCode(1)
    }

    private static let notShared = "All is well: no other machine shares the records of these accounts.\n"
    private static let allDerived = "All is well: the ids of all accounts follow from issuer and subject.\n"

    private static func finding(count: Int, of all: Int) -> String {
        let (subject, verb) = count == 1 ? ("id", "does") : ("ids", "do")
        return """
            warning: The \(subject) of \(count) of \(all) accounts \(verb) not follow from issuer and subject of a \
            login. On a machine with accounts of its own, the same login is another account.
            help: Accounts keep their ids. Give each other machine a copy of these accounts, by 'syncserver backup' \
            here and 'syncserver restore' there.

            """
    }
}
