/// A remote: a folder, a server, anything that holds versions of records.
///
/// One sync opens a session, fetches pages until there are none, and pushes. A backend keeps no state between
/// sessions but what it is given: cursor, intent and binding are opaque to everyone else and live in the store.
public protocol RemoteBackend: Sendable {
    /// Checks that this is the remote that the store is bound to, and opens a session.
    /// Throws `wrongRemote`, `unreachable`, `notPermitted` or `inputOutput`.
    func open(_ request: SessionRequest) async throws -> any RemoteSession
    /// Says when something may have changed at the remote, for as long as it is read; nil for a remote that says nothing.
    /// Ends with an error only when the remote does not permit it.
    func hints() -> AsyncThrowingStream<Void, any Error>?
    /// The account may be used again, by credentials that were given anew or by rights that came back.
    func accountResumed() async
    /// What the remote's last answers told besides records.
    func conditions() async -> RemoteConditions
}

extension RemoteBackend {
    /// A remote that says nothing.
    public func hints() -> AsyncThrowingStream<Void, any Error>? { nil }

    /// A remote that holds nothing against an account.
    public func accountResumed() async {}

    /// Nothing: a remote without a clock, which asks nobody to wait.
    public func conditions() async -> RemoteConditions { RemoteConditions() }
}

/// What a remote's answers tell besides records.
public struct RemoteConditions: Sendable, Hashable {
    /// By how many seconds the remote's clock is ahead of this device's; nil when not known.
    public var clockSkewSeconds: Double?
    /// When the remote is to be asked again at the earliest; nil when it did not say.
    public var notBefore: Timestamp?
    /// Requests made so far, over all syncs; 0 for a remote that is no server.
    public var requests: Int

    /// Tells nothing, unless told otherwise.
    public init(clockSkewSeconds: Double? = nil, notBefore: Timestamp? = nil, requests: Int = 0) {
        self.clockSkewSeconds = clockSkewSeconds
        self.notBefore = notBefore
        self.requests = requests
    }
}

/// One sync's conversation with a remote.
public protocol RemoteSession: Sendable {
    /// What the store must know or do before anything else.
    var greeting: SessionGreeting { get }
    /// The next page, or nil when all was fetched. Pages may be large; they are applied one by one. After a push there
    /// may be more.
    func fetch() async throws -> RemotePage?
    /// How much the next push may hold. A remote that finds a push too large lowers it.
    func pushLimit() async -> PushLimit
    /// Requests made so far; 0 for a remote that is no server.
    func requests() async -> Int
    /// Turns changes into something that can be sent, and says how to recognise it later. Sends nothing.
    func prepare(_ changes: [OutgoingChange], cursor: String?) async throws -> PreparedPush
    /// Sends what was prepared. Sending it twice changes nothing.
    func push(_ prepared: PreparedPush) async throws -> PushReceipt
    /// Whether this store has seen all that the remote shows, so that what it holds can be compared with others.
    func comparesRecords(cursor: String?) async throws -> Bool
    /// Compares what this store holds with what others that have seen as much say that they hold: fingerprints of the
    /// live records, by entity. Returns the differences.
    func compare(_ records: [String: Digest], cursor: String?) async throws -> [RemoteProblem]
    /// Ends the session; `cursor` is the last one that the store saved. Housekeeping such as compaction happens here.
    func close(cursor: String?) async throws
}

extension RemoteSession {
    /// Everything in one push.
    public func pushLimit() async -> PushLimit { .none }

    /// None: not a server.
    public func requests() async -> Int { 0 }

    /// Nothing is compared.
    public func comparesRecords(cursor: String?) async throws -> Bool { false }

    /// No difference.
    public func compare(_ records: [String: Digest], cursor: String?) async throws -> [RemoteProblem] { [] }
}

