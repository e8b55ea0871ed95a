/// Unknown members of a record, which this version of the schema does not have, and the nullable fields that were
/// absent.
///
/// Every generated model has one, so that an older app passes records on unchanged.
public struct UnknownFields: Sendable, Hashable {
    /// Members that the schema does not know, sorted by path as bytes.
    public private(set) var members: [UnknownField]
    /// Nullable fields that the record came without, in schema order: their nil means absent, not null.
    public private(set) var absentFields: [String]

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
}
