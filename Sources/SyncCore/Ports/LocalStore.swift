/// The local database. Synchronous and throwing: one writer behind one lock, readers beside it.
///
/// Errors are `SyncError`, or `FieldError` where a value does not fit.
public protocol LocalStore: ModelStore {
    /// The entities that the store holds, parents before children.
    var entities: [EntityDescriptor] { get }
    /// Runs `body` in one transaction and commits it with full durability (or less, for `.pulled`). Rolls back on throw.
    func write<Result>(_ durability: Durability, body: (any StoreTransaction) throws -> Result) throws
        -> Result
    /// Runs `body` on one consistent snapshot.
    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result
    /// Takes the store's cross-process sync lease, or throws `busy`. Released when the returned value is closed.
    func lease() throws -> any StoreLease
    /// Calls `notify` with the present version at once, and after each commit that changed something: of this process at
    /// once, of others soon. It is called on any thread, must be quick, and must not use the store.
    func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription
}

/// How durable a commit must be before the call returns.
public enum Durability: Sendable {
    /// On disk: local writes, acknowledgements, sequence numbers.
    case full
    /// May be lost in a power cut: it can be pulled again.
    case pulled
    /// May be lost in a power cut itself, though nothing may that was committed before: a note of what has happened.
    case noted
}

/// A held cross-process lease.
public protocol StoreLease: Sendable {
    /// Gives the lease back. Idempotent.
    func close()
}

/// Reads of one consistent state.
public protocol StoreSnapshot {
    /// State, visibility and stamp without the value; nil when the key is unknown. Cheap.
    func header(entity: EntityDescriptor, key: RecordKey) throws -> RecordHeader?
    /// The local tree of one record; tombstones and merged ones included.
    func load(entity: EntityDescriptor, key: RecordKey) throws -> LocalRecord?
    /// A version kept beside the record: its base, the remote's, or a displaced one.
    func side(entity: EntityDescriptor, key: RecordKey, kind: SideKind) throws -> SyncRecord?
    /// Versions that the remote holds beside the shown one, in no order.
    func heads(entity: EntityDescriptor, key: RecordKey) throws -> [SyncRecord]
    /// Keys in a state, in key order, after `after`, at most `limit`.
    func keys(entity: EntityDescriptor, in state: SyncState, after: RecordKey?, limit: Int) throws
        -> [RecordKey]
    /// Names of the entities that have records in another state than `synced`. Cheap.
    func unclean() throws -> Set<String>
    /// Walks the records that wait to be pushed, tombstones or the others, in an order of the store's own, as long as `visit` returns true.
    func pending(
        entity: EntityDescriptor,
        areDeleted: Bool,
        visit: (PendingChange) throws -> Bool
    ) throws
    /// The remote's name for the state of a record that was taken in or acknowledged last; nil when the remote is not known
    /// to hold it, or names no states.
    func revision(entity: EntityDescriptor, key: RecordKey) throws -> Revision?
    /// Walks all records in key order (bytes), hidden ones only when asked for.
    func scan(
        entity: EntityDescriptor,
        includeHidden: Bool,
        visit: (LocalRecord) throws -> Void
    ) throws
    /// Keys of all records, merged ones included but no tombstones, that share the record's values of a `unique`
    /// list (position in `descriptor.unique`), itself included when stored. Empty when one of the values is null.
    func keysSharing(entity: EntityDescriptor, unique: Int, record: Record) throws -> [RecordKey]
    /// Those of the keys whose records the values of the first `unique` list concern beside others: which share them, had
    /// others merged into them, have heads or are deleted. Not those that stand alone, or are not known. Cheap.
    func grouped(entity: EntityDescriptor, among keys: [RecordKey]) throws -> [RecordKey]
    /// Names of the entities with records that `leaveUnchecked` left, and that `groupedInserts` has not looked at since.
    func unchecked() throws -> Set<String>
    /// Keys of tombstones that name a record as the one that they were merged into, in key order.
    func merged(entity: EntityDescriptor, into survivor: RecordKey) throws -> [RecordKey]
    /// Keys of live records whose reference field holds `parent`.
    func children(entity: EntityDescriptor, field: String, parent: RecordKey) throws -> [RecordKey]
    /// Keys of tombstones that follow from a parent's delete, and whose reference field holds `parent`.
    func buried(entity: EntityDescriptor, field: String, parent: RecordKey) throws -> [RecordKey]
    /// How many live records of an entity refer to a record that is not here, or is deleted.
    func orphans(entity: EntityDescriptor) throws -> Int
    /// Counts by state and visibility.
    func counts(entity: EntityDescriptor) throws -> EntityCounts
    /// The time of the oldest edit that waits to be pushed, by its mark; nil when none waits. Looks at those alone.
    func oldestPending(entity: EntityDescriptor) throws -> Timestamp?
    /// Records that meet a query, in its order. Throws `SyncError.noIndex` rather than walk all records.
    func query(entity: EntityDescriptor, query: StoreQuery) throws -> [LocalRecord]
    /// What all live records of an entity come to: the same on every device that shows the same, whatever the order. Nil until
    /// `refreshFingerprint` has looked at all that was written since it looked last.
    func fingerprint(entity: EntityDescriptor) throws -> Digest?
    /// A small named value of the store (device id, cursor, binding ...).
    func value(name: String) throws -> String?
    /// The last sequence number that was handed out; 0 before the first local edit. It tells whether anything was written.
    func lastSequence() throws -> Int64
    /// Journal entries, oldest first.
    func journal() throws -> [JournalEntry]
    /// Records that could not be taken in, or that the remote refused, oldest first.
    func rejections() throws -> [Rejection]
    /// What happened to a record, oldest first.
    func history(entity: EntityDescriptor, key: RecordKey) throws -> [HistoryEntry]
}

