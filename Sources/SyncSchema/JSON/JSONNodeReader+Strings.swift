extension JSONNodeReader {
    /// Reads a string; the next byte is its opening quote. Invalid escapes are reported and replaced, so that
    /// reading can continue.
    mutating func string() throws -> String {
        let opening = reader.position
        var text: [UInt8] = []
        do {
            let whole = try reader.string()
            if !whole.isEscaped { return try whole.decode() }
            decode(whole, into: &text)
            return String(decoding: text, as: UTF8.self)
        } catch let error as JSONError {
            try repair(error, from: opening + 1, opening: opening, into: &text)
        }
        while true {
            let start = reader.position
            do {
                decode(try reader.restOfString(), into: &text)
                return String(decoding: text, as: UTF8.self)
            } catch let error as JSONError {
                try repair(error, from: start, opening: opening, into: &text)
            }
        }
    }

    /// Keeps the part of a string before an error, reports the error, and continues after it.
    private mutating func repair(
        _ error: JSONError,
        from start: Int,
        opening: Int,
        into text: inout [UInt8]
    ) throws {
        let place = error.offset
        guard let byte = byte(at: place) else {
            // A backslash at the end of the text starts no escape.
            let slashes = reader.bytes[start..<place].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
            decode(part(from: start, to: place - slashes % 2), into: &text)
            throw fail(.unclosedString, at: opening)
        }
        if error.kind == .controlCharacter {
            decode(part(from: start, to: place), into: &text)
            if byte == 0x0A || byte == 0x0D { throw fail(.unclosedString, at: opening) }
            report(.controlCharacter, at: place)
            reader.move(to: place + 1)
        } else {
            // An unknown escape, or one that the end of the text truncates.
            decode(part(from: start, to: place - 1), into: &text)
            report(.badEscape, at: place - 1)
            reader.move(to: byte == UInt8(ascii: "u") ? place + 1 : place)
        }
    }

    private func part(from start: Int, to end: Int) -> JSONText {
        JSONText(
            span: UnsafeBufferPointer(rebasing: reader.bytes[start..<end]),
            isEscaped: true,
            offset: start
        )
    }

    /// Appends the decoded text of a part. An unpaired surrogate is reported and replaced.
    private func decode(_ part: JSONText, into text: inout [UInt8]) {
        let end = part.offset + part.span.count
        var rest = part
        while true {
            do {
                return try rest.decode(into: &text)
            } catch {
                // This is the only possible error in a part. Its position is after the escape.
                guard let error = error as? JSONError else { return }
                report(.loneSurrogate, at: error.offset - Self.unicodeEscapeLength)
                text.append(contentsOf: "\u{FFFD}".utf8)
                rest = self.part(from: error.offset, to: end)
            }
        }
    }

    /// The length of `\uD800` in bytes.
    private static let unicodeEscapeLength = 6
}
