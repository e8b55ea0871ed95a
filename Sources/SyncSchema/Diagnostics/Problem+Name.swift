/// Wording for names.
extension Problem {
    static func titleName(title: String, example: String) -> Problem {
        Problem(
            rule: .titleName,
            message: "the title \(title.quoted) is no Swift type name",
            help:
                "write a capital and then ASCII letters, digits or '_', at most 64, for example \"\(example)\""
        )
    }

    static func titleReserved(title: String, example: String) -> Problem {
        Problem(
            rule: .titleReserved,
            message: "the title \(title.quoted) is a name that generated Swift uses for something else",
            help: "choose another, for example \"\(example)\""
        )
    }

    static func titleShadows(title: String) -> Problem {
        Problem(
            rule: .titleShadows,
            severity: .warning,
            message: "the title \(title.quoted) is also a type of SwiftUI, another framework or this package",
            help: "write the module's name before the one you mean where a file imports both"
        )
    }

    static func entityNameReserved(name: String) -> Problem {
        Problem(
            rule: .entityNameReserved,
            message: "the store keeps tables named like \(name.quoted) for itself",
            help: "rename the file so that it begins neither with 'sync' nor with 'sqlite' as a word"
        )
    }

    static func fieldName(name: String) -> Problem {
        Problem(
            rule: .fieldName,
            message: "the field name \(name.quoted) is no Swift and SQL name",
            help:
                "use an ASCII letter and then letters, digits or '_', at most 64; another name on the wire goes"
                + " into \"sync\": { \"name\": \"...\" }"
        )
    }

    static func fieldNameReserved(name: String) -> Problem {
        Problem(
            rule: .fieldNameReserved,
            message: "the field name \(name.quoted) clashes with a member of generated Swift",
            help: "choose another and keep it on the wire with \"sync\": { \"name\": \"\(name)\" }"
        )
    }

    static func idIsNotKey(key: [String]) -> Problem {
        let names = key.map(\.quoted).joined(separator: ", ")
        let found = key.count == 1 ? "the key is \(names)" : "the key has the fields \(names)"
        return Problem(
            rule: .fieldNameReserved,
            message: "a field named 'id' must be the whole key, and \(found)",
            help: "make 'id' alone the key, or rename the field and write \"sync\": { \"name\": \"id\" }"
        )
    }

    static func columnReserved(name: String) -> Problem {
        Problem(
            rule: .columnReserved,
            message: "the store keeps the column name \(name.quoted) for itself",
            help: "choose another and keep it on the wire with \"sync\": { \"name\": \"\(name)\" }"
        )
    }

    static func duplicateField(name: String, other: String) -> Problem {
        Problem(
            rule: .duplicateField,
            message:
                "the field names \(other.quoted) and \(name.quoted) differ only in letter case or Unicode form",
            help: "rename one; SQL columns ignore letter case"
        )
    }

    static let wireName = Problem(
        rule: .wireName,
        message: "this is no usable wire name",
        help:
            "write a member name, or a JSON pointer such as /address/lat (at most 8 parts, '/' as ~1, '~' as ~0);"
            + " parts have 1 to 128 bytes and no quotes, backslashes or invisible characters"
    )

    static func wireNameClash(name: String, with other: String) -> Problem {
        Problem(
            rule: .wireNameClash,
            message: "the fields \(other.quoted) and \(name.quoted) stand at the same place on the wire",
            help: "give one of them another \"sync\": { \"name\": \"...\" }"
        )
    }

    static func remoteName(name: String) -> Problem {
        Problem(
            rule: .remoteName,
            message: "the remote name \(name.quoted) is not safe in a URL and a folder",
            help: "use an ASCII letter and then letters, digits, '_', '-' or '.', at most 64"
        )
    }

    static func definitionName(name: String) -> Problem {
        Problem(
            rule: .definitionName,
            message: "the definition name \(name.quoted) is no Swift type name",
            help: "use an ASCII letter and then letters, digits or '_', at most 64"
        )
    }
}
