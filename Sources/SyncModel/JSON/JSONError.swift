/// An error about bytes that are not the expected JSON, with its place. It never contains the bytes.
public struct JSONError: Error, Sendable, Hashable {
    /// The offset of the first invalid byte, from 0.
    public var offset: Int
    /// What is wrong.
    public var kind: Kind

    /// Makes an error.
    public init(offset: Int, kind: Kind) {
        self.offset = offset
        self.kind = kind
    }

    /// The closed list of kinds.
    public enum Kind: String, Sendable, Hashable {
        case unexpectedEnd = "the text ends too early"
        case unexpectedByte = "a character that does not belong here"
        case invalidUTF8 = "bytes that are not UTF-8"
        case controlCharacter = "an unescaped control character in a string"
        case invalidEscape = "an escape that JSON does not know"
        case loneSurrogate = "half of a surrogate pair"
        case invalidNumber = "a malformed number"
        case numberOutOfRange = "a number outside the range that can be kept exactly"
        case tooDeep = "values nested too deeply"
        case duplicateMember = "a member that stands twice in one object"
        case trailingBytes = "something after the end of the value"
    }
}
