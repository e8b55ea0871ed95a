import SyncCore

/// What people write into each field of an entity.
struct FieldRoles: Sendable {
    let entity: EntityDescriptor
    /// By position.
    let roles: [Role]

    enum Role: Hashable, Sendable {
        /// Part of the key, and of nothing else.
        case key
        /// The key of another entity's record.
        case reference(String)
        /// One of few values, so that devices write equal ones.
        case shared
        /// A word.
        case word
        /// A set of words.
        case words
        /// A number that nobody else uses.
        case number
        case flag
        /// Anything that fits.
        case other
        /// What the product writes by itself, or keeps on the device.
        case kept
    }

    init(_ entity: EntityDescriptor) {
        self.entity = entity
        let layout = entity.layout
        let kept = Set([layout.created, layout.updated, layout.deleted].compactMap { $0 } + layout.localOnly)
        roles = entity.fields.enumerated().map { index, field in
            if kept.contains(index) { return .kept }
            if let reference = entity.references.first(where: { $0.field == field.name }) {
                return .reference(reference.entity)
            }
            if layout.key.contains(index) { return .key }
            if layout.unique.contains(where: { $0.contains(index) }) { return .shared }
            switch field.type {
            case .string(let least, let most, nil) where (least ?? 0) <= 2 && (most ?? .max) >= 16:
                return .word
            case .array(.string(let least, let most, nil), false, true, nil, nil)
            where (least ?? 0) <= 2 && (most ?? .max) >= 16:
                return .words
            case .integer(nil, nil): return .number
            case .boolean: return .flag
            default: return .other
            }
        }
    }

    /// Positions of the fields with one of some roles.
    func positions(where condition: (Role) -> Bool) -> [Int] { roles.indices.filter { condition(roles[$0]) } }

    /// Positions of what a person may change in a record that is there.
    var editable: [Int] {
        let keys = Set(entity.layout.key)
        return roles.indices.filter { roles[$0] != .kept && roles[$0] != .key && !keys.contains($0) }
    }

    /// The parents, by entity.
    var parents: [(position: Int, entity: String)] {
        roles.enumerated().compactMap { index, role in
            if case .reference(let entity) = role { (index, entity) } else { nil }
        }
    }

    /// The entity as a server knows it that takes no word with a `!`.
    var strict: EntityDescriptor {
        let fields = entity.fields.enumerated().map { index, field in
            guard roles[index] == .word, case .string(let least, let most, nil) = field.type else {
                return field
            }
            var field = field
            field.type = .string(minLength: least, maxLength: most, pattern: "^[^!]*$")
            return field
        }
        return entity.with(fields: fields)
    }
}
