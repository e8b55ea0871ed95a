/// Diagnostics of references and of the set of schemas as a whole.
extension DiagnosticContent {
    static func referenceShape(missing: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .referenceShape,
            message: "the reference lacks \(missing.quoted)",
            help: "write for example { \"entity\": \"project\", \"onDelete\": \"cascade\" }"
        )
    }

    static func unknownEntity(name: String, known: [String]) -> DiagnosticContent {
        DiagnosticContent(
            rule: .unknownEntity,
            message: "no schema of this set is called \(name.quoted)",
            help: suggestion(
                for: name,
                among: known,
                otherwise: "name an entity as its file is named, or add its schema"
            )
        )
    }

    static func referenceType(field: String, type: String, entity: String, keyType: String)
        -> DiagnosticContent
    {
        DiagnosticContent(
            rule: .referenceType,
            message: "the field \(field.quoted) is \(type), and the key of \(entity.quoted) is \(keyType)",
            help: "give the field the type of the key"
        )
    }

    static func referenceToCompositeKey(entity: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .referenceToCompositeKey,
            message: "the key of \(entity.quoted) has several fields, and a reference holds one",
            help: "give the entity a key of one field, or remove the reference"
        )
    }

    static func nullifyRequired(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .nullifyRequired,
            message: "the required field \(name.quoted) cannot be set to null",
            help: "allow null in its type, or use 'cascade' or 'restrict'"
        )
    }

    static func cyclicReference(path: [String]) -> DiagnosticContent {
        DiagnosticContent(
            rule: .cyclicReference,
            message: "the references form a circle: \(path.map(\.quoted).joined(separator: " -> "))",
            help: "remove one of them: parents are sent before their children"
        )
    }

    static func duplicateEntity(name: String, other: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .duplicateEntity,
            message: "the entity \(name.quoted) is already described in \(other.visible)",
            help: "rename or remove one of the two files"
        )
    }

    static func duplicateType(name: String, other: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .duplicateType,
            message: "the Swift type \(name.quoted) clashes with the title in \(other.visible)",
            help: "change one of the titles: letter case alone does not tell them apart, and generated types"
                + " add \(SwiftNames.companionSuffixes.alternatives) to each"
        )
    }

    static func duplicateRemote(name: String, other: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .duplicateRemote,
            message: "the remote collection \(name.quoted) already belongs to the entity in \(other.visible)",
            help: "give each entity its own \"remote\"; letter case alone does not tell them apart"
        )
    }
}
