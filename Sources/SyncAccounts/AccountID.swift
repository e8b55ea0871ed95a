/// The identity of an account: the guest, or the name that the app's backend uses.
///
/// The text is opaque. It is compared as UTF-8 bytes and never becomes part of a path.
public struct AccountID: Sendable {
    /// The backend's name of the account; nil for the guest.
    public let text: String?

    /// The guest: nobody is signed in. It has a store but no remote.
    public static let guest = AccountID(text: nil)

    /// An account by its name in the app's backend.
    public init(_ text: String) {
        self.init(text: text)
    }

    private init(text: String?) {
        self.text = text
    }

    /// Whether this is the guest.
    public var isGuest: Bool { text == nil }
}

extension AccountID: Hashable {
    public static func == (left: AccountID, right: AccountID) -> Bool {
        left.text.map { Array($0.utf8) } == right.text.map { Array($0.utf8) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(text.map { Array($0.utf8) })
    }
}
