/// The texts of a `ConflictSheet`. An app can replace or translate them.
///
/// ```swift
/// var texts = ConflictTexts()
/// texts.save = String(localized: "Save")
/// ```
public struct ConflictTexts: Sendable, Hashable {
    /// Chooses the version of this device for every field.
    public var keepLocal = "Keep this device's version"
    /// Chooses the version from elsewhere for every field.
    public var takeRemote = "Take the other version"
    /// Names the version of this device.
    public var local = "This device"
    /// Names the version from elsewhere.
    public var remote = "Other version"
    /// A field without a value.
    public var noValue = "No value"
    /// A version that is chosen, for people who do not see it.
    public var chosen = "Chosen"
    /// A version that is not chosen, for people who do not see it.
    public var notChosen = "Not chosen"
    /// Writes what was chosen.
    public var save = "Save"
    /// Leaves the conflict as it is.
    public var cancel = "Cancel"

    /// English texts.
    public init() {}
}
