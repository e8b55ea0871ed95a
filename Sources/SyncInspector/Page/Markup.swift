/// HTML. Literals are taken as they are; every text that is interpolated is escaped, in elements and in attributes.
///
/// ```swift
/// let cell: Markup = "<td>\(value)</td>"
/// ```
struct Markup: ExpressibleByStringInterpolation, Sendable {
    /// The HTML.
    private(set) var html: String

    /// HTML that is written in the source code.
    init(stringLiteral html: StaticString) { self.html = html.description }

    /// HTML with escaped texts in it.
    init(stringInterpolation parts: Parts) { html = parts.html }

    /// Some HTML after the other.
    init(_ parts: some Sequence<Markup>) { html = parts.map(\.html).joined() }

    /// Adds HTML at the end.
    static func += (left: inout Markup, right: Markup) { left.html += right.html }

    /// Collects literals and escaped texts.
    struct Parts: StringInterpolationProtocol {
        var html = ""

        init(literalCapacity: Int, interpolationCount: Int) { html.reserveCapacity(literalCapacity) }

        mutating func appendLiteral(_ literal: StaticString) { html += literal.description }

        mutating func appendInterpolation(_ text: String) { html += Markup.escaped(text) }

        mutating func appendInterpolation(_ number: Int) { html += String(number) }

        mutating func appendInterpolation(_ markup: Markup) { html += markup.html }

        mutating func appendInterpolation(_ parts: some Sequence<Markup>) {
            for part in parts { html += part.html }
        }
    }

    /// Escapes a text. What cannot be seen is written as `\u{…}`; line feeds and tabs stay.
    private static func escaped(_ text: String) -> String {
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
