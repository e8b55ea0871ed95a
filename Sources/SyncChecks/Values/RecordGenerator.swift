public import SyncCore

/// Generates valid records of an entity from a seed. It uses few distinct values, so that edits collide.
public struct RecordGenerator: Sendable {
    let descriptor: EntityDescriptor

    /// What a key of text begins with.
    private static let keyWord = "k"

    /// Makes a generator for one entity.
    public init(_ descriptor: EntityDescriptor) {
        self.descriptor = descriptor
    }

    /// Required fields for which no value can be generated, for example because of a lookaround pattern or a
    /// conflict of pattern and length. If this is empty, all generated records are valid.
    public var fieldsWithoutValues: [String] {
        let keys = Set(descriptor.layout.key)
        return descriptor.fields.enumerated().filter { index, field in
            guard field.isRequired || keys.contains(index), !isKeptByStore(index) else { return false }
            return !(1...ValueGenerator.width).allSatisfy { number in
                var seed = Seed(UInt64(number))
                return keys.contains(index)
                    ? key(field: field, number: number) != nil : value(field: field, seed: &seed) != nil
            }
        }.map(\.element.name)
    }

    /// A whole record with a key. A free text key is used as it is.
    public func record(key: String, seed: inout Seed) -> Record {
        var record = Record(empty: descriptor)
        for (index, field) in descriptor.fields.enumerated() {
            if descriptor.layout.key.contains(index) {
                record.values[index] =
                    field.type.columnType == "INTEGER" ? .integer(Int64(key) ?? 0) : .text(key)
            } else if !isKeptByStore(index) {
                record.values[index] = value(field: field, width: width(index: index), seed: &seed)
            } else if index == descriptor.layout.deleted, field.isRequired {
                record.values[index] = field.isNullable ? .null : .boolean(false)
            }
        }
        return record
    }

    /// A whole record whose key is generated from a number, from 1.
    public func record(number: Int, seed: inout Seed) -> Record {
        var record = record(key: "\(Self.keyWord)\(number)", seed: &seed)
        let fields = descriptor.layout.key
        for (position, index) in fields.enumerated() {
            // Composite keys share some of their fields.
            let isLast = position == fields.count - 1
            let part = fields.count == 1 ? number : isLast ? (number + 1) / 2 : (number + 1) % 2 + 1
            if let value = key(field: descriptor.fields[index], number: part) { record.values[index] = value }
        }
        return record
    }

    /// The record with some fields generated anew.
    public func edit(_ record: Record, seed: inout Seed) -> Record {
        var record = record
        let free = descriptor.layout.units.flatMap(\.fields)
        for _ in 0..<Int.random(in: 1...2, using: &seed) {
            guard let index = free.randomElement(using: &seed) else { break }
            let drawn = value(field: descriptor.fields[index], width: width(index: index), seed: &seed)
            if drawn != nil || !descriptor.fields[index].isRequired { record.values[index] = drawn }
        }
        return record
    }

    /// The number of distinct values of a field: fewer for unique fields, so that duplicates are frequent.
    private func width(index: Int) -> Int {
        let isUnique = descriptor.layout.unique.contains { $0.contains(index) }
        return isUnique ? ValueGenerator.width / 2 : ValueGenerator.width
    }

    /// Whether a write sets the field itself: times and delete flags.
    private func isKeptByStore(_ index: Int) -> Bool {
        [descriptor.layout.created, descriptor.layout.updated, descriptor.layout.deleted].contains(index)
    }

    private func key(field: FieldDescriptor, number: Int) -> FieldValue? {
        if case .string(let minimum, let maximum, nil, let maxBytes) = field.type {
            return .text(
                ValueGenerator.text(
                    word: Self.keyWord,
                    number: number,
                    minimum: minimum ?? 0,
                    maximum: min(maximum ?? .max, maxBytes ?? .max)
                )
            )
        }
        var seed = Seed(UInt64(number))
        return ValueGenerator(descriptor: descriptor).value(type: field.type, number: number, seed: &seed)
    }

    private func value(field: FieldDescriptor, width: Int = ValueGenerator.width, seed: inout Seed)
        -> FieldValue?
    {
        if !field.isRequired, Int.random(in: 0..<5, using: &seed) == 0 { return nil }
        if field.isNullable, Int.random(in: 0..<5, using: &seed) == 0 { return .null }
        // What refers to others often holds the key of a record.
        let isReference = descriptor.references.contains { $0.fields.contains(field.name) }
        let values = ValueGenerator(descriptor: descriptor, word: isReference ? Self.keyWord : "text ")
        return values.value(of: field, width: width, seed: &seed)
            ?? field.defaultJSON.flatMap { fallback(field: field, json: $0) }
            ?? (field.isNullable ? .null : nil)
    }

    /// The schema's default.
    private func fallback(field: FieldDescriptor, json: String) -> FieldValue? {
        let adopted = field.type.adopting(value: .json(json))
        if case .json = adopted, !field.type.isStructured { return nil }
        return adopted
    }
}
