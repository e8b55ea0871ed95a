/// Why a store cannot do what it was asked. The account's logs are as they were.
package struct LogStoreError: Error, Sendable, Hashable {
    /// What kind of failure it is.
    package var kind: Kind
    /// What failed, for the server's log: a name and a number, and nothing that a person wrote.
    package var cause: String

    /// Kinds of failures, by what a client should do.
    package enum Kind: Sendable, Hashable {
        /// Somebody else uses the account's logs: come again soon.
        case busy
        /// There is no more room.
        case full
        /// What is stored is damaged: somebody has to look at it.
        case damaged
        /// It cannot be read or written now.
        case unreachable
        /// A mistake of the server.
        case mistake
    }

    /// Makes an error.
    package init(_ kind: Kind, cause: String) {
        (self.kind, self.cause) = (kind, cause)
    }
}
