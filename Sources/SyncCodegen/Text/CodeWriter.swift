/// A parameter of a function: `name: Type`, and what it is unless told otherwise.
struct Parameter {
    var declaration: String
    var initialValue: Code?
}

/// Collects the lines of a generated file.
struct CodeWriter {
    private var lines: [String] = []
    private var level = 0

    /// The file's text.
    var text: String { lines.joined(separator: "\n") + "\n" }

    /// Adds one line at the present level; an empty one stays empty.
    mutating func line(_ text: String = "") {
        let margin = String(repeating: " ", count: level * Swift.indentation)
        lines.append(text.isEmpty ? "" : margin + text)
    }

    /// Adds an expression, broken where it does not fit.
    mutating func code(_ prefix: String, _ code: Code) {
        lines += code.lines(prefix: prefix, level: level)
    }

    /// Adds `name = value ?? fallback`, broken after the equals sign and then before the operator where it does not fit.
    mutating func assign(_ name: String, _ value: String, fallback: Code? = nil) {
        let whole = fallback.map { "\(value) ?? \($0.flat)" } ?? value
        if fits("\(name) = \(whole)") { return line("\(name) = \(whole)") }
        line("\(name) =")
        level += 1
        if fits(whole) {
            line(whole)
        } else {
            line(value)
            if let fallback { code("?? ", fallback) }
        }
        level -= 1
    }

    /// Adds `head { body }`, broken where it does not fit.
    mutating func shortBlock(_ head: String, _ body: String) {
        if fits("\(head) { \(body) }") { return line("\(head) { \(body) }") }
        block(head) { $0.line(body) }
    }

    private func fits(_ text: String) -> Bool {
        Swift.width(text) + level * Swift.indentation <= Swift.lineLength
    }

    /// Adds `head {`, what `body` adds one level deeper, and `}`.
    mutating func block(_ head: String, _ body: (inout CodeWriter) -> Void) {
        line(head + " {")
        level += 1
        body(&self)
        level -= 1
        line("}")
    }

    /// Adds a function's head with one parameter per line, and its body.
    mutating func function(
        _ head: String,
        _ parameters: [Parameter],
        _ body: (inout CodeWriter) -> Void
    ) {
        line(head + "(")
        for (index, parameter) in parameters.enumerated() {
            let comma = index == parameters.count - 1 ? "" : ","
            let prefix = parameter.initialValue == nil ? parameter.declaration : "\(parameter.declaration) = "
            lines += (parameter.initialValue ?? .text("")).lines(
                prefix: prefix,
                suffix: comma,
                level: level + 1
            )
        }
        block(")", body)
    }

    /// Adds a documentation comment, wrapped. Paragraphs are separated by an empty line of comment.
    mutating func document(_ paragraphs: [String]) {
        let width = Swift.lineLength - level * Swift.indentation - 4
        var isFirst = true
        for paragraph in paragraphs where !paragraph.isEmpty {
            if !isFirst { line("///") }
            isFirst = false
            for text in Swift.lines(paragraph) { documentLine(text, width: width) }
        }
    }

    private mutating func documentLine(_ text: String, width: Int) {
        if Swift.isPrintable(text.utf8) { return printableLine(text, width: width) }
        var current = ""
        for word in text.split(separator: " ") {
            var rest = word
            if !current.isEmpty, current.count + 1 + rest.count > width {
                line("/// \(current)")
                current = ""
            }
            // NB: a word longer than a line is cut, as the formatter counts it as a line too long.
            while current.isEmpty, rest.count > width {
                line("/// \(rest.prefix(width))")
                rest = rest.dropFirst(width)
            }
            current += current.isEmpty ? String(rest) : " \(rest)"
        }
        line(current.isEmpty ? "///" : "/// \(current)")
    }

    /// The same for text whose characters are bytes, single-spaced: cut at the last space that fits.
    private mutating func printableLine(_ text: String, width: Int) {
        var rest = Substring(text).utf8
        while rest.count > width {
            let limit = rest.index(rest.startIndex, offsetBy: width)
            let space = rest[...limit].lastIndex(of: 0x20)
            line("/// \(Substring(rest[..<(space ?? limit)]))")
            rest = rest[(space.map { rest.index(after: $0) } ?? limit)...]
        }
        line(rest.isEmpty ? "///" : "/// \(Substring(rest))")
    }
}
