/// The local database. Synchronous and throwing: one writer behind one lock, and concurrent readers.
///
/// Errors are `SyncError`, or `FieldError` where a value does not fit.
package protocol LocalStore: ModelStore {
    /// The entities that the store holds, parents before children.
    var entities: [EntityDescriptor] { get }
    /// Runs `body` in one transaction and commits it with the given durability. Rolls back if `body` throws.
    func write<Result>(_ durability: Durability, body: (any StoreTransaction) throws -> Result) throws
        -> Result
    /// Whether the present write, which has written so many records, should end and go on in another transaction, because
    /// a thread of this process waits to write, or has waited lately. Those that wait get their turn before it.
    func isAwaited(after records: Int) -> Bool
    /// Runs `body` on one consistent snapshot.
    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result
    /// Takes the store's cross-process sync lease, or throws `busy`. Closing the returned value releases it.
    func lease() throws -> any StoreLease
    /// Calls `notify` at once with the present version, and after each commit that changes something: immediately for
    /// commits of this process, soon for those of other processes. `notify` is called on any thread, must be quick,
    /// and must not use the store.
    func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription
    /// Copies the store as it is now into a file, while it is in use. Replaces an earlier backup once the new one is whole,
    /// and refuses any other file. `progress` gets the part that is copied, from 0 to 1; if it throws, the backup is given
    /// up.
    func backup(to path: String, at time: Timestamp, progress: (_ part: Double) throws -> Void) throws
    /// Overwrites what removed records of these entities have left in the store's file: words in full-text indexes,
    /// free pages, and the log as far as nobody reads it.
    func overwriteRemains(of entities: [EntityDescriptor]) throws
    /// The store's file, for another reader in this process. Throws `usage` if the store is not a file.
    func sharedFile() throws -> any SharedStoreFile
}

/// A store's file that somebody in this process reads beside the store. As long as it is shared, nothing replaces it.
package protocol SharedStoreFile: Sendable {
    /// Where it is.
    var path: String { get }
    /// Ends the sharing. Call it once the reader's last connection is closed. Idempotent; releasing the last reference
    /// does the same.
    func release()
}

extension LocalStore {
    /// Nobody waits.
    package func isAwaited(after records: Int) -> Bool { false }

    /// A store that is no file cannot be shared.
    package func sharedFile() throws -> any SharedStoreFile { throw SyncError.storeWithoutSQL() }

    /// A store that is no file keeps no remains.
    package func overwriteRemains(of entities: [EntityDescriptor]) throws {}

    /// A store that is no file cannot be copied.
    package func backup(to path: String, at time: Timestamp, progress: (_ part: Double) throws -> Void) throws
    {
        throw SyncError(
            kind: .usage,
            message: "This store cannot be copied into a file.",
            help: "Export its records instead."
        )
    }
}

/// How durable a commit must be when the call returns.
package enum Durability: Sendable {
    /// On disk. For local writes, acknowledgements and sequence numbers.
    case full
    /// May be lost on power failure, together with what follows it. For local writes of an app that chose so. What is sent is
    /// on disk nonetheless: the note of what is about to be sent is `full`, and all commits before it are on disk then.
    case written
    /// May be lost on power failure: it can be pulled again.
    case pulled
    /// This commit may be lost on power failure; earlier commits may not. For notes about what has happened.
    case noted
}

/// A cross-process lease.
package protocol StoreLease: Sendable {
    /// Gives the lease back. Idempotent.
    func close()
}