/// Reads and writes in one transaction.
public protocol StoreTransaction: StoreSnapshot {
    /// Names of the entities whose records were changed so far.
    var touched: Set<String> { get }
    /// Writes the local tree of a record.
    func save(entity: EntityDescriptor, record: LocalRecord) throws
    /// Writes a clean record straight from an upsert or delete of a page, without building the value first. `metadata` are
    /// those of the change, or those derived for it.
    /// Throws `FieldError` and writes nothing when a value does not fit.
    func save(entity: EntityDescriptor, change: Change, metadata: VersionMetadata) throws
    /// Writes a clean record as `save` of a change does, unless its key is known: then nothing is changed, and it is false.
    func insert(entity: EntityDescriptor, change: Change, metadata: VersionMetadata) throws -> Bool
    /// Leaves the records that this transaction has inserted by `insert` to be looked at later, be it by another process.
    func leaveUnchecked(_ entity: EntityDescriptor) throws
    /// As `grouped`, among the records that `insert` took in: in this transaction, and in earlier ones that left them
    /// unchecked. They are checked from then on. Cheaper than `grouped`, most of all for many. Records that only have heads
    /// may be left out, and others that share values with one of them may be named, too.
    func groupedInserts(_ entity: EntityDescriptor) throws -> [RecordKey]
    /// Marks a record as synced that is as it was sent and has no heads, and sets its revision where one is given. False when
    /// it is not: then nothing is changed. Versions kept with it stay.
    func acknowledge(entity: EntityDescriptor, sent: PendingChange, revision: Revision?) throws -> Bool
    /// Sets or forgets (nil) the remote's name for the state of a record. `save` of a local tree leaves it as it is.
    func setRevision(entity: EntityDescriptor, key: RecordKey, revision: Revision?) throws
    /// Forgets the revisions of all records of an entity.
    func forgetRevisions(_ entity: EntityDescriptor) throws
    /// Begins to note which records the remote holds: those that are given a revision from now on, and those of `hold`. What
    /// was noted before is forgotten. It lasts over transactions.
    func beginHeld(_ entity: EntityDescriptor) throws
    /// Notes that the remote holds a record, whatever its state there.
    func hold(entity: EntityDescriptor, key: RecordKey) throws
    /// Keys of records that were not noted since, tombstones included, in key order, after `after`, at most `limit`.
    func keysNotHeld(entity: EntityDescriptor, after: RecordKey?, limit: Int) throws -> [RecordKey]
    /// Forgets what was noted.
    func endHeld(_ entity: EntityDescriptor) throws
    /// Looks at records that were written since this looked last, and at those next to them, until it has looked at all or
    /// at so many.
    func refreshFingerprint(entity: EntityDescriptor, atMost rows: Int) throws
    /// Changes state, visibility or stamp only.
    func update(entity: EntityDescriptor, key: RecordKey, header: RecordHeader) throws
    /// Removes a record altogether (a create that nobody ever saw).
    func remove(entity: EntityDescriptor, key: RecordKey) throws
    /// Keeps or forgets (nil) a version beside the record.
    func setSide(entity: EntityDescriptor, key: RecordKey, kind: SideKind, version: SyncRecord?)
        throws
    /// Replaces the versions that the remote holds beside the shown one.
    func setHeads(entity: EntityDescriptor, key: RecordKey, heads: [SyncRecord]) throws
    /// The next sequence number of this device, from 1. Never handed out twice.
    func nextSequence() throws -> Int64
    /// Sets or forgets (nil) a small named value.
    func setValue(_ name: String, value: String?) throws
    /// Adds a journal entry; one with the same id stays as it is.
    func addJournal(_ entry: JournalEntry) throws
    /// Removes a journal entry.
    func removeJournal(_ id: String) throws
    /// Adds or replaces a rejection.
    func setRejection(_ rejection: Rejection) throws
    /// Removes the rejection of a record.
    func removeRejection(entity: String, key: RecordKey) throws
    /// Adds to a record's history.
    func addHistory(entity: EntityDescriptor, key: RecordKey, entry: HistoryEntry) throws
}

