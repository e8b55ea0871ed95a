import SyncCore

/// What people write into each field of an entity.
struct FieldRoles: Sendable {
    let entity: EntityDescriptor
    /// By field index.
    let roles: [Role]

    enum Role: Hashable, Sendable {
        /// A part of the key, without other meaning.
        case key
        /// The key of a record: of another entity, or of the same one.
        case reference(String)
        /// A list of keys of records.
        case references(String)
        /// A part of a reference by several fields, which are written together.
        case part
        /// One of a few values, so that devices write equal ones.
        case shared
        /// A word.
        case word
        /// A set of words.
        case words
        /// A unique number.
        case number
        case flag
        /// Any valid value.
        case other
        /// A value that the product sets itself, or that stays on the device.
        case kept
    }

    /// The roles of an entity's fields, of which some may be given by name. With `writesLocal`, people also write into
    /// those that stay on the device.
    init(_ entity: EntityDescriptor, given: [String: Role] = [:], writesLocal: Bool = false) {
        self.entity = entity
        let layout = entity.layout
        var kept = Set([layout.created, layout.updated, layout.deleted].compactMap { $0 })
        if !writesLocal { kept.formUnion(layout.localOnly) }
        roles = entity.fields.enumerated().map { index, field in
            if kept.contains(index) { return .kept }
            if let role = given[field.name] { return role }
            if let reference = entity.references.first(where: { $0.fields == [field.name] }) {
                return entity.isList(reference) ? .references(reference.entity) : .reference(reference.entity)
            }
            if entity.references.contains(where: { $0.fields.contains(field.name) }) { return .part }
            if layout.key.contains(index) { return .key }
            if layout.unique.contains(where: { $0.contains(index) }) { return .shared }
            switch field.type {
            case .string(let least, let most, nil, nil) where (least ?? 0) <= 2 && (most ?? .max) >= 16:
                return .word
            case .array(.string(let least, let most, nil, nil), false, true, nil, nil)
            where (least ?? 0) <= 2 && (most ?? .max) >= 16:
                return .words
            case .integer(nil, nil): return .number
            case .boolean: return .flag
            default: return .other
            }
        }
    }

    /// Whether the values of a field tell who wrote them.
    func tells(_ index: Int) -> Bool { [.word, .words, .number].contains(roles[index]) }

    /// The indices of fields whose role meets a condition.
    func positions(where condition: (Role) -> Bool) -> [Int] { roles.indices.filter { condition(roles[$0]) } }

    /// The indices of fields that a person may change in an existing record.
    var editable: [Int] {
        let keys = Set(entity.layout.key)
        let left: Set<Role> = [.kept, .key, .part]
        return roles.indices.filter { !left.contains(roles[$0]) && !keys.contains($0) }
    }

    /// The fields of a reference, in the order of the parent's key.
    func positions(of reference: ReferenceDescriptor) -> [Int] {
        reference.fields.compactMap { entity.layout.position(of: $0) }
    }

    /// The references by several fields of which a person may change all but those of the key.
    var composites: [ReferenceDescriptor] { entity.references.filter { $0.fields.count > 1 } }

    /// The entities without a record of which no record of this entity can be written.
    var neededParents: [String] {
        entity.references.filter { reference in
            !entity.isList(reference)
                && positions(of: reference).contains { entity.fields[$0].isRequired }
        }.map(\.entity)
    }

    /// The records that a record refers to.
    func parents(of record: Record) -> [RecordID] {
        entity.references.flatMap { reference in
            entity.keys(of: reference, in: record).map { RecordID(entity: reference.entity, key: $0) }
        }
    }

    /// The entity for a server that refuses words with a `!`.
    var strict: EntityDescriptor {
        let fields = entity.fields.enumerated().map { index, field in
            guard roles[index] == .word, case .string(let least, let most, nil, nil) = field.type else {
                return field
            }
            var field = field
            field.type = .string(minLength: least, maxLength: most, pattern: "^[^!]*$")
            return field
        }
        return entity.with(fields: fields)
    }
}
