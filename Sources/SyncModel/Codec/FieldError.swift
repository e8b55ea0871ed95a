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