/// A change that waits to be pushed, and what the store knows of its record beside it.
public struct PendingChange: Sendable {
    /// The change: its base is the remote's state that was seen last, and it replaces the version that it was made on.
    public var change: Change
    /// Finds the record again, in the store that gave it.
    public var handle: RecordHandle
    /// Whether versions that are not shown are kept beside the record.
    public var hasHeads: Bool
    /// Whether a base stands beside the record: false for a create.
    public var hasBase: Bool
    /// Whether it is an edit: false where only joined times are to be published.
    public var isEdit: Bool

    /// Makes one.
    public init(change: Change, handle: RecordHandle, hasHeads: Bool, hasBase: Bool, isEdit: Bool) {
        self.change = change
        self.handle = handle
        self.hasHeads = hasHeads
        self.hasBase = hasBase
        self.isEdit = isEdit
    }
}

/// Finds a record again faster than its key does. Only the store that gave it knows how, and only as long as the record is
/// not removed.
public struct RecordHandle: Sendable, Hashable {
    package let number: Int64

    /// Makes a handle of a number of the store's own.
    public init(_ number: Int64) {
        self.number = number
    }
}

/// A record without its value.
public struct RecordHeader: Sendable, Hashable {
    /// Where it stands towards the remote.
    public var state: SyncState
    /// Whether it is shown.
    public var visibility: LocalRecord.Visibility
    /// Whether other versions are kept beside it.
    public var hasHeads: Bool
    /// Mark, vector and finer marks.
    public var metadata: VersionMetadata

    /// Makes a header.
    public init(
        state: SyncState,
        visibility: LocalRecord.Visibility,
        hasHeads: Bool,
        metadata: VersionMetadata
    ) {
        self.state = state
        self.visibility = visibility
        self.hasHeads = hasHeads
        self.metadata = metadata
    }
}

