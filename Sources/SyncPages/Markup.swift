/// HTML. Literals are taken as they are; every text that is interpolated is escaped, in elements and in attributes.
package struct Markup: ExpressibleByStringInterpolation, Sendable {
    /// The HTML.
    package private(set) var html: String

    /// HTML that is written in the source code.
    package init(stringLiteral html: StaticString) { self.html = html.description }

    /// HTML with escaped texts in it.
    package init(stringInterpolation parts: Parts) { html = parts.html }

    /// Some HTML after the other.
    package init(_ parts: some Sequence<Markup>) { html = parts.map(\.html).joined() }

    /// One after the other.
    package static func + (left: Markup, right: Markup) -> Markup { Markup([left, right]) }

    /// Adds HTML at the end.
    package static func += (left: inout Markup, right: Markup) { left.html += right.html }

    /// Collects literals and escaped texts.
    package struct Parts: StringInterpolationProtocol {
        fileprivate var html = ""

        package init(literalCapacity: Int, interpolationCount: Int) { html.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: StaticString) { html += literal.description }

        package mutating func appendInterpolation(_ text: String) { html += Markup.escaped(text) }

        package mutating func appendInterpolation(_ number: Int) { html += String(number) }

        package mutating func appendInterpolation(_ markup: Markup) { html += markup.html }

        package mutating func appendInterpolation(_ parts: some Sequence<Markup>) {
            for part in parts { html += part.html }
        }
    }

    /// Escapes a text. What cannot be seen is written as `\u{…}`; line feeds and tabs stay.
    static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy(isPlain) { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            case "\n", "\t": escaped.append(scalar)
            case _ where scalar.isHidden:
                escaped.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// Whether a byte stands for itself.
    private static func isPlain(byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"):
            false
        default: 0x20..<0x7f ~= byte || byte == 0x0a
        }
    }
}

extension Unicode.Scalar {
    /// Whether a page cannot show the character as it is: controls, direction overrides, and what is no character.
    /// Joiners that some scripts need are shown.
    package var isHidden: Bool {
        switch value {
        case 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029, 0xFEFF: true
        case _ where value & 0xFFFE == 0xFFFE: true
        default: properties.generalCategory == .control
        }
    }

    /// Whether nobody can see the character in a name: also joiners, direction marks, separators and fillers, so that
    /// two names that differ never look alike for it.
    package var isInvisible: Bool {
        if isHidden || properties.isDefaultIgnorableCodePoint { return true }
        return switch properties.generalCategory {
        case .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }
}
