/// What all readers of one file share: the list of diagnostics, the definitions, and the names given so far.
final class SchemaScope {
    let diagnostics: DiagnosticList
    let typeNames: TypeNames
    let naming: Schema.Naming
    var definitions: [String: Definition] = [:]

    /// How deep types may nest, references followed.
    static let maxNesting = 32
    /// How many fields and items one entity may have, references followed.
    static let maxWeight = 10_000
    /// How many fields one object may have; SQLite takes 2,000 columns.
    static let maxFields = 1_000
    /// How many values one enum may have.
    static let maxEnumValues = 1_000

    init(diagnostics: DiagnosticList, typeNames: TypeNames, naming: Schema.Naming) {
        self.diagnostics = diagnostics
        self.typeNames = typeNames
        self.naming = naming
    }

    /// One entry of `$defs`; read when it is first used, so that their order does not matter.
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

/// A type with what its surroundings need to know.
struct ResolvedType {
    var type: SchemaType
    var isNullable: Bool
    /// The description that stands with the type.
    var summary: String = ""
    /// How deep the type nests, references followed.
    var height: Int = 1
    /// How many fields and items the type has, references followed.
    var weight: Int = 1
}

/// Which names a nested type may take.
struct NameHint {
    /// The wanted name, for example `Split`.
    var wanted: String
    /// The name of the surrounding nested type, or nil directly under the entity.
    var parent: String?
}
