import SyncCore
import SyncServer
import SyncVersion
import SyncWire

/// What an operator asks of a running server: the page and the commands of the socket show the same.
struct AdminReport: Sendable {
    /// When it was made.
    var time: Timestamp
    /// When the server started.
    var started: Timestamp
    /// Whether the server is about to stop.
    var isDraining: Bool
    /// Why nothing can be stored; nil if it can.
    var storageFailure: StorageFailure?
    /// The open event streams.
    var openStreams: Int
    /// The accounts, removed ones included.
    var accounts: [Row]
    /// Devices, refused records and slow requests since the start.
    var activity: ServerActivity.Snapshot
    /// From this time on a request is slow, in microseconds.
    var slowMicroseconds: Int64

    /// An account.
    struct Row: Sendable {
        var entry: AccountEntry
        var tokens: Int
        /// The bytes of its file; nil if it has none.
        var bytes: Int64?
        /// When a device of it synced last; nil if none has since the start.
        var lastSync: Timestamp?
    }

    /// The state in one word, as `/ready` says it.
    var state: String {
        if isDraining { return "draining" }
        return storageFailure == nil ? "ok" : "storing-fails"
    }

    /// The names of accounts by their ids.
    var names: [String: String] {
        Dictionary(accounts.map { ($0.entry.account.id, $0.entry.account.name) }) { first, _ in first }
    }

    /// The state as a JSON object.
    var statusJSON: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.text(name: "status", value: state)
        if let storageFailure { writer.text(name: "reason", value: storageFailure.rawValue) }
        writer.text(name: "version", value: EntitySyncVersion.current)
        writer.text(name: "started", value: started.description)
        writer.number(name: "streams", value: openStreams)
        writer.number(name: "accounts", value: accounts.count { $0.entry.removed == nil })
        writer.number(name: "devices", value: activity.devices.count)
        writer.number(name: "refused", value: activity.refused.count)
        writer.number(name: "slow", value: activity.slow.count)
        writer.endObject()
        return writer.text
    }

    /// The accounts with their devices as a JSON object.
    var accountsJSON: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("accounts")
        writer.beginArray()
        for row in accounts {
            writer.beginObject()
            writer.text(name: "id", value: row.entry.account.id)
            writer.text(name: "name", value: row.entry.account.name)
            writer.text(name: "state", value: row.entry.removed == nil ? "active" : "removed")
            writer.number(name: "tokens", value: row.tokens)
            if let bytes = row.bytes { writer.number(name: "bytes", value: Int(bytes)) }
            if let last = row.lastSync { writer.text(name: "lastSync", value: last.description) }
            writer.name("devices")
            writer.beginArray()
            for device in activity.devices where device.account == row.entry.account.id {
                writer.beginObject()
                writer.text(name: "id", value: device.id)
                writer.text(name: "lastSync", value: device.lastSync.description)
                writer.number(name: "syncs", value: device.syncs)
                writer.number(name: "refused", value: device.refused)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.text
    }
}

extension JSONWriter {
    /// Writes a member with a text.
    fileprivate mutating func text(name: String, value: String) {
        self.name(name)
        string(value)
    }

    /// Writes a member with a number.
    fileprivate mutating func number(name: String, value: Int) {
        self.name(name)
        integer(Int64(value))
    }
}
