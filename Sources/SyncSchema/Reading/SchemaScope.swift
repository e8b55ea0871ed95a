/// The shared state of all readers of one file: diagnostics, definitions and allocated names.
final class SchemaScope {
    let diagnostics: DiagnosticList
    let typeNames: TypeNames
    let naming: Schema.Naming
    var definitions: [String: Definition] = [:]

    /// The maximum nesting depth of types, following references.
    static let maxNesting = 32
    /// The most fields and items of an entity, following references.
    static let maxWeight = 10_000
    /// The most fields of an object; SQLite's limit is 2,000 columns.
    static let maxFields = 1_000
    /// The most values of an enum.
    static let maxEnumValues = 1_000

    init(diagnostics: DiagnosticList, typeNames: TypeNames, naming: Schema.Naming) {
        self.diagnostics = diagnostics
        self.typeNames = typeNames
        self.naming = naming
    }

    /// An entry of `$defs`. It is read at its first use, so the order of entries does not matter.
    struct Definition {
        var node: JSONNode
        var typeName: String
        var state: State

        enum State {
            case unread, reading
            case read(ResolvedType?)
        }
    }
}

/// A type with the data that its container needs.
struct ResolvedType {
    var type: SchemaType
    var isNullable: Bool
    /// The description of the type.
    var summary: String = ""
    /// The nesting depth, following references.
    var height: Int = 1
    /// The number of fields and items, following references.
    var weight: Int = 1
}

/// Naming hints for a nested type.
struct NameHint {
    /// The wanted name, for example `Split`.
    var wanted: String
    /// The name of the enclosing nested type; nil directly in the entity.
    var parent: String?
}
