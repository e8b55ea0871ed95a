public import SyncCore

/// Writes an answer piece by piece, so that a server copies each record only once: from its row to the answer.
public struct ExchangeAnswerWriter {
    private var writer = JSONWriter()
    private let pageBytes: Int

    /// Starts an answer with its common members.
    public init(account: String, epoch: String, time: Timestamp, limits: WireLimits, batch: String?) {
        pageBytes = limits.pageBytes
        writer.beginObject()
        writer.member("account", value: account)
        writer.member("epoch", value: epoch)
        writer.member("time", value: time.description)
        writer.name("limits")
        limits.append(to: &writer)
        if let batch { writer.member("batch", value: batch) }
    }

    /// Entities that are left out.
    public mutating func refused(entities: [RefusedEntity]) {
        guard !entities.isEmpty else { return }
        writer.name("refused")
        writer.beginArray()
        for refused in entities {
            writer.beginObject()
            writer.member("entity", value: refused.entity)
            writer.member("rule", value: refused.rule)
            writer.endObject()
        }
        writer.endArray()
    }

    /// Entities for which another device that has seen the same shows different records.
    public mutating func differing(entities: [String]) {
        guard !entities.isEmpty else { return }
        writer.member("differing", value: entities)
    }

    /// The results for the changes.
    public mutating func results(results: [Outcome]) {
        writer.name("results")
        writer.beginArray()
        for result in results { append(result) }
        writer.endArray()
    }

    /// The result for one change, with entries as text.
    public enum Outcome: Sendable {
        /// Stored now or earlier. `stored` is an entry with its revision if it was not stored as sent.
        case accepted(Revision, stored: [UInt8]?)
        /// The server's version is not the change's base: an entry with its revision, or nil if there is none.
        case conflict(current: [UInt8]?)
        /// Rejected.
        case refused(rule: String, reason: String)
    }

    /// Starts the page. Its changes follow, one by one.
    public mutating func beginChanges(isSnapshot: Bool) {
        if isSnapshot { writer.member("snapshot", value: true) }
        writer.name("changes")
        writer.beginArray()
    }

    /// Ends the page and the answer. `acknowledged` is the request's cursor, advanced past its changes.
    public consuming func finish(cursor: String, acknowledged: String? = nil, hasMore: Bool) -> [UInt8] {
        writer.endArray()
        writer.member("cursor", value: cursor)
        if let acknowledged { writer.member("acknowledged", value: acknowledged) }
        writer.member("more", value: hasMore)
        writer.endObject()
        return writer.bytes
    }

    /// Writes the whole page and ends the answer. `changes` are entries with revision, as text.
    public consuming func finish(
        isSnapshot: Bool,
        changes: [[UInt8]],
        cursor: String,
        acknowledged: String? = nil,
        hasMore: Bool
    ) -> [UInt8] {
        beginChanges(isSnapshot: isSnapshot)
        makeRoom(for: changes.reduce(0) { $0 + $1.count })
        for change in changes { writer.raw(change) }
        return finish(cursor: cursor, acknowledged: acknowledged, hasMore: hasMore)
    }

    /// Growing by doubling would copy a full page once more just before its end.
    private mutating func makeRoom(for count: Int) {
        let needed = writer.bytes.count + count
        guard needed > writer.bytes.capacity, needed > 64 << 10 else { return }
        writer.bytes.reserveCapacity(needed + min(pageBytes, 1 << 20) + (64 << 10))
    }

    private mutating func append(_ outcome: Outcome) {
        writer.beginObject()
        switch outcome {
        case .accepted(let revision, let stored):
            writer.member("status", value: "accepted")
            writer.member("revision", value: revision.text)
            if let stored {
                writer.name("stored")
                writer.raw(stored)
            }
        case .conflict(let current):
            writer.member("status", value: "conflict")
            if let current {
                writer.name("current")
                writer.raw(current)
            }
        case .refused(let rule, let reason):
            writer.member("status", value: "refused")
            writer.member("rule", value: rule)
            writer.member("reason", value: reason)
        }
        writer.endObject()
    }
}

extension WireLimits {
    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, value) in [
            ("changes", changes), ("requestBytes", requestBytes), ("pageRecords", pageRecords),
            ("pageBytes", pageBytes),
        ] {
            writer.member(name, value: Int64(value))
        }
        writer.endObject()
    }

    /// Reads limits. Missing ones, and those below 1, are 1.
    init(_ reader: inout JSONReader) throws {
        let members = try SmallObject(at: &reader)
        func limit(_ name: String) -> Int { Int(clamping: max(1, members.integer(name: name) ?? 1)) }
        self.init(
            changes: limit("changes"),
            requestBytes: limit("requestBytes"),
            pageRecords: limit("pageRecords"),
            pageBytes: limit("pageBytes")
        )
    }
}
