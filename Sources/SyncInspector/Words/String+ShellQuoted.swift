import SyncPages

extension String {
    /// The text quoted as one shell argument.
    package var shellQuoted: String {
        let isPlain =
            !isEmpty
            && utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || "/._-:@%+=,".utf8.contains(byte)
            }
        return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
    }

    /// The same for a name, with what cannot be seen written as `\xHH` between `$'` and `'`, which bash and zsh read.
    var shellQuotedVisibly: String { shellQuoted(escaping: \.isInvisible) }

    /// The same for a text of which only what a page cannot show is written so.
    var shellQuotedText: String { shellQuoted(escaping: \.isHidden) }

    private func shellQuoted(escaping isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isEscaped) else { return shellQuoted }
        var text = "$'"
        for scalar in unicodeScalars {
            switch scalar {
            case "'", "\\": text += "\\\(scalar)"
            case _ where isEscaped(scalar):
                for byte in String(scalar).utf8 {
                    text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "'"
    }
}
