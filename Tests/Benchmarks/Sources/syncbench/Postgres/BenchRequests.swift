import Foundation
import SyncCore
import SyncWire

/// What one device sends: requests of the exchange with records of the input.
struct BenchRequests {
    private let records = BenchRecords()
    private let device: DeviceID
    private var cursor: String?
    private var batch: String?
    private var sequence: Int64 = 0
    /// The revisions that the server gave, by position of the record.
    private var revisions: [Int: String] = [:]
    private var pending: Range<Int> = 0..<0

    init(device: DeviceID = DeviceID(bits: 0x00f1_e2d3_c4b5_a697)) {
        self.device = device
    }

    /// A request that pushes records: new ones, or edits of those that were pushed before.
    mutating func push(_ range: Range<Int>, edit: Int = 0) -> [UInt8] {
        var request = ExchangeRequest(device: device, entities: ["bookmark"], cursor: cursor, previous: batch)
        batch = UUID().uuidString
        request.batch = batch
        pending = range
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(range.count * 1024)
        writer.beginArray()
        for index in range { appendChange(index: index, edit: edit, to: &writer) }
        writer.endArray()
        return request.encoded(changes: writer.bytes)
    }

    private mutating func appendChange(index: Int, edit: Int, to writer: inout JSONWriter) {
        let record = records.record(index: index, edit: edit)
        sequence += 1
        let timestamp = EditTimestamp(
            time: Timestamp(microseconds: Int64(record.updatedAt) * 1_000_000),
            device: device,
            sequence: sequence
        )
        writer.beginObject()
        var members = [("entity", "bookmark"), ("key", record.id), ("mark", timestamp.description)]
        if let revision = revisions[index] { members.append(("base", revision)) }
        for (name, value) in members {
            writer.name(name)
            writer.string(value)
        }
        writer.name("body")
        BenchRecords.append(record, to: &writer)
        writer.endObject()
    }

    /// A request for the page after what the device has seen.
    func pull(limit: Int? = nil) -> [UInt8] {
        ExchangeRequest(device: device, entities: ["bookmark"], cursor: cursor, limit: limit).encoded()
    }

    /// Takes the answer to the last request: the cursor, and the revisions of what was pushed.
    ///
    /// Throws unless each pushed record was accepted and so many records came; nil if others push meanwhile.
    mutating func take(_ answer: [UInt8], pulled: Int? = 0) throws {
        let read = try WireAnswer(answer)
        guard read.revisions.count == pending.count, read.changes == pulled ?? read.changes else {
            throw Unmeasured(
                reason: "\(read.revisions.count) of \(pending.count) records were accepted, "
                    + "\(read.changes) came in place of \(pulled ?? read.changes)"
            )
        }
        for (index, revision) in zip(pending, read.revisions) { revisions[index] = revision }
        cursor = read.cursor
        pending = 0..<0
    }

    /// Has the device stand at another cursor.
    mutating func stand(at cursor: String) { self.cursor = cursor }

    /// The bodies alone, as an app's own server would send or get them.
    static func bodies(_ range: Range<Int>, edit: Int = 0) -> [UInt8] {
        let records = BenchRecords()
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(range.count * 800)
        writer.beginArray()
        for index in range { BenchRecords.append(records.record(index: index, edit: edit), to: &writer) }
        writer.endArray()
        return writer.bytes
    }
}

/// An answer of the exchange, as far as it is checked here.
struct WireAnswer {
    /// Where the page leaves off.
    let cursor: String
    /// The revisions of the changes that were accepted.
    let revisions: [String]
    /// How many records came.
    let changes: Int
    /// Whether there is a further page.
    let hasMore: Bool

    init(_ bytes: [UInt8]) throws {
        guard let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any],
            let cursor = object["cursor"] as? String, let results = object["results"] as? [[String: Any]],
            let changes = object["changes"] as? [Any], let hasMore = object["more"] as? Bool
        else {
            throw Unmeasured(reason: "not an answer: \(String(decoding: bytes.prefix(300), as: UTF8.self))")
        }
        (self.cursor, self.changes, self.hasMore) = (cursor, changes.count, hasMore)
        revisions = results.filter { $0["status"] as? String == "accepted" }
            .compactMap { $0["revision"] as? String }
    }
}
