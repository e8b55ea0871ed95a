import Testing

/// A text that tries to leave its place on a page.
struct HostileText: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String

    var testDescription: String { name }

    static let all = [
        HostileText(name: "script", text: "</script><script>alert(1)</script>"),
        HostileText(name: "comment", text: "--><!--<style>*{display:none}</style>"),
        HostileText(name: "double quotes", text: "\" onclick=\"alert(1)"),
        HostileText(name: "single quotes", text: "' autofocus onfocus='alert(1)"),
        HostileText(name: "direction", text: "\u{202E}txt.exe\u{2066}"),
        HostileText(name: "controls", text: "a\u{0}b\u{1B}[31m\u{7}\u{9B}c\r\u{2028}"),
        HostileText(name: "entities", text: "]]>&lt;&#60;&amp;"),
        HostileText(name: "long", text: String(repeating: "e\u{301}\u{301}\u{301}", count: 30_000)),
        HostileText(name: "end tags", text: "</textarea></title></svg><svg onload=alert(1)>"),
        HostileText(name: "address", text: "javascript:alert(1)"),
        HostileText(name: "templates", text: "${alert(1)} {{7*7}} `"),
        HostileText(name: "escapes", text: "\\u{202e}\\'\\\""),
        HostileText(name: "empty", text: ""),
    ]
}
