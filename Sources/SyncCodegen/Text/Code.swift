/// An expression that is written on one line if it fits, and otherwise with one argument per line.
indirect enum Code {
    /// Text that is never broken.
    case text(String)
    /// A string literal. It becomes a multi-line literal if it does not fit.
    case string(String)
    /// A call: `name(label: value, value)`.
    case call(String, [Argument])
    /// An array: `[value, value]`.
    case list([Code])

    struct Argument {
        var label: String?
        var value: Code

        init(label: String? = nil, _ value: Code) {
            self.label = label
            self.value = value
        }
    }

    /// An array of string literals.
    static func strings(texts: [String]) -> Code {
        .list(texts.map { .string($0) })
    }

    /// The expression on one line.
    var flat: String {
        switch self {
        case .text(let text): text
        case .string(let text): Swift.string(text)
        case .call(let name, let arguments): "\(name)(\(arguments.map(\.flat).joined(separator: ", ")))"
        case .list(let elements): "[\(elements.map(\.flat).joined(separator: ", "))]"
        }
    }

    /// The lines of `prefix expression suffix` at a level of indentation.
    func lines(prefix: String = "", suffix: String = "", level: Int) -> [String] {
        let margin = String(repeating: " ", count: level * Swift.indentation)
        let line = margin + prefix + flat + suffix
        if Swift.width(text: line) <= Swift.lineLength { return [line] }
        switch self {
        case .text: return [line]
        case .string(let text):
            let inner = margin + String(repeating: " ", count: Swift.indentation)
            let width = Swift.lineLength - inner.count - 1
            return [margin + prefix + "\"\"\""] + Swift.chunks(text: text, width: width).map { inner + $0 }
                + [inner + "\"\"\"" + suffix]
        case .call(let name, let arguments):
            let inner = arguments.enumerated().flatMap { index, argument in
                let label = argument.label.map { "\($0): " } ?? ""
                let comma = index == arguments.count - 1 ? "" : ","
                return argument.value.lines(prefix: label, suffix: comma, level: level + 1)
            }
            return [margin + prefix + name + "("] + inner + [margin + ")" + suffix]
        case .list(let elements):
            let inner = elements.flatMap { $0.lines(suffix: ",", level: level + 1) }
            return [margin + prefix + "["] + inner + [margin + "]" + suffix]
        }
    }
}

extension Code.Argument {
    var flat: String {
        label.map { "\($0): \(value.flat)" } ?? value.flat
    }
}
