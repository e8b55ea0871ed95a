import SyncCore

/// Finds the elements of a JSON array by brackets and quotation marks alone: whether an element is valid JSON is for
/// its decoder to say.
struct ArrayGrammar: PartGrammar {
    private var state = State.before
    /// How many brackets of the element are open.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    private enum State {
        /// Before the opening bracket.
        case before
        /// Before the first element, or the end of an empty array.
        case first
        /// After a comma.
        case next
        case element
        /// After the closing bracket.
        case done
    }

    mutating func take(byte: UInt8, line: Int) throws -> PartBoundary {
        if state == .element { return takeInside(byte: byte) }
        switch (state, byte) {
        case (_, 0x20), (_, 0x09), (_, 0x0A), (_, 0x0D): break
        case (.before, UInt8(ascii: "[")): state = .first
        case (.first, UInt8(ascii: "]")): state = .done
        case (.first, _) where byte != UInt8(ascii: ","),
            (.next, _) where byte != UInt8(ascii: ",") && byte != UInt8(ascii: "]"):
            (state, depth) = (.element, 0)
            _ = takeInside(byte: byte)
            return .begins
        default: throw SyncError.notAnArray(line: line)
        }
        return .none
    }

    func end(line: Int) throws -> Bool {
        guard state == .done else { throw SyncError.notAnArray(line: line) }
        return false
    }

    private mutating func takeInside(byte: UInt8) -> PartBoundary {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return .none
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth > 0 {
                depth -= 1
            } else if byte == UInt8(ascii: "]") {
                state = .done
                return .endsBefore
            }
        case UInt8(ascii: ","):
            guard depth == 0 else { break }
            state = .next
            return .endsBefore
        default: break
        }
        return .none
    }
}
