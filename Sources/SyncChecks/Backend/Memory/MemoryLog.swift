import Foundation
import SyncCore

/// The data and the decisions of a minimal server: one version per record, increasing revisions, tombstones,
/// and the last batch of each device.
///
/// It follows the port's documentation. Each deliberate flaw is located where a real server would have it.
struct MemoryLog: Sendable {
    /// The history to which revisions and cursors belong.
    var epoch: String
    let entities: [EntityDescriptor]
    let limits: MemoryLimits
    let flaws: Set<MemoryFlaw>
    /// The highest revision.
    private(set) var head: Int64 = 0
    /// The highest revision of a purged tombstone. Older cursors need a snapshot.
    private var floor: Int64 = 0
    private var rows: [RecordID: Row] = [:]
    private var batches: [DeviceID: String] = [:]

    /// The only version of a record.
    struct Row: Sendable {
        var change: Change
        var revision: Int64
    }

    init(epoch: String, entities: [EntityDescriptor], limits: MemoryLimits, flaws: Set<MemoryFlaw>) {
        (self.epoch, self.entities, self.limits, self.flaws) = (epoch, entities, limits, flaws)
    }

    /// The start of a session: the cursor if it is valid, otherwise a snapshot. Throws `wrongRemote` if the
    /// binding or the cursor belongs to another history.
    func start(request: SessionRequest) throws -> MemoryCursor {
        let isForeign = request.binding.map { $0 != epoch } ?? false
        guard !isForeign || request.rejoin || flaws.contains(.acceptsOtherHistories) else {
            throw MemoryDiagnostics.wrongRemote
        }
        let names = Set(request.entities.map(\.name))
        let fresh = MemoryCursor(
            epoch: epoch,
            entities: names,
            snapshot: head,
            batch: batches[request.device]
        )
        guard !request.rejoin, let text = request.cursor else { return fresh }
        guard let cursor = MemoryCursor(text: text, entities: names) else {
            return flaws.contains(.takesBrokenCursorsForNew) ? fresh.moved(to: head) : fresh
        }
        return try renewed(cursor: cursor, names: names)
    }

    /// The cursor, or a new one for a snapshot if the log cannot continue from it.
    private func renewed(cursor: MemoryCursor, names: Set<String>) throws -> MemoryCursor {
        if !flaws.contains(.acceptsOtherHistories), !flaws.contains(.pagesByTime) {
            // This revision was never assigned, so the log was rolled back.
            guard cursor.epoch == epoch, cursor.position <= head else { throw MemoryDiagnostics.wrongRemote }
        }
        var isExpired = cursor.position < floor && cursor.snapshot == nil
        if let start = cursor.snapshot {
            isExpired = start < floor && !flaws.contains(.keepsExpiredSnapshots)
        }
        if flaws.contains(.neverExpires) { isExpired = false }
        // Rows of entities that the store did not request were skipped.
        let isNarrow = !cursor.covers(names) && !flaws.contains(.skipsAddedEntities)
        guard isExpired || isNarrow else { return cursor }
        return MemoryCursor(epoch: epoch, entities: names, snapshot: head, batch: cursor.batch)
    }

    /// Whether another store has pushed under this device id since the cursor and the unanswered push.
    func isCopy(_ request: SessionRequest) -> Bool {
        guard let last = batches[request.device], !request.rejoin, !flaws.contains(.ignoresCopies),
            let cursor = request.cursor.flatMap({ MemoryCursor(text: $0, entities: []) })
        else { return false }
        return last != cursor.batch && last != request.intent
    }

    func lastBatch(device: DeviceID) -> String? { batches[device] }

    /// The highest sequence of a device in any version vector.
    func sequence(of device: DeviceID) -> Int64 {
        rows.values.reduce(0) { max($0, $1.change.writtenMetadata.vector[device]) }
    }
}

extension MemoryLog {
    /// The page after a cursor, and whether more follow. `skip` and `horizon` are for flaws only.
    func page(
        after old: MemoryCursor,
        names: Set<String>,
        skip: Int,
        horizon: Int64
    ) throws -> (page: MemoryPage, hasMore: Bool) {
        let cursor = try renewed(cursor: old, names: names)
        var found = rows.values.filter {
            position(row: $0) > cursor.position && names.contains($0.change.entity)
        }
        found.sort { (position(row: $0), $0.revision) < (position(row: $1), $1.revision) }
        if flaws.contains(.pagesByOffset) { found.removeFirst(min(skip, found.count)) }
        if flaws.contains(.pagesFromTheOpening) { found.removeAll { $0.revision > horizon } }
        let hasMore = found.count > limits.pageRecords
        let items = Array(found.prefix(limits.pageRecords))
        // NB: the end must not be the head while more rows follow, or a reader that stops here would never
        // get them.
        var end = items.last.map(position) ?? cursor.position
        if !hasMore, !flaws.contains(.pagesByTime) { end = head }
        if flaws.contains(.movesCursorAhead) { end = head }
        if flaws.contains(.neverRests) { end = max(0, end - 1) }
        var kind = PageKind.delta
        var next = cursor.moved(to: end)
        if cursor.snapshot != nil {
            kind = .snapshot(
                of: names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map {
                    SnapshotScope(entity: $0)
                },
                isFirst: cursor.position == 0,
                isComplete: !hasMore || flaws.contains(.claimsToBeComplete)
            )
        }
        if !hasMore { next.snapshot = nil }
        return (MemoryPage(kind: kind, rows: items, cursor: next), hasMore)
    }

