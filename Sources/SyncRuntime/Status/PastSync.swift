public import SyncCore

/// A sync in the store's history.
public struct PastSync: Sendable, Hashable {
    /// When it began.
    public var started: Timestamp
    /// When it ended.
    public var ended: Timestamp
    /// How it ended.
    public var outcome: SyncReport.Outcome
    /// Requests made; 0 for a folder.
    public var requests = 0
    /// Edits that the remote accepted.
    public var pushed = 0
    /// Versions taken in from the remote.
    public var pulled = 0
    /// Versions that a strategy merged.
    public var merged = 0
    /// Records in conflict afterwards.
    public var conflicts = 0
    /// Records rejected afterwards.
    public var rejected = 0
    /// The kind of the error; nil if there was none, or if the sync was cancelled.
    public var errorKind: SyncError.Kind?
    /// The error with its advice. Nil if nothing failed, if the sync was cancelled, or if an earlier version of this
    /// package recorded the sync.
    public var error: SyncError?
    /// By how many seconds the remote's clock was ahead of this device's, to the millisecond; nil if unknown.
    public var clockSkewSeconds: Double?
    /// The earliest time for the next request; nil if the remote did not say.
    public var notBefore: Timestamp?

    /// A sync that has ended. Its error is added later.
    init(started: Timestamp, ended: Timestamp, report: SyncReport) {
        self.started = started
        self.ended = ended
        outcome = report.outcome
        requests = report.requests
        func sum(count: KeyPath<EntityReport, Int>) -> Int {
            report.entities.reduce(0) { $0 + $1[keyPath: count] }
        }
        pushed = sum(count: \.pushed)
        pulled = sum(count: \.pulled)
        merged = sum(count: \.merged)
        conflicts = sum(count: \.conflicts)
        rejected = sum(count: \.rejected)
    }

    /// Adds facts from the remote's responses.
    mutating func note(_ conditions: RemoteConditions) {
        clockSkewSeconds = conditions.clockSkewSeconds
        notBefore = conditions.notBefore
    }
}

extension StoreSnapshot {
    /// The last syncs of the store, the newest first; at most `PastSync.maxKept`.
    public func syncHistory() throws -> [PastSync] {
        let lines = try value(name: StoreValue.history)?.utf8.split(separator: UInt8(ascii: "\n")) ?? []
        do { return try lines.map { try PastSync(json: String(Substring($0))) } } catch is JSONError {
            throw SyncError.damagedStore(detail: "its list of past syncs cannot be read")
        }
    }
}

extension StoreSnapshot {
    /// The last sync that was not cancelled; nil if there is none, or if the history cannot be read.
    func lastSync() throws -> PastSync? {
        let lines = try value(name: StoreValue.history)?.utf8.split(separator: UInt8(ascii: "\n")) ?? []
        // `syncHistory` reports a damaged history; a status shows what else is known.
        return lines.lazy.compactMap { try? PastSync(json: String(Substring($0))) }
            .first { $0.outcome != .failed || $0.errorKind != nil }
    }
}

extension StoreTransaction {
    /// Adds a sync to the history, and drops the oldest beyond the limit.
    func addHistory(_ sync: PastSync) throws {
        // Stored as lines, so that adding a sync need not parse earlier ones.
        var history = sync.json
        if let before = try value(name: StoreValue.history)?.utf8 {
            let kept = before.split(separator: UInt8(ascii: "\n"), maxSplits: PastSync.maxKept - 1)
            for line in kept.prefix(PastSync.maxKept - 1) { history += "\n" + Substring(line) }
        }
        try setValue(StoreValue.history, value: history)
    }
}

/// The JSON form:
/// `{"started":…,"ended":…,"outcome":"synced","counts":[0,1,…],"error":"unreachable","message":…,"help":…,"retry":"later","skewMilliseconds":…,"notBefore":…}`,
/// times in microseconds. Unknown facts are left out. Members of a newer version are skipped.
extension PastSync {
    /// The most syncs that a store remembers.
    public static let maxKept = 50

    private static var counts: [WritableKeyPath<PastSync, Int>] {
        [\.requests, \.pushed, \.pulled, \.merged, \.conflicts, \.rejected]
    }

    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("started", value: started.microseconds)
        writer.member("ended", value: ended.microseconds)
        writer.member("outcome", value: outcome.rawValue)
        writer.name("counts")
        writer.beginArray()
        for count in Self.counts { writer.integer(Int64(self[keyPath: count])) }
        writer.endArray()
        if let errorKind { writer.member("error", value: errorKind.rawValue) }
        if let error {
            writer.member("message", value: error.message)
            writer.member("help", value: error.help)
            writer.member("retry", value: error.retry.rawValue)
        }
        if let skew = clockSkewSeconds.flatMap({ Int64(exactly: ($0 * 1000).rounded()) }) {
            writer.member("skewMilliseconds", value: skew)
        }
        if let notBefore { writer.member("notBefore", value: notBefore.microseconds) }
        writer.endObject()
        return writer.text
    }

    init(json: String) throws {
        var copy = json
        self = try copy.withUTF8 { buffer in
            var reader = try JSONReader(buffer)
            let sync = try PastSync(&reader)
            try reader.end()
            return sync
        }
    }

    private init(_ reader: inout JSONReader) throws {
        started = Timestamp(microseconds: 0)
        ended = started
        outcome = .failed
        var (message, help, retry): (String?, String?, RetryAdvice?)
        guard try reader.beginObject() else { throw reader.error(kind: .unexpectedByte) }
        repeat {
            switch try reader.name().decode() {
            case "started": started.microseconds = try reader.integer()
            case "ended": ended.microseconds = try reader.integer()
            case "outcome":
                outcome = SyncReport.Outcome(rawValue: try reader.string().decode()) ?? .failed
            case "error": errorKind = SyncError.Kind(rawValue: try reader.string().decode())
            case "message": message = try reader.string().decode()
            case "help": help = try reader.string().decode()
            case "retry": retry = RetryAdvice(rawValue: try reader.string().decode())
            case "skewMilliseconds": clockSkewSeconds = Double(try reader.integer()) / 1000
            case "notBefore": notBefore = Timestamp(microseconds: try reader.integer())
            case "counts":
                guard try reader.beginArray() else { continue }
                var index = 0
                repeat {
                    let number = try reader.integer()
                    if index < Self.counts.count { self[keyPath: Self.counts[index]] = Int(clamping: number) }
                    index += 1
                } while try reader.nextElement()
            default: _ = try reader.skipValue()
            }
        } while try reader.nextMember()
        if let errorKind, let message, let help, let retry {
            error = SyncError(kind: errorKind, message: message, help: help, retry: retry)
        }
    }
}
