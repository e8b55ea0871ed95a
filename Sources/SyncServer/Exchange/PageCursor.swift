import Foundation
import SyncCore
import SyncWire

/// Where a reader of a log stands: for each entity the revision up to which it was given everything.
///
/// A reader that comes to know a further entity begins that one at 0 and goes on with the others, so the cursor never
/// passes what was not given. An entity that a request leaves out keeps its place.
package struct PageCursor: Hashable {
    /// The history that the positions belong to.
    var epoch: String
    /// The highest revision that the reader was told of: its places, and its own changes that were accepted.
    var seen: Int64
    /// The run that holds `seen`; empty at 0. In a log that was rolled back and went on, it is another, and as runs only
    /// ever follow each other, everything up to `seen` is the same where it is the same.
    var run: String
    /// Whether more pages of a full state are to come.
    var isSnapshot: Bool
    /// Places by entity.
    var places: [String: Place]

    /// How far a reader came in one entity.
    struct Place: Hashable {
        /// Everything up to this revision was given.
        var position: Int64
        /// Tombstones up to this revision are of no use to the reader: it was given them, or they stood when it began at 0,
        /// and it was never given what they delete. Never below `position`.
        var start: Int64

        /// Moves on.
        mutating func advance(to position: Int64) {
            self.position = max(self.position, position)
            start = max(start, self.position)
        }

        /// Whether tombstones that the reader needs are gone. At 0 it has nothing that could have been deleted.
        func isExpired(floor: Int64) -> Bool { position > 0 && floor > start }
    }
}

extension PageCursor {
    /// The longest cursor that is looked at.
    static let maxBytes = 64 << 10

    /// The cursor as text that clients keep and do not read: base64url of
    /// `{"v":1,"epoch":"…","seen":7,"run":"…","snapshot":true,"places":[[position,start,"entity",…],…],"sum":"…"}`.
    ///
    /// The sum is over all that stands before it. A cursor that was damaged on the way would otherwise be taken for one of
    /// another history, which only a person can sort out. Older cursors have none.
    package var text: String {
        var bytes = json
        bytes.removeLast()
        return Base64URL.encode(bytes + Array((#","sum":""# + Self.sum(bytes: bytes) + #""}"#).utf8))
    }

    /// FNV-1a, 64 bits: against accidents, not against people.
    private static func sum(bytes: [UInt8]) -> String {
        let sum = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(sum, radix: 16)
    }

    /// All but the sum.
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

    /// Reads what `text` writes. Throws `WireError` `cursor-expired` for anything else, so that a client whose cursor was
    /// damaged begins again.
    package init(_ text: String) throws {
        guard text.utf8.count <= Self.maxBytes, let bytes = Base64URL.decode(text) else {
            throw WireError.badCursor()
        }
        do {
            self = try bytes.withUnsafeBufferPointer { try Self.read(buffer: $0) }
        } catch {
            throw WireError.badCursor()
        }
        // One state has one text; a text that says the same in another way was not given by this server.
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
        var text = Data(bytes).base64EncodedString()
        text.replace("+", with: "-")
        text.replace("/", with: "_")
        text.replace("=", with: "")
        return text
    }

    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
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
