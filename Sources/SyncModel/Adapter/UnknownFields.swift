/// Unknown members of a record, which this version of the schema does not have, and the nullable fields that were
/// absent.
///
/// Every generated model has one, so that an older app passes records on unchanged. In a record that was read, it
/// also remembers what has been changed since, so that saving the record overwrites nothing else. That is no part
/// of the record's value: neither `==` and `hash` nor JSON show it. Whether a nil is null or absent is no part of it
/// either: records that look the same are equal.
public struct UnknownFields: Sendable {
    /// Members that the schema does not know, sorted by path as bytes.
    public private(set) var members: [UnknownField]
    /// Nullable fields that the record came without, in schema order: their nil means absent, not null.
    public private(set) var absentFields: [String]
    /// The store that the record was read from; `none` for a record that was made.
    package internal(set) var store = StoreID.none
    /// The fields of a record that was read which were changed since, or of a new one which it was made without.
    private var changes: [FormerValue] = []

    /// No unknown members and no absent fields.
    public init() {
        members = []
        absentFields = []
    }

    /// Takes members, in any order, and the names of absent fields.
    public init(members: [UnknownField], absentFields: [String] = []) {
        self.members = members.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        self.absentFields = absentFields
    }

    /// Whether nothing is unknown. Absent fields do not count.
    public var isEmpty: Bool { members.isEmpty }

    /// The JSON text of an unknown member, or nil.
    public subscript(path: String) -> String? {
        members.first { $0.path.utf8.elementsEqual(path.utf8) }?.json
    }

    /// Whether the record came without an optional nullable field.
    public func isAbsent(_ field: String) -> Bool {
        absentFields.contains(field)
    }

    /// Notes that a field was given a value. From now on its nil means null.
    public mutating func markPresent(_ field: String) {
        absentFields.removeAll { $0 == field }
    }

    /// Notes that a property was set. If that changed it, nil means null from now on.
    public mutating func noteChange<Value: FieldConvertible & Equatable>(
        of field: String,
        from former: Value,
        to value: Value
    ) {
        if store == .none, !changes.isEmpty { changes.removeAll { $0.field == field } }
        if former == value, former.hasSameText(as: value) { return }
        if store != .none, !changes.contains(where: { $0.field == field }) {
            let value = FormerValue.Value.property(former, wasAbsent: isAbsent(field))
            changes.append(FormerValue(field: field, value: value))
        }
        if !absentFields.isEmpty { markPresent(field) }
    }

    /// Notes that a new record is made without a field that has a default. Written so, the field gives way to any value
    /// that somebody has written, also to one that equals the default.
    public mutating func omit(_ field: String, if isOmitted: Bool) {
        if isOmitted { changes.append(FormerValue(field: field, value: .column(nil))) }
    }
}

/// The value that a field had before its record was changed: absent in a new one that was made without it.
private struct FormerValue: Sendable {
    let field: String
    let value: Value

    enum Value: Sendable {
        /// A model's property, and whether the record came without the field.
        case property(any FieldConvertible, wasAbsent: Bool)
        /// The value in a column; nil if the field was absent.
        case column(FieldValue?)
    }

    /// The value in a column; nil if the field was absent.
    func fieldValue(of field: FieldDescriptor) throws -> FieldValue? {
        switch value {
        case .column(let value): return value
        case .property(_, wasAbsent: true): return nil
        case .property(let value, wasAbsent: false):
            let former = try value.fieldValue(as: field.type)
            return former == .null && !field.isNullable ? nil : former
        }
    }
}

extension UnknownFields {
    /// The record as it was read, given its present values. Nil if it was not read from a store. Throws `FieldError`
    /// for a value that cannot be kept.
    package func base(of record: Record, fields: [FieldDescriptor]) throws -> Record? {
        guard store != .none else { return nil }
        var base = record
        for former in changes {
            guard let index = fields.firstIndex(where: { $0.name == former.field }) else { continue }
            base.values[index] = try former.fieldValue(of: fields[index])
        }
        return base
    }

    /// Fields with a default that a new record was made without.
    package var omittedFields: [String] { store == .none ? changes.map(\.field) : [] }

    /// The values of a new record without the fields that it was made without.
    package func leavingOmitted(of record: Record, fields: [FieldDescriptor]) -> Record {
        guard store == .none, !changes.isEmpty else { return record }
        var record = record
        for index in fields.indices where omittedFields.contains(fields[index].name) {
            record.values[index] = nil
        }
        return record
    }

    /// Makes `base` what the record was read as, given its present values.
    mutating func setBase(_ base: Record, of record: Record, fields: [FieldDescriptor], store: StoreID) {
        self.store = store
        changes = fields.indices.filter { base.values[$0] != record.values[$0] }.map { index in
            FormerValue(field: fields[index].name, value: .column(base.values[index]))
        }
    }
}

extension UnknownFields: Hashable {
    public static func == (left: UnknownFields, right: UnknownFields) -> Bool {
        left.members == right.members
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(members)
    }
}

extension UnknownFields: CustomReflectable {
    /// The members and the absent fields: what the record holds.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["members": members, "absentFields": absentFields],
            displayStyle: .struct
        )
    }
}
