extension JSONParser {
    /// Skips white space, and comments after reporting them.
    mutating func skipSpace() throws {
        while let byte = next {
            switch byte {
            case 0x20, 0x09: index += 1
            case 0x0A, 0x0D: newLine(byte: byte)
            case UInt8(ascii: "/"), UInt8(ascii: "#"): try skipComment()
            default: return
            }
        }
    }

    /// Moves to an offset, counting lines.
    mutating func advance(to offset: Int) {
        while index < offset {
            if bytes[index] == 0x0A || bytes[index] == 0x0D {
                newLine(byte: bytes[index])
            } else {
                index += 1
            }
        }
    }

    /// Passes one line break: LF, CRLF or a lone CR.
    private mutating func newLine(byte: UInt8) {
        index += 1
        if byte == 0x0D, next == 0x0A { index += 1 }
        line += 1
        lineStart = index
    }

    private mutating func skipComment() throws {
        let start = position
        let following = index + 1 < bytes.count ? bytes[index + 1] : 0
        if next == UInt8(ascii: "/"), following != UInt8(ascii: "/"), following != UInt8(ascii: "*") {
            throw fail(.unexpectedCharacter, at: start)
        }
        problems.add(.comment, at: start)
        if next == UInt8(ascii: "/"), following == UInt8(ascii: "*") {
            try skipBlockComment(from: start)
        } else {
            while let byte = next, byte != 0x0A, byte != 0x0D { index += 1 }
        }
    }

    private mutating func skipBlockComment(from start: Position) throws {
        index += 2
        while index + 1 < bytes.count {
            if bytes[index] == UInt8(ascii: "*"), bytes[index + 1] == UInt8(ascii: "/") {
                index += 2
                return
            }
            advance(to: index + 1)
        }
        throw fail(.unclosedComment, at: start)
    }
}
