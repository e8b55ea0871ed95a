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
            help: "give the field the type of the key, or make it a list of such values"
        )
    }

    static func referenceToCompositeKey(entity: String, key: [String], fields: [String]) -> DiagnosticContent
    {
        let names = key.map(\.quoted).joined(separator: ", ")
        return DiagnosticContent(
            rule: .referenceToCompositeKey,
            message:
                "the key of \(entity.quoted) has \(key.count) fields (\(names)), and the reference \(fields.count)",
            help: key.count == 1
                ? "leave out \"fields\"" : "list the fields that hold its parts, in that order, in \"fields\""
        )
    }

    static func referenceFields(field: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .referenceShape,
            message: "\"fields\" of a reference lists each field once, and \(field.quoted) among them",
            help: "name the reference by the field that a delete of the other record clears"
        )
    }

    static func cascadeOfList(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .cascadeOfList,
            message:
                "the list \(name.quoted) cannot cascade: a record does not go with one of several others",
            help: "use 'nullify' to take the key out of the list, 'restrict' or 'keep'"
        )
    }

    static func nullifyRequired(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .nullifyRequired,
            message: "the required field \(name.quoted) cannot be set to null",
            help: "allow null in its type, or use 'cascade' or 'restrict'"
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
