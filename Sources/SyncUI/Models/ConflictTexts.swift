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
    public var noValue = "Not set"
    /// A version that was deleted.
    public var deleted = "Deleted"
    /// A version that this version of the app cannot read.
    public var unreadable = "Written by another version of this app"
    /// A boolean that is true.
    public var yes = "Yes"
    /// A boolean that is false.
    public var no = "No"
    /// A text without any character.
    public var emptyText = "Empty text"
    /// A list, a set or an object without anything in it.
    public var emptyList = "None"
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