/// What a session needs to know of the store.
public struct SessionRequest: Sendable {
    /// The store's incarnation.
    public var device: DeviceID
    /// A name for people, never compared.
    public var label: String
    /// The entities that the store holds.
    public var entities: [EntityDescriptor]
    /// What `SessionGreeting.binding` was at the last sync; nil if the store never synced.
    public var binding: String?
    /// The last saved cursor; nil to fetch everything.
    public var cursor: String?
    /// The intent of a push that was not acknowledged, if any.
    public var intent: String?
    /// Whether to accept another remote than the bound one (`--rejoin`).
    public var rejoin: Bool
    /// Whether nothing may be written (`--dry-run`).
    public var readOnly: Bool
    /// Incarnations that the store had before.
    public var former: [DeviceID] = []
    /// What the full state of the remote is compared for at the first sync of a new incarnation
    /// (`IncarnationRenewal.comparing`); nil where nothing is.
    public var comparing: RemotePage.Absence?
    /// Whether what the remote has lost is published again at once, though it may be on its way.
    public var replacesLosses = false

    /// Makes a request.
    public init(
        device: DeviceID,
        label: String,
        entities: [EntityDescriptor],
        binding: String?,
        cursor: String?,
        intent: String?,
        rejoin: Bool = false,
        readOnly: Bool = false
    ) {
        self.device = device
        self.label = label
        self.entities = entities
        self.binding = binding
        self.cursor = cursor
        self.intent = intent
        self.rejoin = rejoin
        self.readOnly = readOnly
    }
}

/// What a remote says when a session opens.
public struct SessionGreeting: Sendable {
    /// What identifies the remote and this store's place in it. Saved before the first push.
    public var binding: String
    /// Whether entries stand under this store's incarnation that it did not write: it is a copy, and must take a new one.
    public var isCopy: Bool
    /// The highest sequence of this incarnation that the remote holds.
    public var ownSequence: Int64
    /// How the store takes a new incarnation, where it must; `isCopy` alone stands for one without doubts.
    public var renewal: IncarnationRenewal?

    /// Makes a greeting.
    public init(
        binding: String,
        isCopy: Bool = false,
        ownSequence: Int64 = 0,
        renewal: IncarnationRenewal? = nil
    ) {
        self.binding = binding
        self.isCopy = isCopy || renewal != nil
        self.ownSequence = ownSequence
        self.renewal = renewal
    }
}

/// What a page claims to be. Absence means something only in a complete snapshot.
public enum PageKind: Sendable, Hashable {
    /// Changes since the cursor.
    case delta
    /// The present state of the named entities, over one page or more, from the first to the one that completes it.
    /// Records of these entities that no page held are gone from the remote.
    case snapshot(entities: [String], isFirst: Bool, isComplete: Bool)
}

/// A remote's name for one state of a record. Opaque: only the remote that gave it can compare it.
public struct Revision: Sendable, Hashable {
    /// The name as the remote writes it.
    public var text: String

    /// Wraps a name.
    public init(_ text: String) {
        self.text = text
    }
}

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

/// Bytes of many records with a header for each.
public struct RemotePage: Sendable {
    /// Delta or snapshot.
    public var kind: PageKind
    /// The bytes that the items point into.
    public var bytes: [UInt8]
    /// The records, in the order in which to apply them.
    public var items: [RemoteItem]
    /// The cursor to save in the same transaction as the items.
    public var cursor: String
    /// What was skipped and why. It makes the sync `partial`.
    public var problems: [RemoteProblem]
    /// What it means for a record that no page of a snapshot held it.
    public var absence = Absence.deleted
    /// Whether the backend has seen that all bodies are UTF-8; others are looked at when they are taken in.
    package var isText = false

    /// What it means for a record that no page of a snapshot held it.
    public enum Absence: String, Sendable, Hashable, CaseIterable {
        /// It was deleted, and its tombstone was dropped.
        case deleted
        /// The remote has lost it: who holds it publishes it again.
        case lost
    }

    /// Makes a page.
    public init(
        kind: PageKind = .delta,
        bytes: [UInt8],
        items: [RemoteItem],
        cursor: String,
        problems: [RemoteProblem] = []
    ) {
        self.kind = kind
        self.bytes = bytes
        self.items = items
        self.cursor = cursor
        self.problems = problems
    }
}

