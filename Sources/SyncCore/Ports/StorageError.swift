/// The error of a storage call or a file operation.
public struct StorageError: Error, Sendable, Hashable {
    /// The key of the object, or the path of the file.
    public var place: String
    /// The reason as a kind.
    public var kind: Kind
    /// The operating system's error number, or 0.
    public var number: Int32

    /// Makes an error.
    public init(place: String, kind: Kind, number: Int32 = 0) {
        self.place = place
        self.kind = kind
        self.number = number
    }

    /// The closed list of reasons.
    public enum Kind: Sendable, Hashable {
        case notFound, notPermitted, exists, tooLarge, noSpace, failed
        /// A link, a folder or a pipe is where an object was expected.
        case notAnObject
        /// Something else is where a folder was expected.
        case notAFolder
        /// A link is where a folder was expected.
        case isLink
    }
}
