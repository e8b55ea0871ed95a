import SyncCore

/// A store's position in a memory log, as text: `epoch/position/snapshot/batch/entities`.
struct MemoryCursor: Sendable, Hashable {
    /// The history.
    var epoch: String
    /// Everything up to this revision was delivered.
    var position: Int64 = 0
    /// The head of the log at the start of an incomplete snapshot; nil otherwise.
    var snapshot: Int64?
    /// The device's last answered batch.
    var batch: String?
    /// The fingerprint of the requested entities.
    private var entities: String

    init(epoch: String, entities: Set<String>, snapshot: Int64?, batch: String?) {
        (self.epoch, self.snapshot, self.batch) = (epoch, snapshot, batch)
        self.entities = Self.fingerprint(names: entities)
    }

    var text: String {
        "\(epoch)/\(position)/\(snapshot.map(String.init) ?? "")/\(batch ?? "")/\(entities)"
    }

    /// Parses `text`; nil if it is invalid.
    init?(text: String, entities: Set<String>) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, let position = Int64(parts[1]), position >= 0 else { return nil }
        epoch = parts[0]
        self.position = position
        snapshot = Int64(parts[2])
        batch = parts[3].isEmpty ? nil : parts[3]
        self.entities = parts[4]
    }

    /// Whether the cursor was made for these entities.
    func covers(_ names: Set<String>) -> Bool { entities == Self.fingerprint(names: names) }

    func moved(to position: Int64) -> MemoryCursor {
        var cursor = self
        cursor.position = position
        return cursor
    }

    private static func fingerprint(names: Set<String>) -> String {
        let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return Digest(Array(sorted.joined(separator: "/").utf8)).description
    }
}

/// A page before encoding.
struct MemoryPage: Sendable {
    var kind: PageKind
    var rows: [MemoryLog.Row]
    var cursor: MemoryCursor

    /// The encoded page; `batch` is the device's latest one.
    func remotePage(batch: String?, flaws: Set<MemoryFlaw>) -> RemotePage {
        let changes = rows.map { row in
            let isLive = !row.change.isDeleted || flaws.contains(.showsTombstonesAsLive)
            return Change(
                Change.Header(
                    entity: row.change.entity,
                    key: row.change.key,
                    kind: isLive ? .upsert : .delete,
                    mergedInto: row.change.mergedInto,
                    metadata: row.change.metadata,
                    revision: Revision("\(row.revision)")
                ),
                body: row.change.body
            )
        }
        var cursor = cursor
        cursor.batch = batch
        return RemotePage(kind: kind, changes: changes, cursor: cursor.text)
    }
}

/// The errors of sessions with a memory remote.
enum MemoryDiagnostics {
    static let wrongRemote = SyncError(
        kind: .wrongRemote,
        message: "The remote's history is not the one that this store is bound to.",
        help: "Check the remote, or join it with a rejoin; values are kept."
    )

    static let pushedMeanwhile = SyncError(
        kind: .inputOutput,
        message: "Another copy of this store has pushed meanwhile.",
        help: "Sync again: the store then takes an identity of its own.",
        retry: .later
    )

    static let readOnly = SyncError(
        kind: .usage,
        message: "A session that only reads cannot push.",
        help: "Open a session that may write."
    )
}
