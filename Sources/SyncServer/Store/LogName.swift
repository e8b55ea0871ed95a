/// The name of a log within an account.
package enum LogName: Hashable, Sendable {
    /// The account's data.
    case main
    /// A log for tests, which its user creates and removes.
    case scratch(String)

    /// The name in the database.
    package var text: String {
        switch self {
        case .main: "main"
        case .scratch(let name): "scratch/" + name
        }
    }

    /// Whether this is the log of the account's data.
    package var isMain: Bool { self == .main }
}
