import Foundation
public import SyncCore

/// One round trip of a device, as an operator sees it. It has no value that a person wrote but names of entities.
public struct ExchangeReport: Sendable, Hashable {
    /// The account's id.
    public var account: String
    /// The device's id.
    public var device: String
    /// The results of the changes.
    public var counts: PushCounts
    /// The refused changes that are known one by one.
    public var refused: [Refused]

    /// A change that the server refused.
    public struct Refused: Sendable, Hashable {
        /// The entity; empty if the change could not be read.
        public var entity: String
        /// The rule that it broke.
        public var rule: String

        /// Makes a refused change.
        public init(entity: String, rule: String) {
            self.entity = entity
            self.rule = rule
        }
    }

    /// Makes a report.
    public init(account: String, device: String, counts: PushCounts = PushCounts(), refused: [Refused] = []) {
        self.account = account
        self.device = device
        self.counts = counts
        self.refused = refused
    }
}

/// What an operator wants to see of the last time: devices, refused records and slow requests, since the start of the
/// server and in bounded numbers. The oldest entries are forgotten first.
public final class ServerActivity: @unchecked Sendable {
    /// A device that has synced.
    public struct Device: Sendable, Hashable {
        /// The account's id.
        public var account: String
        /// The device's id.
        public var id: String
        /// When it synced last.
        public var lastSync: Timestamp
        /// Its round trips since the start of the server.
        public var syncs = 0
        /// Its refused changes since the start of the server.
        public var refused = 0
    }

    /// A change that was refused.
    public struct RefusedRecord: Sendable, Hashable {
        /// When it was refused.
        public var time: Timestamp
        /// The account's id.
        public var account: String
        /// The device's id.
        public var device: String
        /// The entity and the rule.
        public var change: ExchangeReport.Refused
    }

    /// A request that took long.
    public struct SlowRequest: Sendable, Hashable {
        /// When it was answered.
        public var time: Timestamp
        /// The request's entry in the log.
        public var entry: RequestLog

        /// Makes an entry.
        public init(time: Timestamp, entry: RequestLog) {
            self.time = time
            self.entry = entry
        }
    }

    /// What is remembered at one moment, the newest first.
    public struct Snapshot: Sendable, Hashable {
        /// The devices.
        public var devices: [Device] = []
        /// The refused records.
        public var refused: [RefusedRecord] = []
        /// The slow requests.
        public var slow: [SlowRequest] = []

        /// Makes an empty snapshot.
        public init() {}
    }

    private struct Key: Hashable {
        var account: String
        var device: String
    }

    /// The most devices that are remembered.
    public static let maxDevices = 1000
    /// The most refused records, and the most slow requests, that are remembered.
    public static let maxEntries = 100
    /// From this time on a request is slow, in microseconds.
    public let slowMicroseconds: Int64

    private let clock: any SyncClock
    private let lock = NSLock()
    // All are guarded by `lock`. The newest entries are last.
    private var devices: [Key: Device] = [:]
    private var refused: [RefusedRecord] = []
    private var slow: [SlowRequest] = []

    /// Starts without memory.
    public init(clock: any SyncClock, slowMicroseconds: Int64 = 1_000_000) {
        self.clock = clock
        self.slowMicroseconds = slowMicroseconds
    }

    /// Remembers a round trip.
    public func note(_ report: ExchangeReport) {
        let now = clock.now()
        lock.withLock {
            let key = Key(account: report.account, device: report.device)
            if devices[key] == nil { makeRoom() }
            var device = devices[key] ?? Device(account: report.account, id: report.device, lastSync: now)
            device.lastSync = max(device.lastSync, now)
            device.syncs += 1
            device.refused += report.counts.refused
            devices[key] = device
            refused += report.refused.suffix(Self.maxEntries).map {
                RefusedRecord(time: now, account: report.account, device: report.device, change: $0)
            }
            refused.removeFirst(max(0, refused.count - Self.maxEntries))
        }
    }

    /// Remembers a request if it was slow.
    func note(_ entry: RequestLog) {
        guard entry.durationMicroseconds >= slowMicroseconds else { return }
        let now = clock.now()
        lock.withLock {
            slow.append(SlowRequest(time: now, entry: entry))
            slow.removeFirst(max(0, slow.count - Self.maxEntries))
        }
    }

    /// What is remembered now.
    public var snapshot: Snapshot {
        lock.withLock {
            var snapshot = Snapshot()
            snapshot.devices = devices.values.sorted {
                ($1.lastSync, $0.account, $0.id) < ($0.lastSync, $1.account, $1.id)
            }
            snapshot.refused = refused.reversed()
            snapshot.slow = slow.reversed()
            return snapshot
        }
    }

    /// Forgets the quarter of the devices that have not synced for longest when all places are taken.
    private func makeRoom() {
        guard devices.count >= Self.maxDevices else { return }
        for (key, _) in devices.sorted(by: { $0.value.lastSync < $1.value.lastSync }).prefix(
            Self.maxDevices / 4
        ) {
            devices[key] = nil
        }
    }
}
