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
    mutating func line(text: String = "") {
        let margin = String(repeating: Swift.margin, count: level)
        lines.append(text.isEmpty ? "" : margin + text)
    }

    /// Adds an expression, broken where it does not fit.
    mutating func code(prefix: String, code: Code) {
        lines += code.lines(prefix: prefix, level: level)
    }

    /// Adds `name = value`, broken after the equals sign where it does not fit.
    mutating func assign(name: String, value: String) {
        if fits("\(name) = \(value)") { return line(text: "\(name) = \(value)") }
        line(text: "\(name) =")
        level += 1
        line(text: value)
        level -= 1
    }

    /// Adds `name = value ?? other`, broken before the operator where it does not fit.
    mutating func assign(name: String, value: String, orElse other: Code) {
        let line = "\(name) = \(value) ?? \(other.flat)"
        if fits(line) { return self.line(text: line) }
        self.line(text: "\(name) =")
        level += 1
        self.line(text: value)
        code(prefix: "?? ", code: other)
        level -= 1
    }

    /// Adds `head { body }`, broken where it does not fit.
    mutating func shortBlock(head: String, body: String) {
        if fits("\(head) { \(body) }") { return line(text: "\(head) { \(body) }") }
        block(head: head) { $0.line(text: body) }
    }

    /// Adds `if left != right, … { return false }`, broken where it does not fit.
    mutating func returnFalse(where pairs: [(left: String, right: String)]) {
        let conditions = pairs.map { "\($0.left) != \($0.right)" }
        let head = "if \(conditions.joined(separator: ", "))"
        if fits(head + " {") { return shortBlock(head: head, body: "return false") }
        for (index, pair) in pairs.enumerated() {
            let start = index == 0 ? "if " : Swift.margin
            let end = index < pairs.count - 1 ? "," : ""
            if fits(start + conditions[index] + end) {
                line(text: start + conditions[index] + end)
            } else {
                line(text: start + pair.left)
                line(text: (index == 0 ? "" : Swift.margin) + "\(Swift.margin)!= \(pair.right)\(end)")
            }
        }
        line(text: "{")
        level += 1
        line(text: "return false")
        level -= 1
        line(text: "}")
    }

    /// Adds the attribute of what cannot be called, with a message that is broken at spaces.
    mutating func unavailable(message: String) {
        line(text: "@available(")
        level += 1
        for text in ["*,", "unavailable,", "message: \"\"\""] { line(text: text) }
        level += 1
        var current = ""
        for word in message.split(separator: " ") {
            if !current.isEmpty, !fits("\(current) \(word) \\") {
                line(text: current + " \\")
                current = ""
            }
            current += current.isEmpty ? String(word) : " \(word)"
        }
        line(text: current)
        line(text: "\"\"\"")
        level -= 2
        line(text: ")")
    }

    private func fits(_ text: String) -> Bool {
        Swift.width(text: text) + level * Swift.indentation <= Swift.lineLength
    }

    /// Adds `head {`, what `body` adds one level deeper, and `}`.
    mutating func block(head: String, body: (inout CodeWriter) -> Void) {
        line(text: head + " {")
        level += 1
        body(&self)
        level -= 1
        line(text: "}")
    }

    /// Adds a function's head with one parameter per line, and its body.
    mutating func function(
        head: String,
        parameters: [Parameter],
        body: (inout CodeWriter) -> Void
    ) {
        line(text: head + "(")
        for (index, parameter) in parameters.enumerated() {
            let comma = index == parameters.count - 1 ? "" : ","
            let prefix = parameter.initialValue == nil ? parameter.declaration : "\(parameter.declaration) = "
            lines += (parameter.initialValue ?? .text("")).lines(
                prefix: prefix,
                suffix: comma,
                level: level + 1
            )
        }
        block(head: ")", body: body)
    }

    /// Adds a documentation comment, wrapped. Paragraphs are separated by an empty line of comment.
    mutating func document(paragraphs: [String]) {
        let width = Swift.lineLength - level * Swift.indentation - 4
        var isFirst = true
        for paragraph in paragraphs where !paragraph.isEmpty {
            if !isFirst { line(text: "///") }
            isFirst = false
            for text in Swift.lines(text: paragraph) { documentLine(text: text, width: width) }
        }
    }

    private mutating func documentLine(text: String, width: Int) {
        if Swift.isPrintable(text.utf8) { return printableLine(text: text, width: width) }
        var current = ""
        for word in text.split(separator: " ") {
            var rest = word
            if !current.isEmpty, current.count + 1 + rest.count > width {
                line(text: "/// \(current)")
                current = ""
            }
            // NB: a word longer than a line is cut, as the formatter counts it as a line too long.
            while current.isEmpty, rest.count > width {
                line(text: "/// \(rest.prefix(width))")
                rest = rest.dropFirst(width)
            }
            current += current.isEmpty ? String(rest) : " \(rest)"
        }
        line(text: current.isEmpty ? "///" : "/// \(current)")
    }

    /// The same for text whose characters are bytes, single-spaced: cut at the last space that fits.
    private mutating func printableLine(text: String, width: Int) {
        var rest = Substring(text).utf8
        while rest.count > width {
            let limit = rest.index(rest.startIndex, offsetBy: width)
            let space = rest[...limit].lastIndex(of: 0x20)
            line(text: "/// \(Substring(rest[..<(space ?? limit)]))")
            rest = rest[(space.map { rest.index(after: $0) } ?? limit)...]
        }
        line(text: rest.isEmpty ? "///" : "/// \(Substring(rest))")
    }
}
