/// Spelling of names, literals and comments in generated Swift.
enum Swift {
    /// The greatest length of a line, as the formatter is configured.
    static let lineLength = 110
    /// Spaces per level of indentation.
    static let indentation = 4
    /// The spaces of one level.
    static let margin = String(repeating: " ", count: indentation)

    /// Words that need backquotes where a name is declared. `Type`, `self` and `init` never get here: no field has
    /// such a name.
    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import", "init",
        "inout",
        "internal", "let", "operator", "precedencegroup", "private", "protocol", "public", "rethrows",
        "static",
        "struct", "subscript", "typealias", "var", "break", "case", "catch", "continue", "default", "defer",
        "do",
        "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return", "throw", "switch", "where",
        "while",
        "Any", "as", "await", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try",
    ]

    /// Words that begin an accessor where a getter's body begins with them.
    private static let accessors: Set<String> = ["get", "set", "willSet", "didSet"]

    /// A name as it is declared and used, in backquotes where Swift needs them.
    static func name(_ name: String) -> String {
        keywords.contains(name) || accessors.contains(name) ? "`\(name)`" : name
    }

    /// A name as it stands before the colon of an argument.
    static func label(name: String) -> String {
        name == "inout" ? "`inout`" : name
    }

    /// A string literal. What could end it, hide itself or turn the direction of text is escaped.
    static func string(_ text: String) -> String {
        if isPrintable(text.utf8), !text.utf8.contains(where: { $0 == 0x22 || $0 == 0x5c }) {
            return "\"\(text)\""
        }
        return "\"\(text.unicodeScalars.map(spelling).joined())\""
    }

    /// The lines between the delimiters of a multi-line literal, each at most so wide, joined by escaped line breaks.
    static func chunks(text: String, width: Int) -> [String] {
        var chunks = [""]
        for spelling in text.unicodeScalars.map(spelling) {
            if chunks[chunks.count - 1].count + spelling.count > width {
                chunks[chunks.count - 1] += "\\"
                chunks.append("")
            }
            chunks[chunks.count - 1] += spelling
        }
        return chunks
    }

    private static func spelling(scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: isPlain(scalar) ? String(scalar) : escape(scalar: scalar)
        }
    }

    /// Text for a comment, in lines: at line breaks of any kind, trimmed, with nothing hidden in them.
    static func lines(text: String) -> [String] {
        // Most text is one line of ASCII, which needs no look at the properties of characters.
        if isPrintable(text.utf8) { return [singleSpaced(text: text)] }
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        return lines.map { line in
            var visible = String.UnicodeScalarView()
            for scalar in line.unicodeScalars {
                if (0x21...0x7e).contains(scalar.value) {
                    visible.append(scalar)
                } else if scalar.properties.isWhitespace {
                    visible.append(" ")
                } else if isPlain(scalar) || scalar.properties.isGraphemeExtend {
                    visible.append(scalar)
                } else {
                    visible.append(contentsOf: escape(scalar: scalar).unicodeScalars)
                }
            }
            return String(visible).split(separator: " ").joined(separator: " ")
        }
    }

    /// Printable ASCII without spaces at its ends and with one at a time inside.
    private static func singleSpaced(text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 where byte != 0x20 || (bytes.last ?? 0x20) != 0x20 { bytes.append(byte) }
        if bytes.last == 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// How many characters a reader counts.
    static func width(text: some StringProtocol) -> Int {
        isPrintable(text.utf8) ? text.utf8.count : text.count
    }

    /// Whether the text is printable ASCII on one line: one byte, one character.
    static func isPrintable(_ text: some Sequence<UInt8>) -> Bool {
        text.allSatisfy { (0x20...0x7e).contains($0) }
    }

    private static func escape(scalar: Unicode.Scalar) -> String {
        "\\u{\(String(scalar.value, radix: 16))}"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20...0x7e).contains(scalar.value) }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse,
            .unassigned:
            return false
        default:
            // NB: a combining mark would join with what stands before it, even with the quote.
            return !scalar.properties.isGraphemeExtend
                && scalar.properties.canonicalCombiningClass == .notReordered
        }
    }
}
