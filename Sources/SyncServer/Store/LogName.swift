/// Which log of an account is meant.
package enum LogName: Hashable, Sendable {
    /// The account's data.
    case main
    /// A log for checks, which begins and goes as its user likes.
    case scratch(String)

    /// The name in the database.
    package var text: String {
        switch self {
        case .main: "main"
        case .scratch(let name): "scratch/" + name
        }
    }

    /// Whether it is the account's data.
    package var isMain: Bool { self == .main }
}
