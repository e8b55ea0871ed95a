import SyncCore
import SyncWire

/// Pages of the input as they come over the wire.
struct RecordPages: Sendable {
    /// Records of one page, which is what the client asks for.
    static let size = 1000

    let records = BenchRecords()
    let count: Int

    /// How many pages there are.
    var pageCount: Int { (count + Self.size - 1) / Self.size }

    /// The positions of a page's records.
    func range(page: Int) -> Range<Int> { page * Self.size..<min(count, (page + 1) * Self.size) }

    /// One page as the JSON array of its records: what an app's own server would send.
    func plain(page: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(Self.size * 800)
        writer.beginArray()
        for index in range(page: page) { BenchRecords.append(records.record(index: index), to: &writer) }
        writer.endArray()
        return writer.bytes
    }

    /// All pages as JSON arrays.
    func allPlain() -> [[UInt8]] { (0..<pageCount).map(plain) }

    /// One page as an answer of the protocol, with each record's stamp and revision.
    func answer(page: Int, isSnapshot: Bool = true) -> [UInt8] {
        ServerAnswer().page(
            entries: range(page: page).map { entry(index: $0) },
            isSnapshot: isSnapshot,
            cursor: ServerAnswer.cursor(page: page + 1),
            hasMore: page + 1 < pageCount
        )
    }

    /// All pages as answers.
    func allAnswers(isSnapshot: Bool = true) -> [[UInt8]] {
        (0..<pageCount).map { answer(page: $0, isSnapshot: isSnapshot) }
    }

    /// A record as an entry. Every fourth was edited on two devices, which its vector tells.
    ///
    /// Edits after the first version, counted by `edit`, are the first device's, and have seen what was before.
    func entry(index: Int, edit: Int = 0) -> [UInt8] {
        let record = records.record(index: index, edit: edit)
        let editTimestamp = EditTimestamp(
            time: Timestamp(microseconds: Int64(record.updatedAt) * 1_000_000),
            device: Self.author,
            sequence: Int64(index + 1 + edit * 100_000_000)
        )
        var vector = VersionVector(editTimestamp)
        if index.isMultiple(of: 4) {
            vector.insert(
                EditTimestamp(time: editTimestamp.time, device: Self.otherAuthor, sequence: Int64(index + 1))
            )
        }
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(1024)
        writer.beginObject()
        func text(name: String, value: String) {
            writer.name(name)
            writer.string(value)
        }
        text(name: "entity", value: "bookmark")
        text(name: "key", value: record.id)
        text(name: "mark", value: editTimestamp.description)
        if vector != VersionVector(editTimestamp) { text(name: "vector", value: vector.description) }
        text(name: "revision", value: "\(index + 1 + edit * 100_000_000)")
        writer.name("body")
        BenchRecords.append(record, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private static let author = DeviceID(bits: 0x00f1_e2d3_c4b5_a697)
    private static let otherAuthor = DeviceID(bits: 0x7a6b_5c4d_3e2f_1001)
}

/// What a server answers, written as the product's own server writes it.
struct ServerAnswer {
    /// The last batch that the server holds of the device.
    var batch: String?

    /// Where a page leaves off.
    static func cursor(page: Int) -> String { "p\(page)" }

    /// A page of entries.
    func page(entries: [[UInt8]], isSnapshot: Bool, cursor: String, hasMore: Bool) -> [UInt8] {
        begin().finish(isSnapshot: isSnapshot, changes: entries, cursor: cursor, hasMore: hasMore)
    }

    /// The acknowledgement of so many changes; their revisions follow `revision`.
    func acceptance(of count: Int, after revision: Int, cursor: String) -> [UInt8] {
        var writer = begin()
        writer.results(results: (0..<count).map { .accepted(Revision("\(revision + $0 + 1)"), stored: nil) })
        return writer.finish(
            isSnapshot: false,
            changes: [],
            cursor: cursor,
            acknowledged: cursor,
            hasMore: false
        )
    }

    private func begin() -> ExchangeAnswerWriter {
        ExchangeAnswerWriter(
            account: "bench",
            epoch: "bench-epoch",
            time: Timestamp(microseconds: 1_767_225_600_000_000),
            limits: WireLimits(),
            batch: batch
        )
    }
}
