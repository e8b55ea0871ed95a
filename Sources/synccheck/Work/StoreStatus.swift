import EntitySync

/// Where a store stands: what `status` and `doctor` tell.
struct StoreStatus {
    /// The store's incarnation; empty when there is no store yet.
    var device: String
    /// Counts by entity, in name order.
    var entities: [(name: String, counts: EntityCounts)]
    /// The age of the oldest edit that waits, by its mark; nil when none waits.
    var oldestPendingSeconds: Int64?
    /// When the last sync ended; nil when there was none.
    var lastSync: String?

    /// Reads a snapshot.
    init(_ snapshot: any StoreSnapshot, _ entities: [EntityDescriptor], now: Timestamp) throws {
        device = try snapshot.value(StoreValueName.device) ?? ""
        lastSync = try snapshot.value(StoreValueName.lastSync)
        self.entities = try entities.map { ($0.name, try snapshot.counts($0)) }
        var oldest: Timestamp?
        for (entity, counts) in zip(entities, self.entities.map(\.counts)) where counts.pending > 0 {
            for key in try snapshot.allKeys(entity, in: .pending) {
                guard let time = try snapshot.header(entity, key)?.stamp.mark.time else { continue }
                oldest = min(oldest ?? time, time)
            }
        }
        oldestPendingSeconds = oldest.map { max(0, now.microseconds - $0.microseconds) / 1_000_000 }
    }

    /// The sum of one count over all entities.
    func total(_ count: KeyPath<EntityCounts, Int>) -> Int {
        entities.reduce(0) { $0 + $1.counts[keyPath: count] }
    }

    /// Writes the members that scripts rely on, into an object that is open.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("device", device)
        writer.name("entities")
        writer.beginObject()
        for (name, counts) in entities {
            writer.name(name)
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
        for (name, counts) in entities {
            let numbers = [counts.records, counts.pending, counts.conflicts, counts.rejected, counts.deleted]
            table.add([name] + numbers.map(String.init))
        }
        var lines = [device.isEmpty ? "There is no store yet." : "device: \(device)"]
        lines.append("last sync: \(lastSync ?? "never")")
        if let oldestPendingSeconds {
            lines.append("oldest pending edit: \(Self.age(oldestPendingSeconds)) old")
        }
        return lines.map { $0 + "\n" }.joined() + "\n" + table.text
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