/// Versions kept beside a record that is not clean.
public enum SideKind: Int64, Sendable, Hashable, CaseIterable {
    /// What both sides last agreed on.
    case base = 0
    /// What the remote says now, while the record is in conflict.
    case remote = 1
    /// The last version that was written here of a record that another device merged into one that is not here yet.
    case displaced = 2
    /// The remote's version with the same content, where only joined times are still to be published.
    case agreed = 3
}

/// Counts of one entity.
public struct EntityCounts: Sendable, Hashable {
    /// Live records.
    public var records = 0
    /// Waiting to be pushed, tombstones included.
    public var pending = 0
    /// In conflict.
    public var conflicts = 0
    /// Refused by the remote, or refused by us on the way in.
    public var rejected = 0
    /// Tombstones.
    public var deleted = 0

    /// Counts of nothing.
    public init() {}
}

/// An automatic decision and the value that lost it.
public struct JournalEntry: Sendable, Hashable {
    /// A stable id that follows from the two versions, so that one decision is written once.
    public var id: String
    /// When the decision was made.
    public var at: Timestamp
    /// The rule that decided, for example `last-write-wins`.
    public var rule: String
    /// The version that was kept.
    public var kept: SyncRecord
    /// The version that lost.
    public var lost: SyncRecord

    /// Makes an entry.
    public init(id: String, at: Timestamp, rule: String, kept: SyncRecord, lost: SyncRecord) {
        self.id = id
        self.at = at
        self.rule = rule
        self.kept = kept
        self.lost = lost
    }
}

/// A record that the remote refused, or that could not be taken in.
public struct Rejection: Sendable, Hashable {
    /// The entity's name, as it came.
    public var entity: String
    /// The key, as it came.
    public var key: RecordKey
    /// Why.
    public var reason: String
    /// How often it was tried.
    public var attempts: Int
    /// The bytes that could not be taken in; nil when the remote refused a local record, and empty once that is sent again
    /// and the remote has not answered yet.
    public var raw: [UInt8]?
    /// When it happened first.
    public var since: Timestamp

    /// Makes a rejection.
    public init(
        entity: String,
        key: RecordKey,
        reason: String,
        attempts: Int,
        raw: [UInt8]?,
        since: Timestamp
    ) {
        self.entity = entity
        self.key = key
        self.reason = reason
        self.attempts = attempts
        self.raw = raw
        self.since = since
    }

    /// Whether the record waits for another answer. It is not rejected then, but tries so far are remembered.
    public var isTriedAgain: Bool { raw?.isEmpty == true }
}

extension StoreSnapshot {
    /// What was rejected and is not on its way again.
    public func standingRejections() throws -> [Rejection] { try rejections().filter { !$0.isTriedAgain } }
}

extension StoreTransaction {
    /// Forgets that the remote refused a record. What could not be taken in stays.
    public func forgetRefusal(entity: String, key: RecordKey) throws {
        let rejection = try rejections().first { $0.entity == entity && $0.key == key }
        guard let rejection, rejection.raw == nil || rejection.isTriedAgain else { return }
        try removeRejection(entity: entity, key: key)
    }

    /// Notes that a refused record is sent again. Its reason, the time and the number of tries stay until it is answered.
    public func tryAgain(entity: String, key: RecordKey) throws {
        // NB: bytes that could not be taken in stay: they are the remote's, and no answer to this device's edit.
        guard var rejection = try rejections().first(where: { $0.entity == entity && $0.key == key }),
            rejection.raw == nil
        else { return }
        rejection.raw = []
        try setRejection(rejection)
    }
}

/// One thing that happened to a record.
public struct HistoryEntry: Sendable, Hashable {
    /// When.
    public var at: Timestamp
    /// What: `merged`, `conflict`, `resolved`, `restored`, `agreed` ...
    public var event: String
    /// The rule and the marks, in words.
    public var detail: String

    /// Makes an entry.
    public init(at: Timestamp, event: String, detail: String) {
        self.at = at
        self.event = event
        self.detail = detail
    }
}
