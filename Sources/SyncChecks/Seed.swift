public import SyncCore

/// A small random number generator that gives the same numbers for the same seed (SplitMix64, public domain).
public struct Seed: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts from a seed.
    public init(_ seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}

/// Values that fit a field, and records that fit an entity, drawn from a seed. Few distinct values, so that edits meet.
public struct RecordGenerator: Sendable {
    let descriptor: EntityDescriptor

    /// Draws records of one entity.
    public init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
    }

    /// A whole record under a key.
    public func record(key: String, seed: inout Seed) -> Record {
        var record = Record(empty: descriptor)
        for (index, field) in descriptor.fields.enumerated() {
            if descriptor.layout.key.contains(index) {
                record.values[index] =
                    field.type.columnType == "INTEGER" ? .integer(Int64(key) ?? 0) : .text(key)
            } else if [descriptor.layout.created, descriptor.layout.updated, descriptor.layout.deleted]
                .contains(index)
            {
                continue
            } else {
                record.values[index] = value(field, seed: &seed)
            }
        }
        return record
    }

    /// A whole record whose key comes from a number.
    public func record(number: Int, seed: inout Seed) -> Record {
        var record = record(key: "k\(number)", seed: &seed)
        for index in descriptor.layout.key {
            var draw = Seed(UInt64(number))
            switch descriptor.fields[index].type {
            case .string(let minimum, _, nil):
                let text = "k\(number)"
                let pad = max(0, (minimum ?? 0) - text.utf8.count)
                record.values[index] = .text(text + String(repeating: "x", count: pad))
            case .uuid: record.values[index] = .text("00000000-0000-4000-8000-00000000000\(number)")
            case let type: record.values[index] = value(type, seed: &draw)
            }
        }
        return record
    }

    /// The record with some of its fields drawn anew.
    public func edit(_ record: Record, seed: inout Seed) -> Record {
        var record = record
        let free = descriptor.layout.units.flatMap(\.fields)
        for _ in 0..<Int.random(in: 1...2, using: &seed) {
            guard let index = free.randomElement(using: &seed) else { break }
            record.values[index] = value(descriptor.fields[index], seed: &seed)
        }
        return record
    }

    private func value(_ field: FieldDescriptor, seed: inout Seed) -> FieldValue? {
        if !field.isRequired, Int.random(in: 0..<5, using: &seed) == 0 { return nil }
        if field.isNullable, Int.random(in: 0..<5, using: &seed) == 0 { return .null }
        return value(field.type, seed: &seed)
    }

    private func value(_ type: FieldType, seed: inout Seed) -> FieldValue {
        let number = Int64.random(in: 1...4, using: &seed)
        switch type {
        case .string(let minimum, _, _):
            return .text("text \(number)" + String(repeating: "x", count: minimum ?? 0))
        case .integer(let minimum, _): return .integer((minimum ?? 0) + number)
        case .number: return .number(Double(number) / 2)
        case .boolean: return .boolean(number > 2)
        case .uuid: return .text("00000000-0000-4000-8000-00000000000\(number)")
        case .dateTime: return .timestamp(Timestamp(microseconds: number * 1_000_001))
        case .date: return .text("2025-01-0\(number)")
        case .uri: return .text("https://example.org/\(number)")
        case .decimal: return .text("\(number).5")
        case .data: return .bytes([UInt8(number)])
        case .enumeration(let values): return .text(values[Int(number) % values.count])
        case .array(let element, _, let isSet, _, _):
            var writer = JSONWriter()
            writer.beginArray()
            var elements: Set<RecordKey> = []
            for _ in 0..<number { elements.insert(RecordKey(json(element, seed: &seed))) }
            for element in isSet ? elements.sorted() : Array(elements.sorted().prefix(2)) {
                writer.raw(element.text)
            }
            writer.endArray()
            return .json(writer.text)
        case .object: return .json(json(type, seed: &seed))
        }
    }

    /// A nested value as canonical JSON.
    private func json(_ type: FieldType, seed: inout Seed) -> String {
        var writer = JSONWriter()
        if case .object(let fields) = type {
            writer.beginObject()
            for field in fields where field.isRequired || Bool.random(using: &seed) {
                writer.name(field.name)
                writer.raw(json(field.type, seed: &seed))
            }
            writer.endObject()
            return writer.text
        }
        switch value(type, seed: &seed) {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .integer(let value): writer.integer(value)
        case .number(let value): writer.number(value)
        case .timestamp(let value): writer.string(value.description)
        case .text(let value): writer.string(value)
        case .json(let value): writer.raw(value)
        case .bytes: writer.string("AQ==")
        }
        return writer.text
    }
}
