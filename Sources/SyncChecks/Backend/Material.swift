import SyncCore

/// Generates keys and bodies of one entity that fit its schema, from a seed.
struct Material: Sendable {
    let entity: EntityDescriptor

    /// Nil if no valid keys or values can be generated, for example because of a pattern.
    init?(_ entity: EntityDescriptor) {
        self.entity = entity
        for number in [1, Scene.maxBatch] where body(key: key(number: number), time: 0) == nil { return nil }
    }

    var name: String { entity.name }

    /// The key for a number. Text keys sort like the numbers.
    func key(number: Int) -> Key {
        let values = entity.layout.key.map { index -> FieldValue in
            let digits = String(repeating: "0", count: 12 - String(number).utf8.count) + String(number)
            switch entity.fields[index].type {
            case .integer(let minimum, _): return .integer((minimum ?? 0) + Int64(number))
            case .uuid: return .text("00000000-0000-4000-8000-\(digits)")
            case .uri: return .text("https://example.org/\(digits)")
            case .date:
                let date = CalendarDate(
                    year: 1 + number / 336,
                    month: 1 + number / 28 % 12,
                    day: 1 + number % 28
                )
                return .text(date?.description ?? "")
            default: return .text("key-\(digits)")
            }
        }
        return Key(values: values, name: recordKey(values: values))
    }

    /// The key with the given text; nil if the key is not free text.
    func key(text: String) -> Key? {
        guard entity.layout.key.count == 1 else { return nil }
        let key = Key(values: [.text(text)], name: RecordKey(text))
        return body(key: key, time: 0) == nil ? nil : key
    }

    /// A record's wire object for an edit at a time. Different seeds give different values. Nil if no value
    /// is valid.
    func body(
        key: Key,
        time: Int64,
        seed: UInt64 = 0,
        text: (field: Int, value: String)? = nil,
        unknown: [UnknownField] = []
    ) -> [UInt8]? {
        var seed = Seed(seed)
        for _ in 0..<20 {
            var record = RecordGenerator(entity).record(key: "", seed: &seed)
            for (index, value) in zip(entity.layout.key, key.values) { record.values[index] = value }
            for index in [entity.layout.created, entity.layout.updated].compactMap({ $0 }) {
                record.values[index] = .timestamp(Timestamp(microseconds: Self.start + time))
            }
            if let index = entity.layout.deleted, entity.fields[index].isRequired {
                record.values[index] = entity.fields[index].type == .boolean ? .boolean(false) : .null
            }
            if let text { record.values[text.field] = .text(text.value) }
            record.unknown = unknown
            let bytes = RecordEncoder(descriptor: entity, form: .wire).bytes(record)
            var decoder = RecordDecoder(descriptor: entity, form: .wire)
            if let decoded = try? decoder.record(bytes), entity.key(of: decoded) == key.name {
                return bytes
            }
        }
        return nil
    }

    /// Fields outside the key that accept any text up to a length in Unicode scalars.
    func freeTexts(length: Int) -> [Int] {
        entity.fields.indices.filter { index in
            guard case .string(let minimum, let maximum, nil, nil) = entity.fields[index].type else {
                return false
            }
            return minimum ?? 0 <= 1 && maximum ?? .max >= length && !entity.layout.key.contains(index)
                && !entity.fields[index].isLocalOnly
        }
    }

    /// A wire object that violates the schema: a field outside the key contains the text `value` instead of
    /// its type. If no field can, the object is empty.
    func brokenBody(key: Key, value: String) -> [UInt8] {
        for field in entity.fields where !entity.key.contains(field.name) && field.wirePath.count == 1 {
            var writer = JSONWriter()
            writer.beginObject()
            for (index, value) in zip(entity.layout.key, key.values) {
                writer.name(entity.fields[index].wirePath[0])
                if case .integer(let number) = value { writer.integer(number) }
                if case .text(let text) = value { writer.string(text) }
            }
            writer.name(field.wirePath[0])
            writer.string(value)
            writer.endObject()
            var decoder = RecordDecoder(descriptor: entity, form: .wire)
            decoder.requiresAll = false
            if (try? decoder.record(writer.bytes)) == nil { return writer.bytes }
        }
        return Array("{}".utf8)
    }

    /// The start of the suite's times. It is in the past, so that no remote lowers them.
    static let start: Int64 = 1_735_689_600_000_000  // 2025-01-01T00:00:00Z

    private func recordKey(values: [FieldValue]) -> RecordKey {
        var record = Record(empty: entity)
        for (index, value) in zip(entity.layout.key, values) { record.values[index] = value }
        return entity.key(of: record) ?? RecordKey("")
    }

    /// A key as field values and in its wire form.
    struct Key: Sendable {
        var values: [FieldValue]
        var name: RecordKey
    }
}
