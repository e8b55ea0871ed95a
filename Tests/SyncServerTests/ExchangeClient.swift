import Foundation
import SyncChecks
import SyncCore
import SyncServer
import SyncWire

/// One change as a test writes it.
struct Change {
    var entity = "note"
    var key: String
    var title = "title"
    var time: Int64?
    var device: UInt64?
    var sequence: Int64?
    var vector: String?
    var base: Revision?
    var deleted = false
    var body: String?
    var extra = ""

    init(key: String, base: Revision? = nil) {
        self.key = key
        self.base = base
    }

    static func note(key: String, title: String = "title", base: Revision? = nil) -> Change {
        var change = Change(key: key, base: base)
        change.title = title
        return change
    }

    static func tag(key: String, base: Revision? = nil) -> Change {
        var change = Change(key: key, base: base)
        change.entity = "tag"
        return change
    }

    /// The change as a delete.
    var tombstone: Change { with { $0.deleted = true } }

    func with(edit: (inout Change) -> Void) -> Change {
        var copy = self
        edit(&copy)
        return copy
    }
}

/// A device of an account with the state of a client.
final class Client {
    let bench: ExchangeBench
    let device: UInt64
    let account: Account
    var path = "/v1/exchange"
    var entities = ["note", "place", "tag"]
    var cursor: String?
    var previous: String?
    var batches = 0
    var sequence: Int64 = 0

    init(bench: ExchangeBench, device: UInt64 = 1, account: Account = .ada) {
        self.bench = bench
        self.device = device
        self.account = account
    }

    /// Makes one round trip; keeps cursor and batch if it is answered.
    @discardableResult
    func exchange(changes: Change..., limit: Int? = nil) async throws -> Reply {
        try await exchange(changes: changes, limit: limit)
    }

    /// Makes one round trip; keeps cursor and batch if it is answered.
    @discardableResult
    func exchange(changes: [Change], limit: Int? = nil) async throws -> Reply {
        let reply = try await send(request(changes, limit: limit))
        if let answer = reply.answer {
            cursor = answer.cursor
            previous = answer.batch
        }
        return reply
    }

    /// Exchanges until there are no more pages. Returns all received records.
    func pull(limit: Int? = nil) async throws -> [String] {
        var all: [String] = []
        while true {
            let reply = try await exchange(changes: [], limit: limit)
            guard let answer = reply.answer else {
                throw reply.error ?? WireError(code: .internalError, detail: "")
            }
            all += reply.page
            if !answer.hasMore { return all }
        }
    }

    /// A request as bytes, with the next batch if it pushes.
    func request(_ changes: [Change], limit: Int? = nil, records: [String: Digest]? = nil) -> [UInt8] {
        var request = ExchangeRequest(
            device: DeviceID(bits: device),
            entities: entities,
            cursor: cursor,
            limit: limit,
            previous: previous
        )
        request.records = records
        guard !changes.isEmpty else { return request.encoded() }
        batches += 1
        request.batch = "\(device)-\(batches)"
        let texts = changes.map { json(change: $0) }
        return request.encoded(changes: Array("[\(texts.joined(separator: ","))]".utf8))
    }

    func send(_ request: [UInt8]) async throws -> Reply {
        try await bench.send("POST", path: path, body: request, as: account)
    }

    /// The edit timestamp of this device's next change.
    func editTimestamp(change: Change) -> EditTimestamp {
        EditTimestamp(
            time: Timestamp(microseconds: change.time ?? bench.clock.now().microseconds),
            device: DeviceID(bits: change.device ?? device),
            sequence: change.sequence ?? sequence
        )
    }

    private func json(change: Change) -> String {
        if change.sequence == nil { sequence += 1 }
        let editTimestamp = editTimestamp(change: change)
        var text =
            #"{"entity":\#(Self.quoted(text: change.entity)),"key":\#(Self.quoted(text: change.key)),"mark":"\#(editTimestamp)""#
        if let vector = change.vector { text += #","vector":"\#(vector)""# }
        if change.deleted { text += #","deleted":true"# }
        if let base = change.base { text += #","base":\#(Self.quoted(text: base.text))"# }
        text += change.extra
        var body = #"{"id":\#(Self.quoted(text: change.key))"#
        if change.entity == "note" { body += #","title":\#(Self.quoted(text: change.title))"# }
        return text + #","body":\#(change.body ?? body + "}")}"#
    }

    static func quoted(text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }
}
