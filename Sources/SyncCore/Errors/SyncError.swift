public import Foundation

/// An error of the sync runtime, as data: its kind, and whether trying again can help.
///
/// Messages name entities and fields, never values that a person wrote. `localizedDescription` is the message,
/// so an app can show the error like any error of the system.
public struct SyncError: Error, Sendable, Hashable {
    /// What went wrong.
    public var kind: Kind
    /// One sentence for a person.
    public var message: String
    /// What to do next, for a person who uses an app.
    public var help: String
    /// Whether trying again can help.
    public var retry: RetryAdvice
    /// Seconds that the remote asks to wait before the next try; nil if it does not ask.
    public var retryAfterSeconds: Double?
    /// The key of the record that does not fit, where a call changes several; nil for other errors.
    public var record: RecordKey?

    /// Makes an error. Use the factories in `SyncError+Catalogue`, where the wording lives.
    public init(
        kind: Kind,
        message: String,
        help: String,
        retry: RetryAdvice = .never,
        retryAfterSeconds: Double? = nil
    ) {
        self.kind = kind
        self.message = message
        self.help = help
        self.retry = retry
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Makes an error whose help differs between a command line and an app.
    package init(
        kind: Kind,
        message: String,
        help: String,
        commandLineHelp: String,
        retry: RetryAdvice = .never
    ) {
        self.init(kind: kind, message: message, help: help, retry: retry)
        self.commandLineHelp = commandLineHelp
    }

    /// What to do next at a command line, if that differs from `help`.
    package var commandLineHelp: String?
    /// Whose fault it is, if a request failed; nil for the fault that the kind tells.
    package var fault: Setback.Fault?
    /// What a record's field violates, for callers with words of their own; nil for other errors.
    package var fieldError: FieldError?

    /// The closed list of kinds. Each maps to one exit code of the command line.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The caller named an entity, key or option that does not exist.
        case usage
        /// A record, file or schema does not fit (exit 65).
        case invalidInput
        /// The remote is not the one that this store is bound to (exit 65).
        case wrongRemote
        /// The remote cannot be reached (exit 69).
        case unreachable
        /// The database is damaged, newer or not ours (exit 65).
        case unreadableStore
        /// Reading or writing failed (exit 74).
        case inputOutput
        /// The operating system or the remote does not permit it (exit 77).
        case notPermitted
        /// Another process holds the store (exit 74).
        case busy
        /// Nothing was found under that name (exit 1).
        case notFound
    }
}

extension SyncError: LocalizedError, CustomStringConvertible {
    /// The sentence.
    public var errorDescription: String? { message }
    /// What to do next.
    public var recoverySuggestion: String? { help }
    /// What went wrong and what to do next, so that `print(error)` says it.
    public var description: String { help.isEmpty ? message : "\(message) \(help)" }
}

/// Whether trying again can help.
public enum RetryAdvice: String, Sendable, Hashable {
    /// Trying again will fail again.
    case never
    /// Trying again later may help.
    case later
    /// Trying again helps once a person has acted.
    case afterAction
    /// Trying again helps once the account is usable again: after a new sign-in, or with other rights.
    case afterSignIn
}
