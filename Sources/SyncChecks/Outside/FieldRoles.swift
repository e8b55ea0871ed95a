import SyncCore

/// What people write into each field of an entity.
struct FieldRoles: Sendable {
    let entity: EntityDescriptor
    /// By field index.
    let roles: [Role]

    enum Role: Hashable, Sendable {
        /// A part of the key, without other meaning.
        case key
        /// The key of another entity's record.
        case reference(String)
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

    /// The indices of fields whose role meets a condition.
    func positions(where condition: (Role) -> Bool) -> [Int] { roles.indices.filter { condition(roles[$0]) } }

    /// The indices of fields that a person may change in an existing record.
    var editable: [Int] {
        let keys = Set(entity.layout.key)
        return roles.indices.filter { roles[$0] != .kept && roles[$0] != .key && !keys.contains($0) }
    }

    /// The references to parents.
    var parents: [(position: Int, entity: String)] {
        roles.enumerated().compactMap { index, role in
            if case .reference(let entity) = role { (index, entity) } else { nil }
        }
    }

    /// The entity for a server that refuses words with a `!`.
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
