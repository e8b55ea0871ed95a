/// Diagnostics of keywords and of the root of a file.
extension DiagnosticContent {
    static func notASchema(place: String, found: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .notASchema,
            message: "\(place) is described by an object, not by \(found)",
            help: "write an object, for example { \"type\": \"string\" }"
        )
    }

    static func unknownKeyword(name: String, in place: String, known: some Collection<String>)
        -> DiagnosticContent
    {
        let list = known.filter { !$0.hasPrefix("$") }.sorted { ByteKey($0) < ByteKey($1) }
        return DiagnosticContent(
            rule: .unknownKeyword,
            message: "the keyword \(name.quoted) is unknown in \(place)",
            help: suggestion(for: name, among: known, otherwise: "known are \(list.joined(separator: ", "))")
        )
    }

    static func annotation(name: String, in place: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .unknownKeyword,
            severity: .warning,
            message: "the keyword \(name.quoted) is unknown in \(place) and has no effect",
            help: "leave it if another tool reads it, or remove it"
        )
    }

    static func unsupportedKeyword(name: String, in place: String, way: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .unsupportedKeyword,
            message: "the JSON Schema keyword \(name.quoted) is not supported in \(place)",
            help: way
        )
    }

    static func unsupportedConstant(found: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .unsupportedKeyword,
            message: "'const' takes a string or a number, and this is \(found)",
            help: "remove it, and let the app check the value"
        )
    }

    static func misplacedKeyword(name: String, in place: String, belongsTo other: String) -> DiagnosticContent
    {
        DiagnosticContent(
            rule: .misplacedKeyword,
            message: "the keyword \(name.quoted) has no place in \(place)",
            help: "it belongs to \(other)"
        )
    }

    static func keywordType(name: String, expected: String, found: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .keywordType,
            message: "\(name.quoted) takes \(expected), not \(found)",
            help: "write \(expected)"
        )
    }

    static func notPositive(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .notPositive,
            message: "\(name.quoted) takes an integer from 1",
            help: "write 1 or more, or remove the keyword"
        )
    }

    static func keywordForOtherType(name: String, type: String, belongsTo other: String) -> DiagnosticContent
    {
        DiagnosticContent(
            rule: .keywordForOtherType,
            message: "\(name.quoted) constrains \(other), and this is \(type)",
            help: "remove \(name.quoted) or change the type"
        )
    }

    static func keywordWithoutEffect(name: String, reason: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .keywordWithoutEffect,
            severity: .warning,
            message: "\(name.quoted) has no effect here: \(reason)",
            help: "remove \(name.quoted)"
        )
    }

    static func keywordBesideRef(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .keywordBesideRef,
            message: "\(name.quoted) cannot be combined with '$ref'",
            help: "move it into the definition, or write the type out in place of '$ref'"
        )
    }

    static let unsupportedDraft = DiagnosticContent(
        rule: .unsupportedDraft,
        message: "'$schema' names another dialect than JSON Schema 2020-12",
        help: "write \"https://json-schema.org/draft/2020-12/schema\""
    )

    static func idMismatch(expected: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .idMismatch,
            message: "'$id' differs from the entity name \(expected.quoted) of the file name",
            help: "write \"\(expected)\", or rename the file"
        )
    }

    static func missing(rule: Rule, what: String, help: String) -> DiagnosticContent {
        DiagnosticContent(rule: rule, message: "\(what) is missing", help: help)
    }

    static func missingTitle(example: String) -> DiagnosticContent {
        missing(
            rule: .missingTitle,
            what: "'title', the Swift type,",
            help: "write for example \"title\": \"\(example)\""
        )
    }

    static let missingSync = missing(
        rule: .missingSync,
        what: "'sync', which says how records travel,",
        help: "write for example \"sync\": { \"key\": \"id\", \"strategy\": \"last-write-wins\" }"
    )

    static let missingKey = missing(
        rule: .missingKey,
        what: "'key', the field that identifies a record,",
        help: "write for example \"key\": \"id\""
    )

    static let missingStrategy = missing(
        rule: .missingStrategy,
        what: "'strategy', which says how two edits of one record meet,",
        help: "write 'preserve-local', 'last-write-wins' or 'set-union'"
    )

    static let missingProperties = missing(
        rule: .missingProperties,
        what: "'properties', the list of fields,",
        help: "write \"properties\" with at least one field; only a field may be a free-form object"
    )

    static let missingType = missing(
        rule: .missingType,
        what: "'type'",
        help: "write for example \"type\": \"string\", or \"$ref\": \"#/$defs/Name\""
    )

    static let missingItems = missing(
        rule: .missingItems,
        what: "'items', the type of the array's elements,",
        help: "write for example \"items\": { \"type\": \"string\" }"
    )

    static func emptyList(_ name: String, help: String) -> DiagnosticContent {
        DiagnosticContent(rule: .emptyList, message: "\(name.quoted) is empty", help: help)
    }

    static func duplicateEntry(in name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .duplicateEntry,
            message: "this entry stands twice in \(name.quoted)",
            help: "remove one of the two"
        )
    }
}
