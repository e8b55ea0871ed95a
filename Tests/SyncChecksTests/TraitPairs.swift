/// Counts which pairs of traits occur in one entity, and in one field.
struct TraitPairs {
    private(set) var entityTraits: Set<String> = []
    private(set) var fieldTraits: Set<String> = []
    private var pairs: Set<Set<String>> = []

    /// Adds the pairs of a schema.
    mutating func add(_ schema: SchemaTraits) {
        entityTraits.formUnion(schema.entity)
        for one in schema.entity {
            for other in schema.entity { pairs.insert(["entity \(one)", "entity \(other)"]) }
        }
        for field in schema.fields {
            fieldTraits.formUnion(field)
            for one in field {
                for other in field { pairs.insert([one, other]) }
                for other in schema.entity { pairs.insert([one, "entity \(other)"]) }
            }
        }
    }

    /// The pairs that are possible and did not occur.
    var missing: [String] {
        var missing: [String] = []
        for one in entityTraits {
            for other in entityTraits where one < other && !Self.areChoices(one, other: other) {
                if !pairs.contains(["entity \(one)", "entity \(other)"]) {
                    missing.append("\(one) & \(other)")
                }
            }
            for field in fieldTraits where !pairs.contains([field, "entity \(one)"]) {
                if one != "key of several fields" || field != "key" {
                    missing.append("\(one), field \(field)")
                }
            }
        }
        for one in fieldTraits {
            for other in fieldTraits where one < other && !pairs.contains([one, other]) {
                if Self.isPossible(one, other: other), Self.isPossible(other, other: one) {
                    missing.append("field \(one) & \(other)")
                }
            }
        }
        return missing.sorted()
    }

    /// Whether both are values of one keyword, of which an entity has one.
    private static func areChoices(_ one: String, other: String) -> Bool {
        ["strategy ", "granularity ", "naming "].contains { one.hasPrefix($0) && other.hasPrefix($0) }
    }

    private static let keyTypes: Set<String> = ["string", "uuid", "integer", "date", "uri"]
    private static let scalars = keyTypes.union([
        "number", "boolean", "date-time", "decimal", "contentEncoding", "enum", "$ref",
    ])
    private static let types = scalars.union(["array", "set", "object"])
    private static let rules: Set<String> = Set(
        ["union", "max", "min", "or", "and", "last-write-wins", "preserve-local"].map { "merge \($0)" }
    )
    private static let roles: Set<String> = ["created", "updated", "deleted"]
    private static let actions: Set<String> = [
        "onDelete cascade", "onDelete nullify", "onDelete restrict", "onDelete keep",
    ]
    private static let references = actions.union([
        "refers to its own", "refers to another", "refers by several",
    ])

    /// The types that a trait can have, where those are not all.
    private static let typesOfTraits: [String: Set<String>] = [
        "ordered": ["set", "$ref"], "merge union": ["set", "$ref"], "merge or": ["boolean", "$ref"],
        "merge and": ["boolean", "$ref"],
        "merge max": ["integer", "number", "decimal", "date", "date-time", "$ref"],
        "merge min": ["integer", "number", "decimal", "date", "date-time", "$ref"],
        "key": keyTypes, "part of the key": keyTypes,
        "created": ["date-time"], "updated": ["date-time"], "deleted": ["date-time", "boolean"],
        "search": ["string", "$ref"], "unique": scalars, "indexes": scalars.union(["array", "set"]),
        "pattern": ["string"], "bounds": ["string", "integer", "number", "uri", "array", "set"],
        "onDelete cascade": keyTypes, "refers by several": keyTypes,
        "onDelete nullify": keyTypes.union(["array", "set"]),
        "onDelete keep": keyTypes.union(["array", "set"]),
        "onDelete restrict": keyTypes.union(["array", "set"]),
        "refers to its own": keyTypes.union(["array", "set"]),
        "refers to another": keyTypes.union(["array", "set"]),
    ]

    private static let keyExcludes = rules.union(roles).union([
        "nullable", "default", "localOnly", "onDelete nullify", "refers to its own", "refers by several",
    ])

    /// What a trait cannot be together with, besides types.
    private static let excluded: [String: Set<String>] = [
        "key": keyExcludes.union(["part of the key"]), "part of the key": keyExcludes,
        "localOnly": references.union(rules).union(roles).union(["unique", "name", "pointer"]),
        "created": references.union(rules).union(["updated", "deleted"]),
        "updated": references.union(rules).union(["deleted"]), "deleted": references.union(rules),
        // What "$defs" says of null is not said again.
        "$ref": ["nullable"],
        "ordered": ["merge union"], "name": ["pointer"], "refers to its own": ["refers to another"],
        // A list of keys has bounds; what holds one key has none.
        "bounds": roles.union(["onDelete cascade", "onDelete nullify", "refers by several"]),
        "refers by several": rules.union(["default"]),
    ]

    private static func isPossible(_ one: String, other: String) -> Bool {
        if types.contains(one), types.contains(other) { return false }
        if rules.contains(one), rules.contains(other) { return false }
        if actions.contains(one), actions.contains(other) { return false }
        if excluded[one]?.contains(other) == true { return false }
        if types.contains(other), let known = typesOfTraits[one] { return known.contains(other) }
        // Two traits that no type can have both.
        if let first = typesOfTraits[one], let second = typesOfTraits[other] {
            return !first.intersection(second).subtracting(["$ref"]).isEmpty
        }
        return true
    }
}
