/// Why bytes are not the JSON that is expected, and where. The bytes themselves are not in it.
public struct JSONError: Error, Sendable, Hashable {
    /// The offset of the first byte that does not fit, from 0.
    public var offset: Int
    /// What is wrong.
    public var kind: Kind

    /// Makes a problem.
    public init(offset: Int, kind: Kind) {
        self.offset = offset
        self.kind = kind
    }

    /// The closed list of what can be wrong.
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
