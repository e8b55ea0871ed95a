import EntitySync
import SyncCore
import SyncInspector

/// The state of a store, as `status` and `doctor` print it.
struct StoreStatus {
    /// The store's incarnation.
    var device: String
    /// The counts of the store, and whether everything is synced.
    var sync: SyncStatus
    /// The age of the oldest pending edit by its edit timestamp; nil if none is pending.
    var oldestPendingSeconds: Int64?
    /// The end of the last successful sync; nil if there was none.
    var lastSync: String?
    /// The last syncs including failed ones, the newest first.
    var history: [PastSync]

    /// The remote of the last sync; nil if there was none.
    var remote: String?

    /// The account of the store.
    var account: StoreAccount
    /// Whether a push has no answer yet: it runs in another process, or was interrupted.
    var isUnanswered: Bool
    /// Records that wait, conflict or were rejected, by entity without a schema.
    var withoutSchema: [String: Int]

    /// Reads a snapshot. Values of a running sync come from the last one.
    init(
        snapshot: any StoreSnapshot,
        entities: [EntityDescriptor],
        account: StoreAccount,
        now: Timestamp
    ) throws {
        device = try snapshot.value(name: StoreValueName.device) ?? ""
        lastSync = try snapshot.value(name: StoreValueName.lastSync)
        remote = try snapshot.value(name: StoreValueName.remote)
        history = try snapshot.syncHistory()
        isUnanswered = try snapshot.value(name: StoreValueName.intent) != nil
        withoutSchema = try snapshot.uncleanWithoutSchema()
        self.account = account
        let last = history.first.flatMap { $0.outcome == .failed ? $0 : nil }
        if last?.errorKind == .notPermitted, try snapshot.isSyncedWithServer() { self.account = .paused }
        sync = try SyncStatus(
            snapshot: snapshot,
            entities: entities,
            outside: SyncStatus.Outside(
                nextRetry: last?.notBefore.flatMap { $0 > now ? $0 : nil },
                clockSkewSeconds: history.lazy.compactMap(\.clockSkewSeconds).first,
                account: self.account.forRuntime
            )
        )
        oldestPendingSeconds = sync.oldestPendingAge(now: now)?.components.seconds
    }

    /// Whether nothing was written or synced yet.
    var isUntouched: Bool {
        history.isEmpty && lastSync == nil && entities.allSatisfy { $0.counts == EntityCounts() }
    }

    /// Counts by entity, sorted by name.
    var entities: [SyncStatus.Entity] { sync.entities }

    /// Writes the members for scripts into an open object.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member(name: "device", text: device)
        writer.name("entities")
        writer.beginObject()
        for entity in entities {
            let counts = entity.counts
            writer.name(entity.name)
            writer.beginObject()
            writer.member(name: "records", count: counts.records)
            writer.member(name: "pending", count: counts.pending)
            writer.member(name: "conflicts", count: counts.conflicts)
            writer.member(name: "rejected", count: counts.rejected)
            writer.member(name: "deleted", count: counts.deleted)
            writer.endObject()
        }
        writer.endObject()
        writer.member(name: "oldestPendingSeconds", number: oldestPendingSeconds)
        writer.member(name: "lastSync", text: lastSync)
        writer.member(name: "inSync", value: sync.isInSync)
        writer.member(name: "pending", count: sync.pending)
        writer.member(name: "inFlight", count: sync.inFlight)
        writer.member(name: "progress", text: isUnanswered ? "pushing" : nil)
        writer.member(name: "conflicted", count: sync.conflicted)
        writer.member(name: "rejected", count: sync.rejected)
        writer.member(name: "orphaned", count: sync.orphaned)
        writer.member(name: "deletedWithParent", count: sync.deletedWithParent)
        writer.member(name: "altered", count: sync.altered)
        writer.member(name: "lastSuccess", text: sync.lastSuccess?.description)
        writer.member(name: "nextRetry", text: sync.outside.nextRetry?.description)
        writer.member(name: "clockSkewSeconds", number: sync.outside.clockSkewSeconds)
        writer.member(name: "account", text: account.rawValue)
        writer.name("syncs")
        writer.array(elements: history) { $0.pastSync(sync: $1) }
    }

    /// Writes the next steps into an open object: as sentences, then in parts.
    func writeMembers(of advice: [Advice], commands: StoreCommands, to writer: inout JSONWriter) {
        writer.name("next")
        let nothing =
            Advice.nothing(status: self, advice: advice, commands: commands).map { [$0.text] } ?? []
        writer.array(elements: nothing + advice.map(\.sentence)) { $0.string($1) }
        writer.name("findings")
        writer.array(elements: advice) { $1.write(to: &$0) }
    }

    /// The next steps as text.
    func text(of advice: [Advice], commands: StoreCommands) -> String {
        let nothing = Advice.nothing(status: self, advice: advice, commands: commands)
        return (nothing.map { "- \($0.text)\n" } ?? "")
            + advice.map { "- \($0.message)\n  next: \($0.next.text)\n" }.joined()
    }

    /// The status as a table.
    var text: String {
        var table = TextTable(["", "records", "pending", "conflicts", "rejected", "deleted"])
        for entity in entities {
            let counts = entity.counts
            let numbers = [counts.records, counts.pending, counts.conflicts, counts.rejected, counts.deleted]
            table.add([entity.name] + numbers.map(String.init))
        }
        var lines = ["device: \(device)"]
        lines.append("account: \(account.text)")
        lines.append("last sync: \(lastSync ?? "never")")
        if let last = sync.lastSuccess, last.description != lastSync { lines.append("last success: \(last)") }
        lines.append("in sync: \(sync.isInSync ? "yes" : "no")")
        if isUnanswered { lines.append("in flight: a push whose answer did not come yet") }
        if sync.orphaned > 0 { lines.append("waiting for their parent: \(sync.orphaned)") }
        if sync.deletedWithParent > 0 {
            lines.append("deleted with a parent that was deleted elsewhere: \(sync.deletedWithParent)")
        }
        if sync.altered > 0 { lines.append("altered by the server, with something lost: \(sync.altered)") }
        if let oldestPendingSeconds {
            lines.append("oldest pending edit: \(Self.age(seconds: oldestPendingSeconds)) old")
        }
        if let failures { lines.append(failures) }
        if let next = sync.outside.nextRetry { lines.append("next attempt: at \(next) at the earliest") }
        if let skew = sync.outside.clockSkewSeconds { lines.append("clock: \(Self.clock(skew: skew))") }
        return lines.map { $0 + "\n" }.joined() + "\n" + table.text
    }

    /// The failures since the last successful sync; nil if there were none.
    private var failures: String? {
        let failed = history.prefix { $0.outcome == .failed }
        guard let last = failed.first else { return nil }
        let count = failed.count == 1 ? "1 attempt" : "\(failed.count) attempts"
        return "failed since then: \(count), the last at \(last.ended) (\(last.reason))"
    }

    private static func clock(skew: Double) -> String {
        let seconds = Int(abs(skew).rounded())
        // Servers send their time in whole seconds.
        guard seconds > 1 else { return "as the server's" }
        return "\(age(seconds: Int64(seconds))) \(skew > 0 ? "behind" : "ahead of") the server's"
    }

    private static func age(seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}

extension StoreSnapshot {
    /// Whether the last successful sync was with a server.
    fileprivate func isSyncedWithServer() throws -> Bool {
        guard let text = try value(name: StoreValueName.remote),
            let remote = try? RemoteArgument(text, allowsPlainHTTP: true)
        else { return false }
        if case .folder = remote { return false }
        return true
    }
}
