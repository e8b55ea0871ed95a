import SyncCore
import SyncServer

/// One log of an in-memory store.
struct MemoryServerLog: Sendable {
    let epoch: String
    let madeAt: Timestamp
    /// Whether the next revision continues the last run.
    var continuesRun = false
    private var revision: Int64 = 0
    private var floor: Int64 = 0
    /// The first revision of each run, and its tag.
    private var runs: [(first: Int64, tag: String)] = []
    private var batches: [DeviceID: String] = [:]
    private var rows: [LogRecordID: Row] = [:]
    /// Fingerprints that devices sent, and the end of the log at that time.
    private var fingerprints: [(value: DeviceFingerprints, end: String)] = []

    /// A record's present version.
    private struct Row {
        var version: StoredVersion
        var entry: [UInt8]
        var isDeleted: Bool
        var storedAt: Timestamp
    }

    init(epoch: String, madeAt: Timestamp) {
        (self.epoch, self.madeAt) = (epoch, madeAt)
    }

    /// The number and the size of its records.
    var usage: (records: Int, bytes: Int) {
        (rows.count, rows.values.reduce(0) { $0 + $1.entry.count })
    }

    /// The state of the log that a query asks for.
    func state(query: LogQuery, used: [(records: Int, bytes: Int)]) -> LogState {
        var state = LogState(
            epoch: epoch,
            revision: revision,
            run: run(at: revision),
            continuesRun: continuesRun,
            floor: floor
        )
        state.seenRun = query.seen.map(run) ?? ""
        state.batch = batches[query.device]
        state.records = query.records.map { rows[$0]?.version }
        if query.wantsFingerprints {
            state.fingerprints = fingerprints.filter { $0.end == end }.map(\.value)
        }
        if query.countsExactlyFrom != nil { state.usedRecords = used.reduce(0) { $0 + $1.records } }
        if query.wantsBytes { state.usedBytes = used.reduce(0) { $0 + $1.bytes } }
        return state
    }

    /// The entry of a record's present version.
    func entry(of record: LogRecordID) -> [UInt8] { rows[record]?.entry ?? [] }

    /// Writes the commit of an exchange.
    mutating func write(_ commit: LogCommit, device: DeviceID) {
        if !commit.versions.isEmpty, !continuesRun {
            runs.append((revision + 1, commit.run))
            continuesRun = true
        }
        for version in commit.versions {
            revision += 1
            rows[version.record] = Row(
                version: StoredVersion(
                    number: revision,
                    run: commit.run,
                    editTimestamp: version.editTimestamp,
                    pushed: version.pushed,
                    vector: version.vector,
                    entryBytes: version.entry.count
                ),
                entry: version.entry,
                isDeleted: version.isDeleted,
                storedAt: commit.time
            )
        }
        if let batch = commit.batch { batches[device] = batch }
        guard let value = commit.fingerprints else { return }
        fingerprints.removeAll { $0.value.device == value.device }
        fingerprints.append((value, end))
        fingerprints.sort { $0.value.time > $1.value.time }
        fingerprints = Array(fingerprints.prefix(LogCommit.maxDevices))
    }

    /// Fills a page with the records after its places.
    func fill(_ page: inout LogPage) {
        let places = page.places
        let found = rows.filter { $0.value.version.number > places[$0.key.entity] ?? .max }.values
        // Offers no more records than a store has to read, so that tests detect a limit that is too low.
        for row in found.sorted(by: { $0.version.number < $1.version.number }).prefix(page.maxOffers) {
            let isTaken = Array(row.version.run.utf8).withUnsafeBufferPointer { run in
                row.entry.withUnsafeBufferPointer { entry in
                    page.take(number: row.version.number, run: run, entry: entry)
                }
            }
            guard isTaken else { return }
        }
    }

    /// Removes tombstones up to their cutoffs.
    mutating func purge(cutoffs: TombstoneCutoffs) -> PurgeResult {
        var removed = 0
        var oldest: [String: Timestamp] = [:]
        for (record, row) in rows where row.isDeleted {
            if row.storedAt <= cutoffs[record.entity] {
                floor = max(floor, row.version.number)
                rows[record] = nil
                removed += 1
            } else {
                oldest[record.entity] = min(oldest[record.entity] ?? row.storedAt, row.storedAt)
            }
        }
        return PurgeResult(removed: removed, oldest: oldest)
    }

    /// The tag of the run that contains a position; empty at 0.
    private func run(at position: Int64) -> String { runs.last { $0.first <= position }?.tag ?? "" }

    private var end: String { "\(revision)-\(run(at: revision))" }
}
