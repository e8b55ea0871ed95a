import SyncCore

/// The columns of an entity's table and their meaning, as stored in the catalogue.
///
/// Opening a store compares it with the shape of the schema. If they are equal, there is nothing to do.
struct TableShape: Sendable, Equatable {
    /// The schema's version.
    var version: Int
    /// The key fields.
    var key: [String]
    /// The columns of fields, in the order of their slots.
    var columns: [Column]
    /// Field lists of the indexes, in the given order.
    var indexes: [[String]]
    /// The fields of the full-text index; empty if there is none.
    var search: [String] = []
    /// The version of the rules by which it divides texts into words; 0 if there is none.
    var searchVersion = 0

    struct Column: Sendable, Equatable {
        /// The field's name, which is the column's.
        var name: String
        /// The field's bit that distinguishes null from absent.
        var slot: Int
        /// The kind of value. See `FieldType.kind`.
        var kind: String
        /// The value's path on the wire.
        var path: [String]
        /// What is inside a list or a nested object; nil for other kinds.
        var nested: NestedShape?
        /// Whether the field stays on this device.
        var isLocalOnly: Bool
        /// Whether the schema has dropped the field. The column keeps its values.
        var isRetired = false
    }
}

extension TableShape {
    /// The shape of a new table.
    init(_ descriptor: EntityDescriptor) {
        version = descriptor.version
        key = descriptor.key
        columns = descriptor.fields.enumerated().map { Column(field: $1, slot: $0) }
        indexes = Self.indexes(descriptor: descriptor)
        setSearch(descriptor.search)
    }

    /// Sets the fields of the full-text index, which follows the present rules.
    mutating func setSearch(_ fields: [String]) {
        (search, searchVersion) = (fields, fields.isEmpty ? 0 : SearchTable.version)
    }

    /// One index for each list that is looked up, without duplicates.
    static func indexes(descriptor: EntityDescriptor) -> [[String]] {
        var indexes: [[String]] = []
        let lists = descriptor.unique + descriptor.indexes + descriptor.references.map(\.fields)
        for list in lists where !indexes.contains(list) { indexes.append(list) }
        return indexes
    }

    /// Whether a list of fields asks for an index of a list's elements.
    func isElementIndex(_ fields: [String]) -> Bool {
        fields.count == 1 && column(name: fields[0])?.nested != nil
    }

    /// The column of a field that is in use.
    func column(name: String) -> Column? {
        columns.first { !$0.isRetired && $0.name.hasSameBytes(as: name) }
    }
}

extension TableShape.Column {
    init(field: FieldDescriptor, slot: Int) {
        self.init(
            name: field.name,
            slot: slot,
            kind: field.type.kind,
            path: field.wirePath,
            nested: field.type.isStructured ? NestedShape(field.type) : nil,
            isLocalOnly: field.isLocalOnly
        )
    }
}

extension FieldType {
    /// The kind of a column's values. A column cannot change it, because the same bytes would mean something else.
    var kind: String {
        switch self {
        case .boolean: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .dateTime: "date-time"
        case .data: "data"
        case .decimal: "decimal"
        case .date: "date"
        case .array: "array"
        case .object: "object"
        case .map: "map"
        case .string, .uuid, .uri, .enumeration: "text"
        }
    }
}
