import Foundation
import SyncCore

/// A remote that makes its pages when they are asked for, so that no more than one of them is ever held: a log of new
/// records, followed by edits of some of them.
final class PageFeed: RemoteBackend, @unchecked Sendable {
    /// Records of one page, and so of one transaction.
    static let pageRecords = 5000
    private let records: Int
    private let lock = NSLock()
    // Guarded by `lock`.
    private var length: Int
    private var seconds = 0.0

    init(records: Int) {
        self.records = records
        length = records
    }

    /// Adds edits of records all over the store.
    func edit(_ count: Int) { lock.withLock { length += count } }

    /// Seconds that making pages took until now, which are nobody's work but the feed's.
    var secondsOfMaking: Double { lock.withLock { seconds } }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        PageFeedSession(self, position: request.cursor.flatMap { Int($0) } ?? 0)
    }

    /// The page that begins at a place of the log; nil at its end.
    fileprivate func page(from position: Int) throws -> RemotePage? {
        let end = min(lock.withLock { length }, position + Self.pageRecords)
        guard position < end else { return nil }
        let clock = ContinuousClock()
        let start = clock.now
        let encoder = RecordEncoder(SystemRecords.entity, form: .wire)
        var writer = JSONWriter()
        var items: [RemoteItem] = []
        for place in position..<end {
            let number = place < records ? place : (place - records) * 7919 % records
            let record = try SystemRecords.record(number)
            let first = writer.bytes.count
            encoder.encode(RecordRow(record), to: &writer)
            let mark = EditMark(
                time: Timestamp(microseconds: 1_767_225_600_000_000 + Int64(place)),
                device: DeviceID(bits: 9),
                sequence: Int64(place + 1)
            )
            items.append(
                RemoteItem(
                    entity: SystemRecords.entity.name,
                    key: SystemRecords.entity.key(of: record) ?? RecordKey(""),
                    kind: .upsert,
                    stamp: Stamp(first: mark),
                    revision: Revision("\(place + 1)"),
                    body: first..<writer.bytes.count
                )
            )
        }
        let page = RemotePage(bytes: writer.bytes, items: items, cursor: "\(end)")
        lock.withLock { seconds += (clock.now - start).seconds }
        return page
    }
}

private actor PageFeedSession: RemoteSession {
    nonisolated let greeting = SessionGreeting(binding: "feed")
    private let feed: PageFeed
    private var position: Int

    init(_ feed: PageFeed, position: Int) {
        self.feed = feed
        self.position = position
    }

    func fetch() async throws -> RemotePage? {
        guard let page = try feed.page(from: position) else { return nil }
        position += page.items.count
        return page
    }

    func prepare(_ changes: [OutgoingChange], cursor: String?) async throws -> PreparedPush {
        throw Unmeasured(reason: "a device that only pulls had something to push")
    }

    func push(_ prepared: PreparedPush) async throws -> PushReceipt {
        throw Unmeasured(reason: "a device that only pulls had something to push")
    }

    func close(cursor: String?) async throws {}
}
