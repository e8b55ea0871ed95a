/// A finding in a schema file: its position, the error or warning, and what to do next.
public struct Diagnostic: Sendable, Hashable {
    /// The file, as the caller named it.
    public var path: String
    /// The line, counted from 1.
    public var line: Int
    /// The column in UTF-8 bytes, counted from 1.
    public var column: Int
    /// Whether the schema can still be used.
    public var severity: Severity
    /// The finding, as one sentence without a final period.
    public var message: String
    /// The stable name of the rule in kebab-case, for example `missing-key`.
    public var rule: String
    /// The advice, as one sentence without a final period.
    public var help: String

    /// Makes a diagnostic.
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

    /// The severity of a finding.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// The schema cannot be used.
        case error
        /// The schema can be used, but should be checked.
        case warning
    }

    /// Two lines for people and build logs: `path:line:column: error: sentence [rule]`, then `help: ...`.
    public func text() -> String {
        "\(path.visible):\(line):\(column): \(severity.rawValue): \(message) [\(rule)]\nhelp: \(help)"
    }

    /// A workflow command for GitHub's log, which shows it at the line.
    public func github() -> String {
        let place = "file=\(Self.githubProperty(text: path)),line=\(line),col=\(column)"
        let title = Self.githubProperty(text: rule)
        return
            "::\(severity.rawValue) \(place),title=\(title)::\(Self.githubData(text: message + "\n" + help))"
    }

    /// Escapes text so that it cannot end a workflow command.
    static func githubData(text: String) -> String {
        escaped(text: text, table: [0x25: "%25", 0x0D: "%0D", 0x0A: "%0A"])
    }

    /// Escapes text so that it cannot end a property of a workflow command.
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
    /// Orders by path (bytes), line, column, rule, then message, so that the order never depends on the input.
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
