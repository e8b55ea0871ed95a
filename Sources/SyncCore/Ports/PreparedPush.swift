/// How much one push may hold.
public struct PushLimit: Sendable, Hashable {
    /// The greatest number of changes; at least 1.
    public var changes: Int
    /// The greatest sum of the body sizes in bytes. A single change may be larger.
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
    /// Recognises the push after a crash. Saved before the push is sent.
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

    /// The remote's answer for one change.
    public enum Result: Sendable {
        /// Stored as sent. Carries the edit timestamp and the new revision, if the remote has revisions.
        case accepted(EditTimestamp, Revision?)
        /// Stored, but not as sent: the change holds what was stored.
        case altered(EditTimestamp, Change)
        /// The remote holds a newer version, which the next fetch returns.
        case conflict
        /// The change has a base, but the remote no longer holds the record, not even as a tombstone.
        case missing
        /// The remote rejects the change, for a reason.
        case refused(String)
        /// The remote does not accept this entity at all, for a reason. The record stays in the outbox.
        case entityRefused(String)
        /// Somebody else holds the record at the remote now. It stays in the outbox, and the next sync tries it again.
        case busy
        /// Not sent, or not answered for this record: it stays in the outbox and is tried again.
        case notSent
        /// Sent alone, and not answered, for a reason. It is sent again after the others. Once the remote accepts another
        /// change, this one is rejected if the setback may be the record's fault. If it fails again after all others,
        /// the sync ends with the setback's error.
        case failed(Setback)
    }

    /// Makes a receipt.
    public init(results: [Result], cursor: String?) {
        self.results = results
        self.cursor = cursor
    }
}
