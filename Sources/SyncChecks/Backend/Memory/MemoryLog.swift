import Foundation
import SyncCore

/// What a server of the smallest kind holds and how it decides: one version per record, a count of revisions that only
/// rises, tombstones, and the last batch of each device.
///
/// It is written to be read beside the port's documentation; flaws that tests ask for stand where they would be made.
struct MemoryLog: Sendable {
    /// The history that revisions and cursors belong to.
    var epoch: String
    let entities: [EntityDescriptor]
    let limits: MemoryLimits
    let flaws: Set<MemoryFlaw>
    /// The revision of the last change.
    private(set) var head: Int64 = 0
    /// The highest revision of a tombstone that was forgotten: older cursors cannot be answered by changes alone.
    private var floor: Int64 = 0
    private var rows: [RecordID: Row] = [:]
    private var batches: [DeviceID: String] = [:]

    /// A record's only version.
    struct Row: Sendable {
        var change: Change
        var revision: Int64
    }

    init(epoch: String, entities: [EntityDescriptor], limits: MemoryLimits, flaws: Set<MemoryFlaw>) {
        (self.epoch, self.entities, self.limits, self.flaws) = (epoch, entities, limits, flaws)
    }

    /// Where a session begins: at the cursor if it can be believed, otherwise at a snapshot.
    /// Throws `wrongRemote` when binding or cursor are of another history.
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

    /// The cursor itself, or one that begins a snapshot when the log cannot continue from it.
    private func renewed(cursor: MemoryCursor, names: Set<String>) throws -> MemoryCursor {
        if !flaws.contains(.acceptsOtherHistories), !flaws.contains(.pagesByTime) {
            // A revision that was never given: the log was rolled back.
            guard cursor.epoch == epoch, cursor.position <= head else { throw MemoryDiagnostics.wrongRemote }
        }
        var isExpired = cursor.position < floor && cursor.snapshot == nil
        if let start = cursor.snapshot {
            isExpired = start < floor && !flaws.contains(.keepsExpiredSnapshots)
        }
        if flaws.contains(.neverExpires) { isExpired = false }
        // Rows of an entity that the store did not ask for were passed over.
        let isNarrow = !cursor.covers(names) && !flaws.contains(.skipsAddedEntities)
        guard isExpired || isNarrow else { return cursor }
        return MemoryCursor(epoch: epoch, entities: names, snapshot: head, batch: cursor.batch)
    }

    /// Whether another store pushed under this device since the cursor, and since the push that was not answered.
    func isCopy(_ request: SessionRequest) -> Bool {
        guard let last = batches[request.device], !request.rejoin, !flaws.contains(.ignoresCopies),
            let cursor = request.cursor.flatMap({ MemoryCursor(text: $0, entities: []) })
        else { return false }
        return last != cursor.batch && last != request.intent
    }

    func lastBatch(device: DeviceID) -> String? { batches[device] }

    /// The highest sequence of a device that any version has seen.
    func sequence(of device: DeviceID) -> Int64 {
        rows.values.reduce(0) { max($0, $1.change.writtenMetadata.vector[device]) }
    }
}

extension MemoryLog {
    /// The page after a cursor, and whether there are more. `skip` and `horizon` serve flaws only.
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
        // NB: not the head while there is more, or a reader that ends here never gets the rest.
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
    /// Takes a batch. Throws `pushedMeanwhile` when another store has pushed under this device since `previous`.
    /// `horizon`, the head when the session opened, serves flaws only.
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

    /// Compare and set: a change is stored only on the state that it names, and only if it has seen it.
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
            // An edit that has a base is no create: the record was deleted, and its tombstone forgotten.
            return .missing
        }
        // Given and stored in one step: a reader never sees a revision before a lower one.
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

    /// Why a change does not fit its schema; no value that a person wrote is in it.
    private func refusal(change: Change) -> String? {
        guard let entity = entities.first(where: { $0.name == change.entity }) else {
            return "the entity is not known"
        }
        var decoder = RecordDecoder(descriptor: entity, form: .wire)
        decoder.requiresAll = !change.isDeleted
        do {
            let record = try decoder.record(Array(change.body))
            return entity.key(of: record) == change.key ? nil : "the body has another key"
        } catch let problem as FieldError {
            return "\(problem.field): \(problem.rule)"
        } catch {
            return "the body is not JSON"
        }
    }

    /// Forgets all tombstones.
    mutating func purge() {
        for (id, row) in rows where row.change.isDeleted {
            floor = max(floor, row.revision)
            rows[id] = nil
        }
    }

    /// Begins anew, with nothing.
    mutating func restart(epoch: String) {
        self = MemoryLog(epoch: epoch, entities: entities, limits: limits, flaws: flaws)
    }
}
