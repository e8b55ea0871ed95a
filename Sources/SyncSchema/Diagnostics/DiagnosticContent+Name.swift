/// Diagnostics of names.
extension DiagnosticContent {
    static func titleName(title: String, example: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .titleName,
            message: "the title \(title.quoted) is no Swift type name",
            help:
                "write a capital and then ASCII letters, digits or '_', at most 64, for example \"\(example)\""
        )
    }

    static func titleReserved(title: String, example: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .titleReserved,
            message: "the title \(title.quoted) is a name that generated Swift uses for something else",
            help: "choose another, for example \"\(example)\""
        )
    }

    static func titleShadows(title: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .titleShadows,
            severity: .warning,
            message: "the title \(title.quoted) is also a type of SwiftUI, another framework or this package",
            help: "write the module's name before the one you mean where a file imports both"
        )
    }

    static func entityNameReserved(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .entityNameReserved,
            message: "the store keeps tables named like \(name.quoted) for itself",
            help: "rename the file so that it begins neither with 'sync' nor with 'sqlite' as a word"
        )
    }

    static func fieldName(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .fieldName,
            message: "the field name \(name.quoted) is no Swift and SQL name",
            help:
                "use an ASCII letter and then letters, digits or '_', at most 64; another name on the wire goes"
                + " into \"sync\": { \"name\": \"...\" }"
        )
    }

    static func fieldNameReserved(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .fieldNameReserved,
            message: "the field name \(name.quoted) clashes with a member of generated Swift",
            help: "choose another and keep it on the wire with \"sync\": { \"name\": \"\(name)\" }"
        )
    }

    static func idIsNotKey(key: [String]) -> DiagnosticContent {
        let names = key.map(\.quoted).joined(separator: ", ")
        let found = key.count == 1 ? "the key is \(names)" : "the key has the fields \(names)"
        return DiagnosticContent(
            rule: .fieldNameReserved,
            message: "a field named 'id' must be the whole key, and \(found)",
            help: "make 'id' alone the key, or rename the field and write \"sync\": { \"name\": \"id\" }"
        )
    }

    static func columnReserved(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .columnReserved,
            message: "the store keeps the column name \(name.quoted) for itself",
            help: "choose another and keep it on the wire with \"sync\": { \"name\": \"\(name)\" }"
        )
    }

    static func duplicateField(name: String, other: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .duplicateField,
            message:
                "the field names \(other.quoted) and \(name.quoted) differ only in letter case or Unicode form",
            help: "rename one; SQL columns ignore letter case"
        )
    }

    static let wireName = DiagnosticContent(
        rule: .wireName,
        message: "this is no usable wire name",
        help:
            "write a member name, or a JSON pointer such as /address/lat (at most 8 parts, '/' as ~1, '~' as ~0);"
            + " parts have 1 to 128 bytes and no quotes, backslashes or invisible characters"
    )

    static func wireNameClash(name: String, with other: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .wireNameClash,
            message: "the fields \(other.quoted) and \(name.quoted) stand at the same place on the wire",
            help: "give one of them another \"sync\": { \"name\": \"...\" }"
        )
    }

    static func remoteName(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .remoteName,
            message: "the remote name \(name.quoted) is not safe in a URL and a folder",
            help: "use an ASCII letter and then letters, digits, '_', '-' or '.', at most 64"
        )
    }

    static func definitionName(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .definitionName,
            message: "the definition name \(name.quoted) is no Swift type name",
            help: "use an ASCII letter and then letters, digits or '_', at most 64"
        )
    }
}
