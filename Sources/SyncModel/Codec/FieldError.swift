/// An error about a value that does not fit its field. It never contains the value.
public struct FieldError: Error, Sendable, Hashable {
    /// The field's name, or a path (`splits[2].amount`); empty for the record as a whole.
    public var field: String
    /// A stable id, for example `max-length`.
    public var rule: String
    /// One sentence for a person.
    public var message: String

    /// Makes an error.
    public init(field: String, rule: String, message: String) {
        self.field = field
        self.rule = rule
        self.message = message
    }
}

extension FieldError {
    /// A member that other devices would read as a field which has another name here.
    static func otherName(_ name: String, of field: String) -> FieldError {
        FieldError(
            field: field,
            rule: "wire-name",
            message: name.isPlainName
                ? "'\(name)' is a name of '\(field)' for other devices; write it as '\(field)'."
                : "A member has a name that '\(field)' has for other devices; write it as '\(field)'."
        )
    }

    /// A member that the schema neither has nor allows. A name with unusual characters is left out, because it may be
    /// anything.
    package static func notAllowed(field: String) -> FieldError {
        FieldError(
            field: "",
            rule: "additional-properties",
            message: field.isPlainName
                ? "The schema has no field '\(field)', and allows no others."
                : "The schema allows no other fields."
        )
    }
}

extension String {
    /// Whether a name from outside may stand in a message: it is short, and of usual characters.
    package var isPlainName: Bool {
        utf8.count <= 60
            && unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || "0123456789-_./$".unicodeScalars.contains($0)
            }
    }
}
