/// Diagnostics of `sync` in entities and fields.
extension DiagnosticContent {
    private static func unknownWord(rule: Rule, what: String, word: String, known: [String])
        -> DiagnosticContent
    {
        DiagnosticContent(
            rule: rule,
            message: "the \(what) \(word.quoted) is unknown",
            help: suggestion(for: word, among: known, otherwise: "use \(known.alternatives)")
        )
    }

    static func unknownStrategy(word: String) -> DiagnosticContent {
        unknownWord(
            rule: .unknownStrategy,
            what: "strategy",
            word: word,
            known: MergeStrategy.allCases.map(\.rawValue)
        )
    }

    static func unknownGranularity(word: String) -> DiagnosticContent {
        unknownWord(
            rule: .unknownGranularity,
            what: "granularity",
            word: word,
            known: MergeGranularity.allCases.map(\.rawValue)
        )
    }

    static func unknownNaming(word: String) -> DiagnosticContent {
        unknownWord(
            rule: .unknownNaming,
            what: "naming",
            word: word,
            known: Schema.Naming.allCases.map(\.rawValue)
        )
    }

    static func unknownMergeRule(word: String) -> DiagnosticContent {
        unknownWord(
            rule: .unknownMergeRule,
            what: "merge rule",
            word: word,
            known: MergeRule.allCases.map(\.rawValue)
        )
    }

    static func unknownSwiftType(word: String) -> DiagnosticContent {
        unknownWord(
            rule: .unknownSwiftType,
            what: "Swift type of a field",
            word: word,
            known: SwiftType.allCases.map(\.rawValue)
        )
    }

