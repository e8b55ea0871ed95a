/// Names on the wire.
package enum WireName {
    /// The path in a `sync.name`: one member name, or the parts of a JSON pointer (RFC 6901) if it starts
    /// with a slash. Nil if a part is empty, longer than 128 bytes, or contains a character that could break
    /// out of generated code or hide itself.
    package static func path(text: String) -> [String]? {
        guard text.utf8.first == UInt8(ascii: "/") else { return isSound(text) ? [text] : nil }
        let parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let names = parts.compactMap(unescaped)
        guard names.count == parts.count, names.count <= 8, names.allSatisfy(isSound) else { return nil }
        return names
    }

    /// A pointer part with `~1` decoded as slash and `~0` as tilde; nil for any other tilde.
    private static func unescaped(part: String) -> String? {
        var bytes: [UInt8] = []
        var rest = part.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isSound(_ name: String) -> Bool {
        let refused: Set<Unicode.Scalar> = ["\"", "\\", "'", "`"]
        return !name.isEmpty && name.utf8.count <= 128
            && !name.unicodeScalars.contains { $0.isHidden || refused.contains($0) }
    }

    /// Whether a collection name is safe in a URL and in a file system: at most 64 ASCII letters, digits,
    /// `_`, `-` and `.`, starting with a letter.
    static func isRemote(_ name: String) -> Bool {
        let extra = Set("_-.".utf8)
        guard name.utf8.count <= SwiftNames.maxLength, let first = name.unicodeScalars.first, first.isASCII,
            first.properties.isAlphabetic
        else { return false }
        return name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || extra.contains(byte)
        }
    }
}

extension Schema.Naming {
    /// The wire name of a field in this style.
    package func wireName(for field: String) -> String {
        switch self {
        case .verbatim: field
        case .snakeCase: Words.snakeCase(name: field)
        case .camelCase: Words.camelCase(name: field)
        }
    }
}
