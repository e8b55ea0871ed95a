/// One finding in one schema file: where it stands, what is wrong, and what to do next.
public struct Diagnostic: Sendable, Hashable {
    /// The file, as the caller named it.
    public var path: String
    /// The line, from 1.
    public var line: Int
    /// The column in UTF-8 bytes, from 1.
    public var column: Int
    /// Whether the schema can be used in spite of it.
    public var severity: Severity
    /// What is wrong, as one sentence without a final period.
    public var message: String
    /// The stable name of the rule in kebab-case, for example `missing-key`.
    public var rule: String
    /// What to do next, as one sentence without a final period.
    public var help: String

    /// Describes one finding.
    public init(
        path: String,
        line: Int,
        column: Int,
        severity: Severity,
        message: String,
        rule: String,
        help: String
    ) {
        self.path = path
        self.line = line
        self.column = column
        self.severity = severity
        self.message = message
        self.rule = rule
        self.help = help
    }

    /// How grave a finding is.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// The schema is not used.
        case error
        /// The schema is used; somebody should look.
        case warning
    }

    /// Two lines for people and build logs: `path:line:column: error: sentence [rule]`, then `help: ...`.
    public func text() -> String {
        "\(path.visible):\(line):\(column): \(severity.rawValue): \(message) [\(rule)]\nhelp: \(help)"
    }

    /// One workflow command for GitHub's log, which shows it beside the line.
    public func github() -> String {
        let place = "file=\(Self.githubProperty(text: path)),line=\(line),col=\(column)"
        let title = Self.githubProperty(text: rule)
        return
            "::\(severity.rawValue) \(place),title=\(title)::\(Self.githubData(text: message + "\n" + help))"
    }

    /// Text that cannot end a workflow command.
    static func githubData(text: String) -> String {
        escaped(text: text, table: [0x25: "%25", 0x0D: "%0D", 0x0A: "%0A"])
    }

    /// Text that cannot end a property of a workflow command.
    static func githubProperty(text: String) -> String {
        escaped(text: text, table: [0x25: "%25", 0x0D: "%0D", 0x0A: "%0A", 0x3A: "%3A", 0x2C: "%2C"])
    }

    private static func escaped(text: String, table: [UInt8: String]) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if let replacement = table[byte] {
                bytes.append(contentsOf: replacement.utf8)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Diagnostic: Comparable {
    /// File order: path by bytes, line, column, rule; the message decides between equals, so that the order never
    /// depends on the order of the input.
    public static func < (left: Diagnostic, right: Diagnostic) -> Bool {
        if ByteKey(left.path) != ByteKey(right.path) {
            return ByteKey(left.path) < ByteKey(right.path)
        }
        if left.line != right.line { return left.line < right.line }
        if left.column != right.column { return left.column < right.column }
        if left.rule != right.rule { return ByteKey(left.rule) < ByteKey(right.rule) }
        return ByteKey(left.message) < ByteKey(right.message)
    }
}