    private func position(row: Row) -> Int64 {
        flaws.contains(.pagesByTime)
            ? row.change.writtenMetadata.editTimestamp.time.microseconds : row.revision
    }
}

extension MemoryLog {
    /// Stores a batch. Throws `pushedMeanwhile` if another store has pushed under this device id since
    /// `previous`. `horizon`, the head when the session opened, is for flaws only.
    mutating func push(
        _ changes: [Change],
        batch: String,
        previous: String?,
        from device: DeviceID,
        horizon: Int64
    ) throws -> [PushReceipt.Result] {
        if let last = batches[device], last != previous, last != batch, !flaws.contains(.ignoresCopies) {
            throw MemoryDiagnostics.pushedMeanwhile
        }
        batches[device] = batch
        let isBroken = changes.contains { refusal(change: $0) != nil }
        return changes.enumerated().map { index, change in
            if index >= limits.pushChanges {
                return flaws.contains(.cutsBatches)
                    ? .accepted(change.writtenMetadata.editTimestamp, Revision("0")) : .notSent
            }
            if let reason = refusal(change: change) { return .refused(reason) }
            if isBroken, flaws.contains(.refusesWholeBatches) { return .refused("another change is broken") }
            return store(change: change, horizon: horizon)
        }
    }

    /// Compare-and-set: stores a change only if it names the present version and has seen it.
    private mutating func store(change: Change, horizon: Int64) -> PushReceipt.Result {
        let id = identity(change: change)
        let base = change.base.flatMap { Int64($0.text) }
        if let row = rows[id] {
            let (metadata, stored) = (change.writtenMetadata, row.change.writtenMetadata)
            if stored.editTimestamp == metadata.editTimestamp, stored.vector == metadata.vector {
                if !flaws.contains(.storesRepeats) {
                    return .accepted(change.writtenMetadata.editTimestamp, Revision("\(row.revision)"))
                }
            } else if base != row.revision {
                let isOverwritten =
                    flaws.contains(.ignoresBase) || flaws.contains(.createsOver) && base == nil
                if !isOverwritten { return .conflict }
            } else if !metadata.vector.covers(stored.vector),
                !flaws.contains(.trustsVectors)
            {
                return .conflict
            }
        } else if base != nil, !flaws.contains(.createsForgotten) {
            // An edit with a base never creates a record. If the record is missing, it was deleted and its
            // tombstone purged.
            return .missing
        }
        // The revision is assigned and stored in one step, so a reader never sees a revision before a lower
        // one.
        head += 1
        let revision = flaws.contains(.givesRevisionsEarly) ? horizon + 1 : head
        rows[id] = Row(change: stored(change: change), revision: revision)
        if change.isDeleted, flaws.contains(.forgetsTombstones) { rows[id] = nil }
        return .accepted(change.writtenMetadata.editTimestamp, Revision("\(revision)"))
    }

    private func stored(change: Change) -> Change {
        var change = change
        if flaws.contains(.dropsFieldTimestamps) { change.metadata?.detail = nil }
        if flaws.contains(.dropsSurvivors) { change.mergedInto = nil }
        return change
    }

    private func identity(change: Change) -> RecordID {
        var key = change.key
        if flaws.contains(.foldsKeys) { key.text = key.text.precomposedStringWithCanonicalMapping }
        return RecordID(entity: change.entity, key: key)
    }

    /// Why a change violates its schema, without user data.
    private func refusal(change: Change) -> String? {
        guard let entity = entities.first(where: { $0.name == change.entity }) else {
            return "the entity is not known"
        }
        var decoder = RecordDecoder(descriptor: entity, form: .wire)
        decoder.requiresAll = !change.isDeleted
        do {
            let record = try decoder.record(Array(change.body))
            return entity.key(of: record) == change.key ? nil : "the body has another key"
        } catch let error as FieldError {
            return "\(error.field): \(error.rule)"
        } catch {
            return "the body is not JSON"
        }
    }

    /// Removes all tombstones.
    mutating func purge() {
        for (id, row) in rows where row.change.isDeleted {
            floor = max(floor, row.revision)
            rows[id] = nil
        }
    }

    /// Starts a new, empty history.
    mutating func restart(epoch: String) {
        self = MemoryLog(epoch: epoch, entities: entities, limits: limits, flaws: flaws)
    }
}
