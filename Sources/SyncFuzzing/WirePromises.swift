import SyncCore
import SyncHTTPClient
import SyncServer
import SyncServerBackend
import SyncWire

/// Promises of all wire format readers: whatever they accept survives a round trip.
enum WirePromises {
    static func check(_ bytes: [UInt8]) throws -> Bool {
        var isAccepted = false
        for check in small + records + exchange where try check(bytes) { isAccepted = true }
        return try checkEvents(bytes) || isAccepted
    }

    private typealias Check = @Sendable ([UInt8]) throws -> Bool

    /// Edit timestamps, version vectors and cursors: short texts of one line.
    private static let small: [Check] = [
        { try RoundTrip(text: "a mark", read: { EditTimestamp($0) }, write: \.description).check($0) },
        { try RoundTrip(text: "a vector", read: { VersionVector($0) }, write: \.description).check($0) },
        { try RoundTrip(text: "a device", read: { DeviceID($0) }, write: \.description).check($0) },
        { try RoundTrip(text: "a time", read: { Timestamp($0) }, write: \.description).check($0) },
        { try RoundTrip(text: "a server's cursor", read: { try? PageCursor($0) }, write: \.text).check($0) },
        {
            // Any object is a valid cursor, so an empty one does not count as accepted.
            try RoundTrip(text: "a client's cursor", read: { HTTPCursor($0) }, write: \.text).check($0)
                && HTTPCursor(String(decoding: $0, as: UTF8.self)) != HTTPCursor()
        },
        { try RoundTrip(text: "a client's binding", read: { HTTPBinding($0) }, write: \.text).check($0) },
        { try EntryPromises.checkDetail($0) },
    ]

    /// Records in both forms, and entries with their headers.
    private static let records: [Check] = [
        { try RecordPromises.check($0, form: .plain) },
        { try RecordPromises.check($0, form: .wire) },
        { try RecordPromises.checkVersion($0) },
        { try EntryPromises.check($0) },
    ]

    /// Requests and answers of client and server.
    private static let exchange: [Check] = [
        {
            try RoundTrip(
                form: "a request",
                read: { try ExchangeRequest($0) },
                write: { $0.encoded(changes: ExchangeRequest.encode($0.changes)) },
                isSame: { $0.isSame(as: $1) }
            ).check($0)
        },
        {
            try RoundTrip(
                form: "an answer",
                read: { try ExchangeAnswer($0) },
                write: \.written,
                isSame: { $0.isSame(as: $1) }
            ).check($0)
        },
        {
            try RoundTrip(
                form: "a problem",
                read: { bytes in
                    guard let error = WireError(body: bytes) else { throw NotAcceptedError() }
                    return error
                },
                write: \.body
            ).check($0)
        },
    ]

    /// The events are the same wherever the stream is split.
    private static func checkEvents(_ bytes: [UInt8]) throws -> Bool {
        let whole = try? events(bytes: bytes, piece: bytes.count)
        for piece in [1, 7] {
            let split = try? events(bytes: bytes, piece: piece)
            try promise((whole == nil) == (split == nil), kind: .acceptanceDiffers, of: "a stream of events")
            try promise(whole == split, kind: .valuesDiffer, of: "a stream of events")
        }
        return whole?.isEmpty == false
    }

    private static func events(bytes: [UInt8], piece: Int) throws -> [ServerEvent] {
        var parser = EventStreamParser()
        var events: [ServerEvent] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            events += try parser.feed(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
        }
        return events
    }
}

extension ExchangeRequest {
    fileprivate func isSame(as other: ExchangeRequest) -> Bool {
        device == other.device && entities.map(RecordKey.init) == other.entities.map(RecordKey.init)
            && cursor == other.cursor && limit == other.limit && previous == other.previous
            && records == other.records && batch == other.batch
            && changes.map(\.unrevised).isSame(as: other.changes)
    }
}

extension ExchangeAnswer {
    fileprivate var written: [UInt8] {
        var writer = ExchangeAnswerWriter(
            account: account,
            epoch: epoch,
            time: time,
            limits: limits,
            batch: batch
        )
        writer.refused(entities: refused)
        writer.differing(entities: differing)
        writer.results(
            results: results.map { result in
                switch result {
                case .accepted(let revision, let stored):
                    .accepted(revision, stored: stored?.entry)
                case .conflict(let current): .conflict(current: current?.entry)
                case .refused(let rule, let reason, _): .refused(rule: rule, reason: reason)
                }
            }
        )
        return writer.finish(
            isSnapshot: isSnapshot,
            changes: changes.map(\.entry),
            cursor: cursor,
            hasMore: hasMore
        )
    }

    fileprivate func isSame(as other: ExchangeAnswer) -> Bool {
        let results = zip(results, other.results).allSatisfy { lhs, rhs in
            switch (lhs, rhs) {
            case (.accepted(let lhs, let stored), .accepted(let rhs, let otherStored)):
                lhs == rhs && isSame(stored, as: otherStored)
            case (.conflict(let lhs), .conflict(let rhs)): isSame(lhs, as: rhs)
            default: lhs == rhs
            }
        }
        return account == other.account && epoch == other.epoch && time == other.time
            && limits == other.limits
            && batch == other.batch && refused == other.refused
            && differing.map(RecordKey.init) == other.differing.map(RecordKey.init)
            && isSnapshot == other.isSnapshot
            && cursor == other.cursor && hasMore == other.hasMore && results
            && self.results.count == other.results.count
            && changes.isSame(as: other.changes)
    }

    private func isSame(_ change: Change?, as other: Change?) -> Bool {
        [change].compactMap(\.self).isSame(as: [other].compactMap(\.self))
    }
}
