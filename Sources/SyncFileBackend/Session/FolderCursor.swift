import SyncCore
import SyncWire

/// How far a store has read and written in a folder. Opaque to other modules.
package struct FolderCursor: Sendable, Hashable {
    /// The incarnation of `own`.
    var device: DeviceID
    /// The number of the last segment that this incarnation published, 0 before the first.
    var own: Int64 = 0
    /// The fingerprint of that segment, if it is known.
    var ownDigest: String?
    /// The highest sequence of this incarnation that it has published.
    var sequence: Int64 = 0
    /// All numbers up to this one may have been used before the folder lost them. The next segment has a higher one.
    var used: Int64 = 0
    /// Whether this incarnation's own entries must still be read back: after a rejoin or an unanswered push.
    var readsOwn = false
    /// The numbers taken from every other device.
    var taken: [DeviceID: NumberSet] = [:]
    /// The tags of each device's last numbers, as taken or written.
    var tags: [DeviceID: TagNotes] = [:]
    /// What absence from the folder's full state means, if that has still to be read; otherwise nil.
    var comparing: RemotePage.Absence?
    /// Numbers that were taken and whose files were gone at the last sync, by device.
    var missing: [DeviceID: NumberSet] = [:]
    /// Missing numbers whose versions this store has published again.
    var replaced: [DeviceID: NumberSet] = [:]
    /// Whether it was told that the folder's file system cannot flush names.
    var toldOfFlush = false

    /// The cursor of a store that never synced.
    init(device: DeviceID) {
        self.device = device
    }

    /// Compact JSON with sorted devices: equal cursors have equal text.
    package var text: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("version", value: 1)
        writer.member("device", value: device.description)
        writer.member("own", value: own)
        if let ownDigest { writer.member("digest", value: ownDigest) }
        writer.member("sequence", value: sequence)
        if used > 0 { writer.member("used", value: used) }
        if readsOwn { writer.member("readsOwn", value: true) }
        if toldOfFlush { writer.member("toldOfFlush", value: true) }
        if let comparing { writer.member("comparing", value: comparing.rawValue) }
        Self.write("taken", sets: taken, to: &writer)
        if !missing.isEmpty { Self.write("missing", sets: missing, to: &writer) }
        if !replaced.isEmpty { Self.write("replaced", sets: replaced, to: &writer) }
        if !tags.isEmpty {
            writer.name("tags")
            writer.beginObject()
            for (device, notes) in tags.sorted(by: { $0.key < $1.key }) {
                writer.member(device.description, value: notes.text)
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.text
    }

    private static func write(_ name: String, sets: [DeviceID: NumberSet], to writer: inout JSONWriter) {
        writer.name(name)
        writer.beginObject()
        for (device, numbers) in sets.sorted(by: { $0.key < $1.key }) {
            writer.name(device.description)
            writer.beginArray()
            writer.integer(numbers.contiguous)
            for range in numbers.beyond {
                writer.integer(range.lowerBound)
                writer.integer(range.upperBound)
            }
            writer.endArray()
        }
        writer.endObject()
    }

    /// Reads the text; nil for anything else. That counts as a lost cursor, and everything is read again.
    package init?(_ text: String) {
        var copy = text
        let cursor = copy.withUTF8 { try? Self.read(bytes: $0) }
        guard let cursor else { return nil }
        self = cursor
    }

    private static func read(bytes: UnsafeBufferPointer<UInt8>) throws -> FolderCursor? {
        var reader = try JSONReader(bytes)
        var device: DeviceID?
        var cursor = FolderCursor(device: DeviceID(bits: 0))
        guard try reader.beginObject() else { return nil }
        repeat {
            switch try reader.name().decode() {
            case "version": guard try reader.integer() == 1 else { return nil }
            case "device": device = DeviceID(try reader.string().decode())
            case "own": cursor.own = try reader.integer()
            case "digest": cursor.ownDigest = try reader.string().decode()
            case "sequence": cursor.sequence = try reader.integer()
            case "used": cursor.used = try reader.integer()
            case "readsOwn": cursor.readsOwn = try reader.boolean()
            case "toldOfFlush": cursor.toldOfFlush = try reader.boolean()
            case "comparing":
                guard let absence = RemotePage.Absence(rawValue: try reader.string().decode()) else {
                    return nil
                }
                cursor.comparing = absence
            case "taken": cursor.taken = try byDevice(reader: &reader, value: numbers)
            case "missing": cursor.missing = try byDevice(reader: &reader, value: numbers)
            case "replaced": cursor.replaced = try byDevice(reader: &reader, value: numbers)
            case "tags":
                cursor.tags = try byDevice(reader: &reader) { reader in
                    guard let notes = TagNotes(try reader.string().decode()) else {
                        throw reader.error(kind: .unexpectedByte)
                    }
                    return notes
                }
            default: try reader.skipValue()
            }
        } while try reader.nextMember()
        try reader.end()
        let numbers = 0...NumberedFile.maxNumber
        guard let device, numbers.contains(cursor.own), numbers.contains(cursor.used) else { return nil }
        cursor.device = device
        return cursor
    }

    private static func byDevice<Value>(
        reader: inout JSONReader,
        value: (inout JSONReader) throws -> Value
    ) throws -> [DeviceID: Value] {
        var values: [DeviceID: Value] = [:]
        guard try reader.beginObject() else { return values }
        repeat {
            guard let device = DeviceID(try reader.name().decode()) else {
                throw reader.error(kind: .unexpectedByte)
            }
            values[device] = try value(&reader)
        } while try reader.nextMember()
        return values
    }

    private static func numbers(reader: inout JSONReader) throws -> NumberSet {
        var values: [Int64] = []
        if try reader.beginArray() {
            repeat { values.append(try reader.integer()) } while try reader.nextElement()
        }
        guard values.count % 2 == 1, values.allSatisfy({ (0...NumberedFile.maxNumber).contains($0) }) else {
            throw reader.error(kind: .unexpectedByte)
        }
        var numbers = NumberSet(contiguous: values[0])
        for index in stride(from: 1, to: values.count, by: 2) {
            guard values[index] <= values[index + 1] else { throw reader.error(kind: .unexpectedByte) }
            numbers.insert(values[index]...values[index + 1])
        }
        return numbers
    }
}

/// Recognises an unacknowledged push in the folder.
package struct FolderIntent: Sendable, Hashable {
    /// The file of the push.
    var file: NumberedFile
    /// The fingerprint of that file.
    var digest: String

    /// Makes an intent.
    init(file: NumberedFile, digest: String) {
        self.file = file
        self.digest = digest
    }

    /// JSON text.
    package var text: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("file", value: file.name)
        writer.member("digest", value: digest)
        writer.endObject()
        return writer.text
    }

    /// Reads what `text` writes; nil for anything else.
    package init?(_ text: String) {
        var copy = text
        guard let members = copy.withUTF8({ try? SmallObject($0) }),
            let file = members.text(name: "file").flatMap({ NumberedFile(name: $0) }),
            let digest = members.text(name: "digest")
        else { return nil }
        self.init(file: file, digest: digest)
    }
}

/// Binds a store to a folder: the incarnation whose device file must be there.
package struct FolderBinding: Sendable, Hashable {
    /// The incarnation.
    var device: DeviceID

    /// JSON text.
    package var text: String { "{\"folder\":\"\(device)\"}" }

    /// Makes a binding.
    init(device: DeviceID) {
        self.device = device
    }

    /// Reads what `text` writes; nil for anything else, such as the binding of another kind of remote.
    package init?(_ text: String) {
        var copy = text
        guard let members = copy.withUTF8({ try? SmallObject($0) }),
            let device = members.text(name: "folder").flatMap({ DeviceID($0) })
        else { return nil }
        self.init(device: device)
    }
}
