import ArgumentParser
import Foundation
import SyncCore

#if Server
    import SyncPostgresServer
#endif

/// The option for a PostgreSQL that keeps the records.
struct DatabaseOptions: ParsableArguments {
    /// The environment variable that holds the URL, so that no list of processes shows a password.
    static let variable = "SYNCSERVER_DATABASE"

    @Option(
        help: ArgumentHelp(
            "The PostgreSQL for the records, in place of files. With a password, set \(Self.variable) instead.",
            valueName: "url"
        )
    )
    var database: String?

    private var text: String? {
        let text = database ?? ProcessInfo.processInfo.environment[Self.variable]
        return text?.isEmpty == true ? nil : text
    }

    #if Server
        /// Whether a database is named.
        var isGiven: Bool { get throws { text != nil } }

        /// The database; nil if records are in files. Throws `SyncError` if the URL cannot be read.
        func url() throws -> PostgresURL? {
            guard let text else { return nil }
            guard let url = PostgresURL(text) else { throw SyncError.badDatabaseURL }
            return url
        }
    #else
        /// Whether a database is named. Throws `SyncError` if one is, because this build knows none.
        var isGiven: Bool {
            get throws {
                guard text == nil else { throw SyncError.withoutDatabase }
                return false
            }
        }
    #endif
}
