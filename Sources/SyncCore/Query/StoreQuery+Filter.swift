extension StoreQuery {
    /// A condition of any form. What is tested and missing does not meet a test, and meets its negation.
    public indirect enum Filter: Sendable, Hashable {
        /// A test of one field.
        case test(Condition)
        /// All of them hold; so does an empty list.
        case all([Filter])
        /// At least one of them holds; an empty list never does.
        case any([Filter])
        /// It does not hold.
        case not(Filter)
        /// A field refers to a live record of another entity, for which a condition holds.
        case refers(field: String, entity: String, Filter)
        /// A live record of another entity refers to this one by a field, and a condition holds for it.
        case isReferred(entity: String, field: String, Filter)
        /// A full-text search finds it.
        case matches(TextSearch)
    }

    /// What `contains` takes for the same.
    public struct TextFolding: OptionSet, Sendable, Hashable {
        /// The options as bits.
        public let rawValue: Int

        /// Makes a set of options.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Upper and lower case.
        public static let letterCase = TextFolding(rawValue: 1)
        /// Letters with and without marks, such as accents or Arabic vowel signs.
        public static let diacritics = TextFolding(rawValue: 2)
    }

    /// Adds a condition that all records meet. What an index can find directly goes to `conditions`.
    public mutating func require(_ filter: Filter) {
        switch filter {
        case .all(let parts): for part in parts { require(part) }
        case .test(let condition) where condition.isSought: conditions.append(condition)
        case .any(let parts):
            if let condition = Self.oneOf(parts) {
                conditions.append(condition)
            } else {
                filters.append(filter)
            }
        default: filters.append(filter)
        }
    }

    /// One test for alternatives that all ask for values of the same field; nil for others.
    private static func oneOf(_ parts: [Filter]) -> Condition? {
        var field: String?
        var values: [FieldValue] = []
        for part in parts {
            guard case .test(let condition) = part, condition.isSought,
                field == nil || field == condition.field
            else { return nil }
            field = condition.field
            switch condition.test {
            case .equals(let value): values.append(value)
            case .oneOf(let list): values += list
            default: return nil
            }
        }
        return field.map { Condition(field: $0, test: .oneOf(values)) }
    }

    /// The entities that the query reads, beside its own.
    public var otherEntities: Set<String> { filters.reduce(into: []) { $0.formUnion($1.entities) } }

    /// The fields by which records of the query refer to another entity; nil if it is reached in another way, too.
    package func fields(referringTo entity: String) -> [String]? {
        var fields: [String] = []
        for filter in filters {
            guard filter.collect(fieldsReferringTo: entity, into: &fields) else { return nil }
        }
        return fields
    }
}

extension StoreQuery.Filter {
    /// The first field of the entity that it tests; nil if there is none.
    public var firstField: String? {
        switch self {
        case .test(let condition): condition.field
        case .all(let parts), .any(let parts): Self.firstField(of: parts)
        case .not(let part): part.firstField
        case .refers(let field, _, _): field
        case .isReferred, .matches: nil
        }
    }

    /// NB: a lazy map would ask each part twice, and each of its parts four times.
    private static func firstField(of parts: [Self]) -> String? {
        for part in parts { if let field = part.firstField { return field } }
        return nil
    }

    /// All of some conditions. Those that are such a list themselves become part of it.
    package static func allOf(_ parts: [Self]) -> Self {
        if parts.count == 1 { return parts[0] }
        return .all(parts.flatMap { part in if case .all(let inner) = part { inner } else { [part] } })
    }

    /// At least one of some conditions. Those that are such a list themselves become part of it: an index finds values of
    /// one field in a list, and SQLite refuses what is deep.
    package static func anyOf(_ parts: [Self]) -> Self {
        if parts.count == 1 { return parts[0] }
        return .any(parts.flatMap { part in if case .any(let inner) = part { inner } else { [part] } })
    }

    /// Adds the fields that refer to an entity. False if the entity is reached in another way, too.
    fileprivate func collect(fieldsReferringTo entity: String, into fields: inout [String]) -> Bool {
        switch self {
        case .test, .matches: return true
        case .all(let parts), .any(let parts):
            return parts.allSatisfy { $0.collect(fieldsReferringTo: entity, into: &fields) }
        case .not(let part): return part.collect(fieldsReferringTo: entity, into: &fields)
        case .refers(let field, let target, let part):
            if target == entity { fields.append(field) }
            return !part.entities.contains(entity)
        case .isReferred(let child, _, let part): return child != entity && !part.entities.contains(entity)
        }
    }

    /// The other entities whose records it tests.
    fileprivate var entities: Set<String> {
        switch self {
        case .test, .matches: []
        case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.entities) }
        case .not(let part): part.entities
        case .refers(_, let entity, let part), .isReferred(let entity, _, let part):
            part.entities.union([entity])
        }
    }
}

extension StoreQuery.Condition {
    /// Whether an index of the field's values can find what meets the test. None is of members of objects.
    fileprivate var isSought: Bool {
        switch test {
        case .equals, .oneOf, .range: StoreQuery.path(of: field).count == 1
        case .contains, .hasAnyElement, .hasAllElements, .compares: false
        }
    }
}
