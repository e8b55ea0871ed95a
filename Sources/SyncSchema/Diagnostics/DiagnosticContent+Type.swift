/// Diagnostics of types and their constraints.
extension DiagnosticContent {
    static let rootType = DiagnosticContent(
        rule: .rootType,
        message: "an entity is an object",
        help: "write \"type\": \"object\""
    )

    static func unknownType(name: String, known: [String]) -> DiagnosticContent {
        let words = [
            "int": "\"type\": \"integer\"", "int64": "\"type\": \"integer\"", "float": "\"type\": \"number\"",
            "double": "\"type\": \"number\"", "bool": "\"type\": \"boolean\"", "text": "\"type\": \"string\"",
            "list": "\"type\": \"array\"", "set": "\"type\": \"array\", \"uniqueItems\": true",
            "date": "\"type\": \"string\", \"format\": \"date\"",
            "uuid": "\"type\": \"string\", \"format\": \"uuid\"",
            "datetime": "\"type\": \"string\", \"format\": \"date-time\"",
            "date-time": "\"type\": \"string\", \"format\": \"date-time\"",
            "decimal": "\"type\": \"string\", \"format\": \"decimal\"",
            "url": "\"type\": \"string\", \"format\": \"uri\"",
            "uri": "\"type\": \"string\", \"format\": \"uri\"",
        ]
        let fallback = "use \(known.alternatives)"
        return DiagnosticContent(
            rule: .unknownType,
            message: "the type \(name.quoted) is unknown",
            help: words[name.lowercased()].map { "write \($0)" }
                ?? suggestion(for: name, among: known, otherwise: fallback)
        )
    }

    static let unsupportedUnion = DiagnosticContent(
        rule: .unsupportedUnion,
        message: "a type is one of JSON's types, and may add null",
        help: "write for example \"type\": \"string\" or \"type\": [\"string\", \"null\"]"
    )

    static func unknownFormat(name: String, known: [String]) -> DiagnosticContent {
        DiagnosticContent(
            rule: .unknownFormat,
            message: "the format \(name.quoted) is unknown",
            help: suggestion(for: name, among: known, otherwise: "use \(known.alternatives)")
        )
    }

    static func formatNotChecked(_ name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .formatNotChecked,
            severity: .warning,
            message: "the format \(name.quoted) is not checked; the value is plain text",
            help: "add a \"pattern\" if the form matters, or remove \"format\""
        )
    }

    static let unsupportedEncoding = DiagnosticContent(
        rule: .unsupportedEncoding,
        message: "the only encoding of bytes is base64",
        help: "write \"contentEncoding\": \"base64\""
    )

    static func unsupportedEnum(found: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .unsupportedEnum,
            message: "an enum lists strings or integers, and this is \(found)",
            help: "write \"type\": \"string\" or \"integer\", or bounds in place of the enum"
        )
    }

    static func enumValue(found: JSONNode, isInteger: Bool) -> DiagnosticContent {
        DiagnosticContent(
            rule: .enumValue,
            message: isInteger
                ? "this enum lists integers of 64 bits, not \(found.exact == nil ? found.kindName : "this number")"
                : "this enum lists strings, not \(found.kindName)",
            help: isInteger
                ? "write a whole number without quotes, or all values as strings"
                : "write the value in double quotes, or all values as integers"
        )
    }

    static let enumTwice = DiagnosticContent(
        rule: .duplicateEntry,
        message: "this value stands twice in 'enum', if only in another spelling",
        help: "remove one of the two"
    )

    static let enumNullNotInType = DiagnosticContent(
        rule: .enumNull,
        message: "the enum lists null and the type does not allow it",
        help: "write \"type\": [\"string\", \"null\"]"
    )

    static let typeNullNotInEnum = DiagnosticContent(
        rule: .enumNull,
        severity: .warning,
        message: "the type allows null and the enum does not list it, so other tools refuse null",
        help: "add null to the enum"
    )

    static let setItems = DiagnosticContent(
        rule: .setItems,
        message: "unique items are scalars that are never null",
        help: "remove \"uniqueItems\", or use items of one scalar type"
    )

    static let mapValues = DiagnosticContent(
        rule: .mapValues,
        message: "the values of a map are scalars",
        help:
            "write a scalar type, or \"type\": \"object\" without \"additionalProperties\" for an object of any form"
    )

    static let mapBesideFields = DiagnosticContent(
        rule: .mapValues,
        message: "an object has fields or is a map, not both",
        help:
            "remove \"properties\", or write true or false; members that are no fields are kept all the same"
    )

    static func emptyRange(_ least: String, greatest: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .emptyRange,
            message: "no value lies between \(least.quoted) and \(greatest.quoted)",
            help: "swap the two, or widen the range"
        )
    }

    static func badBound(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .badBound,
            message: "\(name.quoted) lies outside of what the type can hold",
            help:
                "integers have 64 bits, from -9223372036854775808 to 9223372036854775807; numbers are doubles"
        )
    }

    static func pattern(_ error: PatternError) -> DiagnosticContent {
        let reason = "\(error.reason) (character \(error.character))"
        return switch error.kind {
        case .invalid:
            DiagnosticContent(
                rule: .badPattern,
                message: "the pattern is no valid regular expression: \(reason)",
                help: "use the JSON Schema subset: literals, classes, groups, '|', '^', '$' and repeats"
            )
        case .unsupported:
            DiagnosticContent(
                rule: .unsupportedPattern,
                message: "the pattern cannot be matched in a time that every text allows: \(reason)",
                help:
                    "write it with literals, classes, groups, '|', '^', '$' and repeats up to 1000, or check this in the app"
            )
        }
    }

    static func badDefault(reason: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .badDefault,
            message: "the default does not fit the field: \(reason)",
            help: "write a value that the type allows, or remove \"default\""
        )
    }

    static func unknownRequired(name: String, known: [String]) -> DiagnosticContent {
        DiagnosticContent(
            rule: .unknownRequired,
            message: "'required' names \(name.quoted), which is no field",
            help: suggestion(
                for: name,
                among: known,
                otherwise: "remove it, or describe it in \"properties\""
            )
        )
    }

    static let badRef = DiagnosticContent(
        rule: .badRef,
        message: "'$ref' points outside of '#/$defs/'",
        help: "write \"#/$defs/Name\" and put the definition into \"$defs\" of this file"
    )

    static func unresolvedRef(name: String, known: some Collection<String>) -> DiagnosticContent {
        DiagnosticContent(
            rule: .unresolvedRef,
            message: "'$defs' has no definition \(name.quoted)",
            help: suggestion(for: name, among: known, otherwise: "add it to \"$defs\" of this file")
        )
    }

    static func cyclicRef(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .cyclicRef,
            message: "the definition \(name.quoted) contains itself",
            help: "break the circle, for example with a separate entity and a reference"
        )
    }

    static func nestingTooDeep(limit: Int) -> DiagnosticContent {
        DiagnosticContent(
            rule: .nestingTooDeep,
            message: "types nest deeper than \(limit) levels, references followed",
            help: "flatten the structure, or make a separate entity of the inner part"
        )
    }

    static func schemaTooLarge(what: String, limit: Int) -> DiagnosticContent {
        DiagnosticContent(
            rule: .schemaTooLarge,
            message: "more than \(limit) \(what)",
            help: "split the entity, or move a part into a nested object"
        )
    }
}
