import EntitySync

/// Where a store stands: what `status` and `doctor` tell.
struct StoreStatus {
    /// The store's incarnation; empty when there is no store yet.
    var device: String
    /// The counts of the store, and whether all is confirmed.
    var sync: SyncStatus
    /// The age of the oldest edit that waits, by its mark; nil when none waits.
    var oldestPendingSeconds: Int64?
    /// When the last sync ended; nil when there was none.
    var lastSync: String?
    /// The last syncs, the newest first, those that failed included.
    var history: [PastSync]

    /// Reads a snapshot.
    init(_ snapshot: any StoreSnapshot, _ entities: [EntityDescriptor], now: Timestamp) throws {
        device = try snapshot.value(StoreValueName.device) ?? ""
        lastSync = try snapshot.value(StoreValueName.lastSync)
        history = try snapshot.syncHistory()
        sync = try SyncStatus(snapshot, entities)
        oldestPendingSeconds = sync.oldestPendingAge(now: now)?.components.seconds
    }

    /// Counts by entity, in name order.
    var entities: [SyncStatus.Entity] { sync.entities }

    /// The sum of one count over all entities.
    func total(_ count: KeyPath<EntityCounts, Int>) -> Int {
        entities.reduce(0) { $0 + $1.counts[keyPath: count] }
    }

    /// Writes the members that scripts rely on, into an object that is open.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("device", device)
        writer.name("entities")
        writer.beginObject()
        for entity in entities {
            let counts = entity.counts
            writer.name(entity.name)
            writer.beginObject()
            writer.member("records", counts.records)
            writer.member("pending", counts.pending)
            writer.member("conflicts", counts.conflicts)
            writer.member("rejected", counts.rejected)
            writer.member("deleted", counts.deleted)
            writer.endObject()
        }
        writer.endObject()
        writer.member("oldestPendingSeconds", oldestPendingSeconds)
        writer.member("lastSync", lastSync)
    }

    /// A table for people.
    var text: String {
        var table = TextTable(["", "records", "pending", "conflicts", "rejected", "deleted"])
        for entity in entities {
            let counts = entity.counts
            let numbers = [counts.records, counts.pending, counts.conflicts, counts.rejected, counts.deleted]
            table.add([entity.name] + numbers.map(String.init))
        }
        var lines = [device.isEmpty ? "There is no store yet." : "device: \(device)"]
        lines.append("last sync: \(lastSync ?? "never")")
        if let oldestPendingSeconds {
            lines.append("oldest pending edit: \(Self.age(oldestPendingSeconds)) old")
        }
        if let failures { lines.append(failures) }
        return lines.map { $0 + "\n" }.joined() + "\n" + table.text
    }

    /// What went wrong since the last sync that came to its end; nil when nothing did.
    private var failures: String? {
        let failed = history.prefix { $0.outcome == .failed }
        guard let last = failed.first else { return nil }
        let count = failed.count == 1 ? "1 attempt" : "\(failed.count) attempts"
        return "failed since then: \(count), the last at \(last.ended) (\(last.reason))"
    }

    private static func age(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}