/// Reads of one consistent state.
package protocol StoreSnapshot {
    /// The store's identity. Models that are read have it, and with it they can be saved.
    var storeID: StoreID { get }
    /// State, visibility and metadata without the value; nil if the key is unknown. Cheap.
    func header(entity: EntityDescriptor, key: RecordKey) throws -> RecordHeader?
    /// The local version of one record, tombstones and merged records included.
    func load(entity: EntityDescriptor, key: RecordKey) throws -> LocalRecord?
    /// A version kept with the record: its base, the remote's, or a displaced one.
    func side(entity: EntityDescriptor, key: RecordKey, kind: SideKind) throws -> SyncRecord?
    /// The heads of the remote other than the shown version, in no order.
    func heads(entity: EntityDescriptor, key: RecordKey) throws -> [SyncRecord]
    /// Keys of records in a state, in key order, after `after`, at most `limit`.
    func keys(entity: EntityDescriptor, in state: SyncState, after: RecordKey?, limit: Int) throws
        -> [RecordKey]
    /// Names of the entities that have records in a state other than `synced`. Cheap.
    func unclean() throws -> Set<String>
    /// How many records are in a state other than `synced`, by the name of each entity that the store holds and no
    /// schema describes; without entities that have none.
    func uncleanWithoutSchema() throws -> [String: Int]
    /// Visits the records that wait to be pushed, either tombstones or the others, in the order of their handles, while
    /// `visit` returns true. `after`: only those behind this one.
    func pending(
        entity: EntityDescriptor,
        areDeleted: Bool,
        after: RecordHandle?,
        visit: (PendingChange) throws -> Bool
    ) throws
    /// The revision of the record's state that was taken in or acknowledged last. Nil if the remote is not known to
    /// hold the record, or has no revisions.
    func revision(entity: EntityDescriptor, key: RecordKey) throws -> Revision?
    /// Visits all records in key order (by bytes). Hidden records are visited only on request.
    func scan(
        entity: EntityDescriptor,
        includeHidden: Bool,
        visit: (LocalRecord) throws -> Void
    ) throws
    /// Keys of all records that share the record's values of a `unique` list (a position in `descriptor.unique`):
    /// merged records and the record itself included, tombstones not. Empty if one of the values is null.
    func keysSharing(entity: EntityDescriptor, unique: Int, record: Record) throws -> [RecordKey]
    /// Of the given keys, those that a unique conflict may concern: their records share their first `unique` values
    /// with another record, had others merged into them, have heads, or are deleted. Unknown keys are left out.
    /// Cheap.
    func grouped(entity: EntityDescriptor, among keys: [RecordKey]) throws -> [RecordKey]
    /// The same of all records, except that some that merely have heads may be missing.
    func grouped(entity: EntityDescriptor) throws -> [RecordKey]
    /// Entities with records that `leaveUnchecked` left and `groupedInserts` has not checked since.
    func unchecked() throws -> Set<String>
    /// Keys of tombstones that were merged into `survivor`, in key order.
    func merged(entity: EntityDescriptor, into survivor: RecordKey) throws -> [RecordKey]
    /// Keys of synced tombstones of edits before an instant, in no order, at most `limit`: without those that are
    /// rejected, or have other versions kept with them. Cheap.
    func tombstones(entity: EntityDescriptor, before time: Timestamp, limit: Int) throws -> [RecordKey]
    /// Keys of live records that hold the key `parent` by a reference of theirs.
    func children(entity: EntityDescriptor, reference: ReferenceDescriptor, parent: RecordKey) throws
        -> [RecordKey]
    /// Keys of tombstones that a parent's delete caused, and that hold the key `parent` by a reference of theirs.
    func tombstonedChildren(entity: EntityDescriptor, reference: ReferenceDescriptor, parent: RecordKey)
        throws
        -> [RecordKey]
    /// Keys of live records with references that deletes have cleared (`FieldTimestamps.cleared`). Cheap.
    func cleared(entity: EntityDescriptor) throws -> [RecordKey]
    /// How many live records refer to a record that is unknown here or deleted, though their schema does not let them
    /// keep such a reference. References to the entities `ignored` do not count.
    func orphans(entity: EntityDescriptor, ignoring ignored: Set<String>) throws -> Int
    /// Counts by state and visibility.
    func counts(entity: EntityDescriptor) throws -> EntityCounts
    /// The time of the oldest edit that waits to be pushed; nil if none waits. Reads only pending records.
    func oldestPending(entity: EntityDescriptor) throws -> Timestamp?
    /// Records that match a query, in its order. Throws `SyncError.noIndex` instead of walking all records.
    func query(entity: EntityDescriptor, query: StoreQuery) throws -> [LocalRecord]
    /// The records that match a query, by the values of a field, in their order; one group of all without a field. The
    /// query's order and limit make no difference. Throws as `query` does.
    func groups(
        entity: EntityDescriptor,
        query: StoreQuery,
        by field: String?,
        computing aggregates: [StoreAggregate]
    ) throws -> [StoreGroup]
    /// The live records that a full-text search finds, best first. Throws `noSearch` if the schema asks for none.
    func search(entity: EntityDescriptor, search: StoreSearch) throws -> [StoreHit]
    /// A digest over all live records of an entity. It does not depend on order: devices that show the same records
    /// have the same digest. Nil until `refreshFingerprint` has processed all writes since it last ran.
    func fingerprint(entity: EntityDescriptor) throws -> Digest?
    /// A small named value of the store (device id, cursor, binding ...).
    func value(name: String) throws -> String?
    /// The last sequence number that was handed out; 0 before the first local edit. It rises with each local edit.
    func lastSequence() throws -> Int64
    /// Journal entries, oldest first. Calls `onDamage` with the error of each that cannot be read, and leaves it out.
    func journal(onDamage: (SyncError) throws -> Void) throws -> [JournalEntry]
    /// Records that could not be taken in, or that the remote rejected, oldest first.
    func rejections() throws -> [Rejection]
    /// The rejection of a record; nil if there is none. Cheap where there are hardly any.
    func rejection(entity: String, key: RecordKey) throws -> Rejection?
    /// Keys of an entity's records that are set aside, because they cannot be read with its schema, in key order.
    func setAside(_ entity: EntityDescriptor) throws -> [RecordKey]
    /// The records of all entities that are set aside, each with what is wrong with it.
    func setAsideRecords() throws -> [Rejection]
    /// What happened to a record, oldest first.
    func history(entity: EntityDescriptor, key: RecordKey) throws -> [HistoryEntry]
}

