/// Something that a remote holds and that could not be believed.
public struct RemoteDiagnostic: Sendable, Hashable {
    /// A stable id, for example `torn-segment`.
    public var rule: String
    /// Where, relative to the remote's root.
    public var place: String
    /// One sentence for a person.
    public var message: String
    /// Whether it makes the sync partial; a stray foreign file does not.
    public var isSerious: Bool

    /// Makes a problem.
    public init(rule: String, place: String, message: String, isSerious: Bool) {
        self.rule = rule
        self.place = place
        self.message = message
        self.isSerious = isSerious
    }

    /// Makes a problem whose sentence names other things at a command line than in an app.
    package init(rule: String, place: String, message: String, commandLineMessage: String, isSerious: Bool) {
        self.init(rule: rule, place: place, message: message, isSerious: isSerious)
        self.commandLineMessage = commandLineMessage
    }

    /// Another device has seen the same as this one, and shows other records of some entities. The help tells the way out.
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

    /// The sentence for a person at a command line, where it differs from `message`.
    package var commandLineMessage: String?
}