    static func swiftType(_ type: SwiftType, name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .swiftType,
            message: "the field \(name.quoted) cannot be of type \(type.rawValue.quoted)",
            help: type == .url
                ? "it fits a string of the format \"uri\", or an array of them"
                : "it fits the field that is the key alone and refers to no other entity; what refers to it follows"
        )
    }

    static func unknownOnDelete(word: String) -> DiagnosticContent {
        unknownWord(
            rule: .unknownOnDelete,
            what: "delete rule",
            word: word,
            known: DeleteRule.allCases.map(\.rawValue)
        )
    }

    static func unknownField(name: String, in keyword: String, known: [String]) -> DiagnosticContent {
        DiagnosticContent(
            rule: .unknownField,
            message: "\(keyword.quoted) names \(name.quoted), which is no field",
            help: suggestion(for: name, among: known, otherwise: "name a field of \"properties\"")
        )
    }

    static func keyType(name: String, type: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .keyType,
            message: "the key field \(name.quoted) is \(type)",
            help: "a key is a string, uuid, integer, date or uri"
        )
    }

    static func keyNullable(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .keyNullable,
            message: "the key field \(name.quoted) allows null",
            help: "remove \"null\" from its type"
        )
    }

    static func keyNotRequired(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .keyNotRequired,
            message: "the key field \(name.quoted) is not required",
            help: "add \"\(name)\" to \"required\""
        )
    }

    static func keyDefault(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .keyDefault,
            message: "the key field \(name.quoted) has a default",
            help: "remove it: two records cannot share a key"
        )
    }

    static func roleType(name: String, role: String, allowed: [String]) -> DiagnosticContent {
        DiagnosticContent(
            rule: .roleType,
            message: "the field \(name.quoted) cannot be \(role.quoted)",
            help: "it must be \(allowed.joined(separator: " or "))"
        )
    }

    static func roleClash(name: String, first: String, second: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .roleClash,
            message: "the field \(name.quoted) is both \(first.quoted) and \(second.quoted)",
            help: "use a field of its own for each"
        )
    }

    static func deletedNotClearable(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .deletedNotClearable,
            message: "the field \(name.quoted) always has a time, so that every record would be deleted",
            help: "write \"type\": [\"string\", \"null\"], or remove it from \"required\""
        )
    }

    static func localOnlyRole(name: String, part: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .localOnlyRole,
            message: "the field \(name.quoted) is localOnly and cannot be in \(part.quoted)",
            help: "remove \"localOnly\", or use another field: all devices must see it"
        )
    }

    static func localOnlyRequired(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .localOnlyRequired,
            message: "the field \(name.quoted) is localOnly and required, and records from elsewhere lack it",
            help: "remove it from \"required\", or give it a \"default\""
        )
    }

    static func fieldListShape(keyword: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .keywordType,
            message: "\(keyword.quoted) is a list of lists of field names",
            help: "write for example \"\(keyword)\": [[\"userId\", \"number\"]]"
        )
    }

    static func listFieldType(name: String, keyword: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .listFieldType,
            message: "the field \(name.quoted) is no scalar and cannot be in \(keyword.quoted)",
            help: keyword == "indexes"
                ? "name fields of one value; an array of such values can be alone in its list"
                : "name fields of one value: no array and no object"
        )
    }

    static func searchFieldType(name: String, type: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .searchFieldType,
            message: "the field \(name.quoted) is \(type) and cannot be in \"search\"",
            help: "name fields of type \"string\" without a format and without \"enum\""
        )
    }

    static func mergeType(_ rule: MergeRule, type: String) -> DiagnosticContent {
        let fitting =
            switch rule {
            case .union: "a set of scalars"
            case .max, .min: "an integer, number, decimal, date-time or date"
            case .or, .and: "a boolean"
            case .lastWriteWins, .preserveLocal: "any type"
            }
        return DiagnosticContent(
            rule: .mergeType,
            message: "the merge rule \(rule.rawValue.quoted) does not fit \(type)",
            help: "\(rule.rawValue.quoted) fits \(fitting)"
        )
    }

    static func mergeOnRole(_ name: String, part: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .mergeOnRole,
            message: "the field \(name.quoted) is in \(part.quoted) and never merges",
            help: "remove \"merge\""
        )
    }

    static func unionNeedsSet(name: String, isOrdered: Bool) -> DiagnosticContent {
        DiagnosticContent(
            rule: .unionNeedsSet,
            message: isOrdered
                ? "the merge rule 'union' needs a set, and \(name.quoted) keeps an order and merges as one value"
                : "the merge rule 'union' needs a set, and \(name.quoted) is a list",
            help: isOrdered
                ? "remove \"ordered\" to merge by element, or \"merge\" to keep the order"
                : "add \"uniqueItems\": true and use scalar items"
        )
    }

    static func unorderedSet(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .unorderedSet,
            severity: .warning,
            message:
                "'uniqueItems' makes \(name.quoted) a set: it is kept sorted, its order is lost,"
                + " and by 'union' it merges element by element",
            help: "write \"sync\": { \"ordered\": true } to keep the order, or false if there is none"
        )
    }

    static func nestedSync(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .nestedSync,
            message: "\(name.quoted) has no meaning inside of a nested object",
            help: "a nested object merges as a whole; only \"ordered\", \"swiftType\" or a plain \"name\" fit"
        )
    }

    static func sqlName(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .sqlName,
            message: "PostgreSQL does not keep the name \(name.quoted) as it is",
            help: "use 1 to 63 bytes without control characters; only a table can have its schema in front"
        )
    }

    static func sqlType(name: String, type: String, proposals: [String]) -> DiagnosticContent {
        DiagnosticContent(
            rule: .sqlType,
            message: "a column of type \(type.quoted) cannot hold the field \(name.quoted)",
            help: "use \(proposals.alternatives)"
        )
    }

    static func unknownOnAlter(word: String) -> DiagnosticContent {
        unknownWord(
            rule: .unknownOnAlter,
            what: "rule for what the table alters",
            word: word,
            known: AlterRule.allCases.map(\.rawValue)
        )
    }

    static func renamedFrom(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .renamedFrom,
            message: "the former name \(name.quoted) is in use",
            help: "name the field's old name, which no other field has or had"
        )
    }
}
