import Foundation
import SyncCore
import SyncWire

/// A reader's position in a log: for each entity, the revision up to which the reader has everything.
///
/// A reader that adds an entity starts it at 0 and continues with the others. So the cursor never skips a
/// record. An entity that a request leaves out keeps its place.
package struct PageCursor: Hashable {
    /// The history that the positions belong to.
    var epoch: String
    /// The highest revision that the reader has seen: in its places, or of its own accepted changes.
    var seen: Int64
    /// The tag of the run that contains `seen`; empty at 0. Runs follow each other. So if the tag matches,
    /// everything up to `seen` is unchanged. A log that was rolled back and written again has another tag
    /// there.
    var run: String
    /// Whether more pages of a complete snapshot follow.
    var isSnapshot: Bool
    /// The place in each entity, by name.
    var places: [String: Place]

    /// How far a reader has come in one entity.
    struct Place: Hashable {
        /// The reader has everything up to this revision.
        var position: Int64
        /// Tombstones up to this revision do not matter to the reader: it has them, or it started at 0 after
        /// them and never received the deleted records. Never below `position`.
        var start: Int64

        /// Moves forward to a position.
        mutating func advance(to position: Int64) {
            self.position = max(self.position, position)
            start = max(start, self.position)
        }

        /// Whether tombstones that the reader needs were purged. At 0 it has nothing that could have been deleted, but
        /// for what it has pushed itself, up to `seen`.
        func isExpired(floor: Int64, seen: Int64) -> Bool { floor > start && (position > 0 || seen > start) }
    }
}

extension PageCursor {
    /// The longest cursor that is parsed, in bytes.
    static let maxBytes = 64 << 10

    /// The cursor as text that is opaque to clients: base64url of
    /// `{"v":1,"epoch":"…","seen":7,"run":"…","snapshot":true,"places":[[position,start,"entity",…],…],"sum":"…"}`.
    ///
    /// `sum` covers everything before it. Without it a damaged cursor could look like one of another history,
    /// which only a person can resolve. Cursors of older servers have no sum.
    package var text: String {
        var bytes = json
        bytes.removeLast()
        return Base64URL.encode(bytes + Array((#","sum":""# + Self.sum(bytes: bytes) + #""}"#).utf8))
    }

    /// FNV-1a, 64 bits. It detects accidents, not manipulation.
    private static func sum(bytes: [UInt8]) -> String {
        let sum = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(sum, radix: 16)
    }

    /// The JSON without `sum`.
    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("v")
        writer.integer(1)
        writer.name("epoch")
        writer.string(epoch)
        writer.name("seen")
        writer.integer(seen)
        writer.name("run")
        writer.string(run)
        writer.name("snapshot")
        writer.boolean(isSnapshot)
        writer.name("places")
        writer.beginArray()
        let groups = Dictionary(grouping: places.keys) { places[$0] ?? Place(position: 0, start: 0) }
        for (place, names) in groups.sorted(by: {
            ($0.key.position, $0.key.start) < ($1.key.position, $1.key.start)
        }) {
            writer.beginArray()
            writer.integer(place.position)
            writer.integer(place.start)
            for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                writer.string(name)
            }
            writer.endArray()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Parses `text`. Throws `WireError` `cursor-expired` for anything else, so that a client with a damaged
    /// cursor starts again.
    package init(_ text: String) throws {
        guard text.utf8.count <= Self.maxBytes, let bytes = Base64URL.decode(text) else {
            throw WireError.badCursor()
        }
        do {
            self = try bytes.withUnsafeBufferPointer { try Self.read(buffer: $0) }
        } catch {
            throw WireError.badCursor()
        }
        // Each cursor has exactly one text. A different text was not issued by this server.
        guard self.text == text || Base64URL.encode(json) == text else { throw WireError.badCursor() }
    }

    private static func read(buffer: UnsafeBufferPointer<UInt8>) throws -> PageCursor {
        var reader = try JSONReader(buffer)
        var cursor = PageCursor(epoch: "", seen: 0, run: "", isSnapshot: false, places: [:])
        guard try reader.beginObject() else { throw WireError.badCursor() }
        repeat {
            switch try reader.name().decode() {
            case "v": guard try number(reader: &reader) == 1 else { throw WireError.badCursor() }
            case "epoch": cursor.epoch = try reader.string().decode()
            case "seen": cursor.seen = try number(reader: &reader)
            case "run": cursor.run = try reader.string().decode()
            case "snapshot": cursor.isSnapshot = try reader.boolean()
            case "sum": _ = try reader.string().decode()
            case "places":
                guard try reader.beginArray() else { continue }
                repeat { try place(&reader, into: &cursor) } while try reader.nextElement()
            default: throw WireError.badCursor()
            }
        } while try reader.nextMember()
        try reader.end()
        return cursor
    }

    private static func place(_ reader: inout JSONReader, into cursor: inout PageCursor) throws {
        guard try reader.beginArray() else { throw WireError.badCursor() }
        let position = try number(reader: &reader)
        guard try reader.nextElement() else { throw WireError.badCursor() }
        let place = Place(position: position, start: try number(reader: &reader))
        guard place.position <= place.start, place.start <= cursor.seen else { throw WireError.badCursor() }
        while try reader.nextElement() { cursor.places[try reader.string().decode()] = place }
    }

    private static func number(reader: inout JSONReader) throws -> Int64 {
        guard let value = Int64(String(decoding: try reader.number(), as: UTF8.self)), value >= 0 else {
            throw WireError.badCursor()
        }
        return value
    }
}

/// Base64 for URLs without padding (RFC 4648, section 5).
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        let encoded = Data(bytes).base64EncodedData()
        let count = encoded.lastIndex { $0 != UInt8(ascii: "=") }.map { $0 + 1 } ?? 0
        let text = String(unsafeUninitializedCapacity: count) { buffer in
            for (index, byte) in encoded.prefix(count).enumerated() {
                switch byte {
                case UInt8(ascii: "+"): buffer[index] = UInt8(ascii: "-")
                case UInt8(ascii: "/"): buffer[index] = UInt8(ascii: "_")
                default: buffer[index] = byte
                }
            }
            return count
        }
        return text
    }

    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 3)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): bytes.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): bytes.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: bytes.append(byte)
            }
        }
        while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(bytes)).map { [UInt8]($0) }
    }
}
