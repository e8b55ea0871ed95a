extension JSONNodeReader {
    /// The next byte after white space and comments; nil at the end. Comments are reported.
    mutating func next() throws -> UInt8? {
        while true {
            // An error here only means the end, or that no white space follows.
            _ = try? reader.peek()
            guard let byte = byte(at: reader.position) else { return nil }
            guard byte == UInt8(ascii: "/") || byte == UInt8(ascii: "#") else { return byte }
            try skipComment()
        }
    }

    private mutating func skipComment() throws {
        let start = reader.position
        let isSlash = byte(at: start) == UInt8(ascii: "/")
        let isBlock = isSlash && byte(at: start + 1) == UInt8(ascii: "*")
        if isSlash, !isBlock, byte(at: start + 1) != UInt8(ascii: "/") {
            throw fail(.unexpectedCharacter, at: start)
        }
        report(.comment, at: start)
        let rest = reader.bytes[start...]
        guard isBlock else {
            reader.move(to: rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? reader.bytes.count)
            return
        }
        let end = rest.dropFirst(2).indices.first {
            rest[$0] == UInt8(ascii: "*") && byte(at: $0 + 1) == UInt8(ascii: "/")
        }
        guard let end else { throw fail(.unclosedComment, at: start) }
        reader.move(to: end + 2)
    }
}