extension StoreSnapshot {
    /// How many live records refer to a record that is unknown here or deleted, whatever the remote shows.
    package func orphans(entity: EntityDescriptor) throws -> Int { try orphans(entity: entity, ignoring: []) }

    /// Journal entries, oldest first. Throws if one of them cannot be read.
    package func journal() throws -> [JournalEntry] { try journal { throw $0 } }
}

/// Reads and writes in one transaction.
package protocol StoreTransaction: StoreSnapshot {
    /// Names of the entities whose records were changed so far.
    var touched: Set<String> { get }
    /// Writes the local version of a record.
    func save(entity: EntityDescriptor, record: LocalRecord) throws
    /// Writes a clean record straight from an upsert or a delete of a page, without building the value first.
    /// `metadata` is the change's own, or derived for it. Throws `FieldError` and writes nothing if a value does not
    /// fit.
    func save(entity: EntityDescriptor, change: Change, metadata: VersionMetadata) throws
    /// Writes a clean record as `save` of a change does, but only if its key is unknown. Returns whether it did.
    func insert(entity: EntityDescriptor, change: Change, metadata: VersionMetadata) throws -> Bool
    /// Leaves the records that this transaction inserted with `insert` to a later check, perhaps by another process.
    func leaveUnchecked(_ entity: EntityDescriptor) throws
    /// Like `grouped`, for the records that `insert` took in: in this transaction, and in earlier ones that left them
    /// unchecked. It counts as their check. Cheaper than `grouped`, above all for many records. Records that merely
    /// have heads may be missing from the result, and records that share values with an inserted one may be in it.
    func groupedInserts(_ entity: EntityDescriptor) throws -> [RecordKey]
    /// Marks a record as synced if it is still as it was sent and has no heads, and sets its revision if one is
    /// given. Otherwise changes nothing and returns false. Versions kept with the record stay.
    func acknowledge(entity: EntityDescriptor, sent: PendingChange, revision: Revision?) throws -> Bool
    /// Sets or clears (nil) the remote's revision of a record. `save` of a local version does not change it.
    func setRevision(entity: EntityDescriptor, key: RecordKey, revision: Revision?) throws
    /// Forgets the revisions of all records of an entity.
    func forgetRevisions(_ entity: EntityDescriptor) throws
    /// Begins to note which records the remote holds: those that get a revision from now on, and those passed to
    /// `noteInSnapshot`. Clears earlier notes. The notes outlast the transaction.
    func beginSnapshot(_ entity: EntityDescriptor) throws
    /// Notes that the remote holds a record, in whatever state.
    func noteInSnapshot(entity: EntityDescriptor, key: RecordKey) throws
    /// Keys of records that were not noted since `beginSnapshot`, tombstones included: in key order, after `after`,
    /// at most `limit`. Records that no remote can know are left out unless `includingUnknown`: they are pending, and
    /// have no revision, no heads and no other version.
    func keysMissingFromSnapshot(
        entity: EntityDescriptor,
        includingUnknown: Bool,
        after: RecordKey?,
        limit: Int
    ) throws -> [RecordKey]
    /// Clears the notes.
    func endSnapshot(_ entity: EntityDescriptor) throws
    /// Brings the fingerprint up to date with records written since the last call. Stops after `rows` records. Returns how
    /// many it has read.
    @discardableResult
    func refreshFingerprint(entity: EntityDescriptor, atMost rows: Int) throws -> Int
    /// Changes only state, visibility or metadata.
    func update(entity: EntityDescriptor, key: RecordKey, header: RecordHeader) throws
    /// Removes a record completely: a create that no other device has ever seen, or an old tombstone.
    func remove(entity: EntityDescriptor, key: RecordKey) throws
    /// Stores or removes (nil) a version that is kept with the record.
    func setSide(entity: EntityDescriptor, key: RecordKey, kind: SideKind, version: SyncRecord?)
        throws
    /// Replaces the heads that are kept with the record.
    func setHeads(entity: EntityDescriptor, key: RecordKey, heads: [SyncRecord]) throws
    /// The next sequence number of this device, from 1. No number is handed out twice.
    func nextSequence() throws -> Int64
    /// Sets or removes (nil) a small named value.
    func setValue(_ name: String, value: String?) throws
    /// Adds a journal entry. An existing one with the same id stays as it is.
    func addJournal(_ entry: JournalEntry) throws
    /// Removes a journal entry.
    func removeJournal(_ id: String) throws
    /// Adds or replaces a rejection.
    func setRejection(_ rejection: Rejection) throws
    /// Removes the rejection of a record. `seenBy`: unless it holds a version that could not be taken in and that this
    /// vector does not cover; nil removes it in any case.
    func removeRejection(entity: String, key: RecordKey, seenBy vector: VersionVector?) throws
    /// Adds to a record's history.
    func addHistory(entity: EntityDescriptor, key: RecordKey, entry: HistoryEntry) throws
}

