public import SyncCore

/// The request of an exchange: local changes, and the cursor from which to report the server's changes.
///
/// `{"device":"…","entities":["bookmark"],"cursor":"…","limit":1000,"previous":"…","records":{…},"batch":"…","changes":[…]}`.
/// `cursor` is omitted to start from the beginning, `limit` to let the server choose the page size, `records` if
/// nothing is compared, `batch` and `changes` if nothing is pushed.
public struct ExchangeRequest: Sendable {
    /// The store's incarnation.
    public var device: DeviceID
    /// The entities that the store holds, sorted by bytes.
    public var entities: [String]
    /// The cursor of the last answer; nil to start from the beginning.
    public var cursor: String?
    /// The most records in the answer; nil to let the server choose.
    public var limit: Int?
    /// The last batch of this device that was acknowledged; nil if none was.
    public var previous: String?
    /// Fingerprints of the device's live records at `cursor`, by the entity's name and its schema (`bookmark
    /// 4ff42b36`). Nil if nothing is compared.
    public var records: [String: Digest]?
    /// A name for `changes` that stays the same when they are sent again; nil if nothing is pushed.
    public var batch: String?
    /// The changes, in order; each names its base in `base`.
    public var changes: [Change]
    /// The positions of elements that are JSON but not changes.
    public var malformed: Set<Int>

    /// The number of elements sent, including those that are not changes.
    public var changeCount: Int { changes.count + malformed.count }

    /// Makes a request that pushes nothing.
    public init(
        device: DeviceID,
        entities: [String],
        cursor: String? = nil,
        limit: Int? = nil,
        previous: String? = nil
    ) {
        self.device = device
        self.entities = entities
        self.cursor = cursor
        self.limit = limit
        self.previous = previous
        batch = nil
        changes = []
        malformed = []
    }

    /// The request as JSON, with `changes` that were encoded before (`encode(_:)`). The request's own `changes` are
    /// ignored.
    public func encoded(changes payload: [UInt8] = []) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("device", value: device.description)
        writer.member("entities", value: entities)
        if let cursor { writer.member("cursor", value: cursor) }
        if let previous { writer.member("previous", value: previous) }
        if let batch { writer.member("batch", value: batch) }
        if let records {
            writer.name("records")
            writer.beginObject()
            for (key, digest) in records.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                writer.member(key, value: digest.description)
            }
            writer.endObject()
        }
        // This client knows entries of records that the account may not read any more.
        writer.member("evicts", value: true)
        if let limit { writer.member("limit", value: Int64(limit)) }
        if !payload.isEmpty {
            writer.name("changes")
            writer.raw(payload)
        }
        writer.endObject()
        return writer.bytes
    }

    /// Changes as a JSON array.
    public static func encode(_ changes: some Collection<Change>) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for change in changes { EntryCodec.append(change, to: &writer) }
        writer.endArray()
        return writer.bytes
    }

    /// Reads a request. Unknown members are ignored. Throws `JSONError`, or `WireError` `malformed` for an incomplete
    /// one.
    public init(_ bytes: [UInt8]) throws {
        var device: DeviceID?
        var request = ExchangeRequest(device: DeviceID(bits: 0), entities: [])
        var names: [String]?
        try bytes.withUnsafeBufferPointer { buffer in
            let isText = UTF8Check.firstInvalidOffset(in: buffer) == nil
            var reader = JSONReader(validated: buffer)
            guard try reader.peek() == UInt8(ascii: "{") else {
                throw WireError(code: .malformed, detail: "The request is not a JSON object.")
            }
            if try reader.beginObject() {
                var seen: Set<String> = []
                repeat {
                    let start = reader.position
                    let name = try reader.name().decode()
                    // Who stores the request might take another one of them than who checks it.
                    guard seen.insert(name).inserted else {
                        throw WireError(code: .malformed, detail: "A member stands twice.")
                    }
                    switch name {
                    case "device": device = DeviceID(try reader.string().decode())
                    case "entities": names = try reader.strings()
                    case "cursor": request.cursor = try reader.string().decode()
                    case "previous": request.previous = try reader.string().decode()
                    case "batch": request.batch = try reader.string().decode()
                    case "records": request.records = try Self.fingerprints(reader: &reader)
                    case "limit": request.limit = try Self.count(reader: &reader)
                    case "changes": try request.readChanges(&reader, bytes: bytes, isText: isText)
                    default: try reader.skipValue()
                    }
                    // Only a change may hold text that is no Unicode: it is rejected alone.
                    guard !isText, name != "changes" else { continue }
                    _ = try JSONReader(UnsafeBufferPointer(rebasing: buffer[start..<reader.position]))
                } while try reader.nextMember()
            }
            try reader.end()
        }
        guard let device else {
            throw WireError(code: .malformed, detail: "'device' is missing or not 16 digits.")
        }
        guard let names else { throw WireError(code: .malformed, detail: "'entities' is missing.") }
        guard request.changeCount == 0 || request.batch?.isEmpty == false else {
            throw WireError(code: .malformed, detail: "'changes' without 'batch'.")
        }
        self = request
        self.device = device
        entities = names
    }
}

extension ExchangeRequest {
    /// Fingerprints by name.
    static func fingerprints(reader: inout JSONReader) throws -> [String: Digest] {
        var fingerprints: [String: Digest] = [:]
        guard try reader.beginObject() else { return fingerprints }
        repeat {
            let name = try reader.name().decode()
            guard let digest = Digest(try reader.string().decode()) else {
                throw reader.error(kind: .unexpectedByte)
            }
            fingerprints[name] = digest
        } while try reader.nextMember()
        return fingerprints
    }

    /// A number of at least 1; too large ones become the largest.
    static func count(reader: inout JSONReader) throws -> Int {
        let text = String(decoding: try reader.number(), as: UTF8.self)
        guard text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { throw reader.error(kind: .unexpectedByte) }
        guard let count = Int(text) else { return .max }
        guard count > 0 else { throw reader.error(kind: .unexpectedByte) }
        return count
    }

    /// Reads changes. An element that is not a valid change is skipped and rejected alone.
    private mutating func readChanges(_ reader: inout JSONReader, bytes: [UInt8], isText: Bool) throws {
        (changes, malformed) = ([], [])
        guard try reader.beginArray() else { return }
        repeat {
            let start = reader
            do {
                let change = try EntryCodec.change(reader: &reader, bytes: bytes)
                if !isText {
                    _ = try JSONReader(
                        UnsafeBufferPointer(rebasing: reader.bytes[start.position..<reader.position])
                    )
                }
                changes.append(change)
            } catch is JSONError {
                reader = start
                _ = try reader.skipDocument(checksText: false)
                malformed.insert(changeCount)
            }
        } while try reader.nextElement()
    }
}