/// The header of one record of a page.
public struct RemoteItem: Sendable {
    /// The entity's name.
    public var entity: String
    /// The record's key.
    public var key: RecordKey
    /// Upsert, delete or out of scope.
    public var kind: Kind
    /// The survivor, when a tombstone names one.
    public var mergedInto: RecordKey?
    /// Mark, vector and finer marks.
    public var stamp: Stamp
    /// The remote's name for this state of the record; nil where a remote has none. The next push names it as its base.
    public var revision: Revision?
    /// The wire object, as a range of the page's bytes.
    public var body: Range<Int>

    /// What the item says of the record.
    public enum Kind: Sendable, Hashable {
        case upsert, delete
        /// The record left what this store may see: evict it if clean, keep it if dirty. Never a tombstone.
        case outOfScope
    }

    /// Makes an item.
    public init(
        entity: String,
        key: RecordKey,
        kind: Kind,
        mergedInto: RecordKey? = nil,
        stamp: Stamp,
        revision: Revision? = nil,
        body: Range<Int>
    ) {
        self.entity = entity
        self.key = key
        self.kind = kind
        self.mergedInto = mergedInto
        self.stamp = stamp
        self.revision = revision
        self.body = body
    }
}

/// Something that a remote holds and that could not be believed.
public struct RemoteProblem: Sendable, Hashable {
    /// A stable id, for example `torn-segment`.
    public var rule: String
    /// Where, relative to the remote's root.
    public var place: String
    /// One sentence for a person.
    public var message: String
    /// Whether it makes the sync partial; a stray foreign file does not.
    public var isSerious: Bool

    /// Makes a problem.
    public init(rule: String, place: String, message: String, isSerious: Bool) {
        self.rule = rule
        self.place = place
        self.message = message
        self.isSerious = isSerious
    }

    /// Makes a problem whose sentence names other things at a command line than in an app.
    package init(rule: String, place: String, message: String, commandLineMessage: String, isSerious: Bool) {
        self.init(rule: rule, place: place, message: message, isSerious: isSerious)
        self.commandLineMessage = commandLineMessage
    }

    /// The sentence for a person at a command line, where it differs from `message`.
    package var commandLineMessage: String?
}

/// One version on its way to the remote.
public struct OutgoingChange: Sendable {
    /// The entity's name.
    public var entity: String
    /// The record's key.
    public var key: RecordKey
    /// Whether it is a tombstone.
    public var isDeleted: Bool
    /// The survivor, when the tombstone names one.
    public var mergedInto: RecordKey?
    /// Mark, vector and finer marks.
    public var stamp: Stamp
    /// Marks of the remote's versions that this one replaces; empty for a create.
    public var replaces: [EditMark]
    /// The remote's state of the record that was seen last; nil when it is not known to hold the record.
    public var base: Revision?
    /// The wire object.
    public var body: [UInt8]

    /// Makes a change.
    public init(
        entity: String,
        key: RecordKey,
        isDeleted: Bool,
        mergedInto: RecordKey?,
        stamp: Stamp,
        replaces: [EditMark],
        base: Revision? = nil,
        body: [UInt8]
    ) {
        self.entity = entity
        self.key = key
        self.isDeleted = isDeleted
        self.mergedInto = mergedInto
        self.stamp = stamp
        self.replaces = replaces
        self.base = base
        self.body = body
    }
}

/// A push that is ready to be sent.
public struct PreparedPush: Sendable {
    /// How to recognise it after a crash. Saved before it is sent.
    public var intent: String
    /// The changes in it, in order.
    public var changes: [OutgoingChange]
    /// The bytes to send.
    public var payload: [UInt8]

    /// Makes a prepared push.
    public init(intent: String, changes: [OutgoingChange], payload: [UInt8]) {
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
        case accepted(EditMark, Revision?)
        /// Stored, but not as sent: the item says how, its body a range of the bytes.
        case altered(EditMark, RemoteItem, [UInt8])
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
