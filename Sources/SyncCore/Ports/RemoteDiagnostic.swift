/// A diagnostic about something at the remote that could not be used.
public struct RemoteDiagnostic: Sendable, Hashable {
    /// A stable id, for example `torn-segment`.
    public var rule: String
    /// Where, relative to the remote's root.
    public var place: String
    /// One sentence for a person.
    public var message: String
    /// Whether the sync counts as partial. A stray foreign file does not make it so.
    public var isSerious: Bool

    /// Makes a diagnostic.
    public init(rule: String, place: String, message: String, isSerious: Bool) {
        self.rule = rule
        self.place = place
        self.message = message
        self.isSerious = isSerious
    }

    /// Makes a diagnostic whose sentence differs between a command line and an app.
    package init(rule: String, place: String, message: String, commandLineMessage: String, isSerious: Bool) {
        self.init(rule: rule, place: place, message: message, isSerious: isSerious)
        self.commandLineMessage = commandLineMessage
    }

    /// Another device has seen the same as this one, but shows other records of some entities. The message
    /// says what to do.
    package static func recordsDiffer(
        place: String,
        entities: [String],
        help: String,
        commandLineHelp: String
    ) -> RemoteDiagnostic {
        let difference =
            "This device and another one have seen the same, and yet hold different records of "
            + entities.joined(separator: ", ") + ". "
        return RemoteDiagnostic(
            rule: "records-differ",
            place: place,
            message: difference + help,
            commandLineMessage: difference + commandLineHelp,
            isSerious: true
        )
    }

    /// The sentence at a command line, if it differs from `message`.
    package var commandLineMessage: String?
}
