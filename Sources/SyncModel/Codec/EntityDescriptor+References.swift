extension EntityDescriptor {
    /// Whether a reference holds a list of keys.
    package func isList(_ reference: ReferenceDescriptor) -> Bool { element(of: reference) != nil }

    /// The references by which the records of this entity form trees: single ones to the entity itself, unless the
    /// schema allows circles.
    package var trees: [ReferenceDescriptor] {
        references.filter { $0.entity == name && !$0.isCyclic && !isList($0) }
    }

    /// Whether nothing may stand in a reference, so that it can be cleared.
    package func isClearable(_ reference: ReferenceDescriptor) -> Bool {
        layout.position(of: reference.field).map { fields[$0].isNullable || !fields[$0].isRequired } ?? false
    }

    /// The keys that a record holds by a reference: none, one, or those of a list without its nulls.
    package func keys(of reference: ReferenceDescriptor, in record: Record) -> [RecordKey] {
        let positions = reference.fields.compactMap { layout.position(of: $0) }
        guard positions.count == reference.fields.count, let first = positions.first else { return [] }
        if let element = element(of: reference) {
            guard case .json(let text)? = record.values[first],
                let elements = try? FieldJSON.elements(of: text, element: element)
            else { return [] }
            return elements.compactMap { Self.key(values: [$0]) }
        }
        return Self.key(values: positions.map { record.values[$0] }).map { [$0] } ?? []
    }

    /// The record with each key of a reference replaced. A nil key takes the key out of a list, or clears the field
    /// that names the reference. A list keeps each key once, and a set stays sorted.
    package func replacingKeys(
        of reference: ReferenceDescriptor,
        in record: Record,
        by replacement: (RecordKey) throws -> RecordKey?
    ) rethrows -> Record {
        let former = keys(of: reference, in: record)
        let keys = try former.map(replacement)
        guard keys != former.map(Optional.some) else { return record }
        var result = record
        if let element = element(of: reference), let position = layout.position(of: reference.field) {
            var seen: Set<RecordKey> = []
            let kept = keys.compactMap(\.self).filter { seen.insert($0).inserted }
            let isSet = fields[position].type.isSet
            result.values[position] = .json(Self.list(of: kept, element: element, isSet: isSet))
        } else if let key = keys.first {
            set(reference, to: key, in: &result)
        }
        return result
    }

    /// The record with a key in a reference: put into a list, or in place of what a single reference held.
    package func adding(_ key: RecordKey, to reference: ReferenceDescriptor, in record: Record) -> Record {
        var result = record
        guard let element = element(of: reference), let position = layout.position(of: reference.field) else {
            set(reference, to: key, in: &result)
            return result
        }
        let keys = keys(of: reference, in: record)
        if keys.contains(key) { return record }
        let isSet = fields[position].type.isSet
        result.values[position] = .json(Self.list(of: keys + [key], element: element, isSet: isSet))
        return result
    }

    /// The reference of which a delete has cleared the value; nil if the schema has none in that field.
    package func reference(of cleared: ClearedReference) -> ReferenceDescriptor? {
        references.first { markName(of: $0) == cleared.field && $0.entity == cleared.cause.entity }
    }

    /// The name of a reference's field in field timestamps.
    package func markName(of reference: ReferenceDescriptor) -> String? {
        layout.position(of: reference.field).map { fields[$0].markName }
    }

    /// Whether somebody has filled a reference that a delete has cleared: a list holds the key, and a single one has any
    /// value, or another one in the fields that a delete leaves.
    package func isFilled(_ cleared: ClearedReference, in record: Record) -> Bool {
        guard let reference = reference(of: cleared), let position = layout.position(of: reference.field)
        else {
            return false
        }
        if isList(reference) { return keys(of: reference, in: record).contains(cleared.cause.key) }
        switch record.values[position] {
        case nil, .null?: break
        default: return true
        }
        let positions = reference.fields.compactMap { layout.position(of: $0) }
        let values = cleared.cause.key.values(types: positions.map { fields[$0].type }) ?? []
        return zip(positions, values).contains { $0 != position && record.values[$0] != $1 }
    }

    /// Sets the fields of a reference that is no list; nil clears the one that names the reference.
    private func set(_ reference: ReferenceDescriptor, to key: RecordKey?, in record: inout Record) {
        let positions = reference.fields.compactMap { layout.position(of: $0) }
        guard let key else {
            guard let position = layout.position(of: reference.field) else { return }
            record.values[position] = fields[position].isNullable ? .null : nil
            return
        }
        guard let values = key.values(types: positions.map { fields[$0].type }) else { return }
        for (position, value) in zip(positions, values) { record.values[position] = value }
    }

    /// The type of a list's keys; nil for a reference that is no list.
    private func element(of reference: ReferenceDescriptor) -> FieldType? {
        guard reference.fields.count == 1, let position = layout.position(of: reference.field),
            case .array(let element, _, _, _, _) = fields[position].type
        else { return nil }
        return element
    }

    private static func list(of keys: [RecordKey], element: FieldType, isSet: Bool) -> String {
        let values = keys.compactMap { element.value(ofKey: $0.text) }
        return FieldJSON.array(count: values.count, isSet: isSet) { index, writer in
            FieldJSON.write(values[index], to: &writer)
        }
    }
}

extension EntityDescriptor {
    /// A record with nothing but the values of its key, as far as the fields can hold them. A tombstone needs no more.
    package func record(withKeyOnly key: RecordKey) -> Record {
        var record = Record(empty: self)
        let values = key.values(types: layout.key.map { fields[$0].type }) ?? []
        for (index, value) in zip(layout.key, values) { record.values[index] = value }
        return record
    }
}

extension RecordKey {
    /// The values of the fields that make up the key, which have the given types; nil for a text that is no such key.
    package func values(types: [FieldType]) -> [FieldValue]? {
        if types.count == 1 { return types[0].value(ofKey: text).map { [$0] } }
        var copy = text
        let parts = copy.withUTF8 { bytes -> [String]? in
            guard var reader = try? JSONReader(bytes) else { return nil }
            return try? Self.parts(reader: &reader)
        }
        guard let parts, parts.count == types.count else { return nil }
        let values = zip(types, parts).compactMap { type, part in type.value(ofKey: part) }
        return values.count == types.count ? values : nil
    }

    /// The elements of the text of a key of several fields.
    private static func parts(reader: inout JSONReader) throws -> [String] {
        var parts: [String] = []
        guard try reader.peek() == UInt8(ascii: "["), try reader.beginArray() else { return parts }
        repeat {
            let isText = try reader.peek() == UInt8(ascii: "\"")
            parts.append(
                isText ? try reader.string().decode() : String(decoding: try reader.number(), as: UTF8.self)
            )
        } while try reader.nextElement()
        return parts
    }
}

extension FieldType {
    /// The value that the text of a key stands for; nil if a field of this type cannot hold it.
    package func value(ofKey text: String) -> FieldValue? {
        switch self {
        case .integer: Int64(text).map { .integer($0) }
        case .dateTime: Timestamp(text).map { .timestamp($0) }
        case .boolean, .number, .data, .array, .object, .map: nil
        case .string, .uuid, .date, .uri, .decimal, .enumeration: .text(text)
        }
    }
}
