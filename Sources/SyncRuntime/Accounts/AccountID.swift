/// Names an account: the guest of a device, or whatever text the app's backend names its accounts by.
///
/// The text is opaque. It is compared as UTF-8 bytes, and never becomes part of a path.
public struct AccountID: Sendable {
    /// The backend's name of the account; nil for the guest.
    public let text: String?

    /// Nobody signed in. The guest has a store but no remote.
    public static let guest = AccountID(text: nil)

    /// An account by the name that the app's backend has for it.
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
