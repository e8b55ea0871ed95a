/// How much one push may hold.
public struct PushLimit: Sendable, Hashable {
    /// The greatest number of changes; at least 1.
    public var changes: Int
    /// The greatest sum of their bodies in bytes; one change alone may be larger.
    public var bytes: Int

    /// Makes a limit.
    public init(changes: Int, bytes: Int) {
        self.changes = changes
        self.bytes = bytes
    }

    /// Everything in one push.
    public static let none = PushLimit(changes: .max, bytes: .max)
}

/// A push that is ready to be sent.
public struct PreparedPush: Sendable {
    /// How to recognise it after a crash. Saved before it is sent.
    public var intent: String
    /// The changes in it, in order.
    public var changes: [Change]
    /// The bytes to send.
    public var payload: [UInt8]

    /// Makes a prepared push.
    public init(intent: String, changes: [Change], payload: [UInt8]) {
        self.intent = intent
        self.changes = changes
        self.payload = payload
    }
}

/// The remote's answer to a push.
public struct PushReceipt: Sendable {
    /// One result per change, in order.
    public var results: [Result]
    /// The cursor to save with the acknowledgements, if the push moved it.
    public var cursor: String?

    /// What became of one change.
    public enum Result: Sendable {
        /// Stored as sent. The mark says which edit; the revision, if the remote has such, names the new state.
        case accepted(EditTimestamp, Revision?)
        /// Stored, but not as sent: the change says how.
        case altered(EditTimestamp, Change)
        /// The remote holds something newer, which the next fetch brings.
        case conflict
        /// The change has a base, but the remote does not hold the record any more, not even as a tombstone.
        case missing
        /// The remote refuses it, for a reason.
        case refused(String)
        /// The remote does not take this entity at all, for a reason. The record stays in the outbox.
        case entityRefused(String)
        /// Not sent, or not answered for this record alone: it stays in the outbox and is tried again.
        case notSent
        /// Sent alone, and the remote failed on it, for a reason. The change is to blame once another one is taken.
        case failed(String)
    }

    /// Makes a receipt.
    public init(results: [Result], cursor: String?) {
        self.results = results
        self.cursor = cursor
    }
}
