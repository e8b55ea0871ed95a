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
        _ parameters: [String],
        suffix: String = "",
        _ body: (inout CodeWriter) -> Void
    ) {
        line(head + "(")
        level += 1
        for (index, parameter) in parameters.enumerated() {
            line(parameter + (index == parameters.count - 1 ? "" : ","))
        }
        level -= 1
        block(")" + suffix, body)
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
}