/// A record without its value.
package struct RecordHeader: Sendable, Hashable {
    /// Its sync state.
    package var state: SyncState
    /// Whether it is shown.
    package var visibility: LocalRecord.Visibility
    /// Whether other versions are kept with it.
    package var hasHeads: Bool
    /// Edit timestamp, version vector and field timestamps.
    package var metadata: VersionMetadata

    /// Makes a header.
    package init(
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

/// Versions that are kept with a record that is not clean.
package enum SideKind: Int64, Sendable, Hashable, CaseIterable {
    /// The version that both sides last agreed on.
    case base = 0
    /// The remote's present version, while the record is in conflict.
    case remote = 1
    /// The last local version of a record that another device merged into one that is not here yet.
    case displaced = 2
    /// The remote's version with the same content, if only joined timestamps remain to be published.
    case agreed = 3
    /// The other side of a conflict, while it waits to be sent.
    case unsent = 4
}

/// Counts of one entity.
public struct EntityCounts: Sendable, Hashable {
    /// Live records.
    public var records = 0
    /// Waiting to be pushed, tombstones included.
    public var pending = 0
    /// In conflict.
    public var conflicts = 0
    /// Rejected by the remote, or by this device on the way in.
    public var rejected = 0
    /// Tombstones.
    public var deleted = 0

    /// Counts of nothing.
    public init() {}
}

/// An automatic decision and the value that it took away.
package struct JournalEntry: Sendable, Hashable {
    /// A stable id derived from the two versions, so that one decision is written once.
    package var id: String
    /// When the decision was made.
    package var at: Timestamp
    /// The rule that decided, for example `last-write-wins`.
    package var rule: String
    /// The version that was kept.
    package var kept: SyncRecord
    /// The version that lost.
    package var lost: SyncRecord

    /// Makes an entry.
    package init(id: String, at: Timestamp, rule: String, kept: SyncRecord, lost: SyncRecord) {
        self.id = id
        self.at = at
        self.rule = rule
        self.kept = kept
        self.lost = lost
    }
}

/// One thing that happened to a record.
package struct HistoryEntry: Sendable, Hashable {
    /// When.
    package var at: Timestamp
    /// What: `merged`, `conflict`, `resolved`, `restored`, `agreed` ...
    package var event: String
    /// The rule and the edit timestamps, in words.
    package var detail: String

    /// Makes an entry.
    package init(at: Timestamp, event: String, detail: String) {
        self.at = at
        self.event = event
        self.detail = detail
    }
}
