package import SyncWire

/// Thrown by a store that cannot do what it was asked. The account's logs are unchanged.
package struct LogStoreError: Error, Sendable, Hashable {
    /// The kind of error.
    package var kind: Kind
    /// What failed, for the server's log: a name and a number, without user data.
    package var cause: String
    /// What is wrong with the storage, if that is why.
    package var storage: StorageFailure?

    /// Kinds of errors, by what a client should do.
    package enum Kind: Sendable, Hashable {
        /// The account's logs are locked: retry soon.
        case busy
        /// The storage is full.
        case full
        /// The stored data is damaged and needs attention.
        case damaged
        /// The storage cannot be read or written at present.
        case unreachable
        /// An internal error of the server.
        case mistake
    }

    /// Makes an error.
    package init(_ kind: Kind, cause: String, storage: StorageFailure? = nil) {
        (self.kind, self.cause, self.storage) = (kind, cause, storage)
    }
}
