/// Diagnostics of files, encodings and JSON text.
extension DiagnosticContent {
    static func fileName() -> DiagnosticContent {
        DiagnosticContent(
            rule: .fileName,
            message: "the file name is not <name>.schema.json with a kebab-case name",
            help: "rename the file, for example to 'read-status.schema.json': lower-case letters and digits"
                + " in words joined by '-', at most 64 characters"
        )
    }

    static func fileTooLarge(bytes: Int, limit: Int) -> DiagnosticContent {
        DiagnosticContent(
            rule: .fileTooLarge,
            message: "the file has \(bytes) bytes, more than the limit of \(limit)",
            help: "split the entity or shorten its texts"
        )
    }

    static func tooManyValues(limit: Int) -> DiagnosticContent {
        DiagnosticContent(
            rule: .fileTooLarge,
            message: "the file holds more than \(limit) JSON values",
            help: "split the entity into several"
        )
    }

    static func notUTF8(encoding: String?) -> DiagnosticContent {
        let message =
            encoding.map { "the file is \($0), not UTF-8" } ?? "these bytes are not valid UTF-8"
        return DiagnosticContent(rule: .notUTF8, message: message, help: "save the file as UTF-8")
    }

    static let emptyFile = DiagnosticContent(
        rule: .emptyFile,
        message: "the file is empty",
        help: "write a schema: an object with title, type, properties, required and sync"
    )

    static let textAfterEnd = DiagnosticContent(
        rule: .jsonSyntax,
        message: "there is text after the end of the schema",
        help: "a file holds one JSON object; remove the rest or a closing brace too many"
    )

    static let unexpectedEnd = DiagnosticContent(
        rule: .jsonSyntax,
        message: "the file ends where a value is expected",
        help: "write the value"
    )

    static let nameExpected = DiagnosticContent(
        rule: .jsonSyntax,
        message: "a member name in double quotes is expected here",
        help: "write \"name\": value"
    )

    static let colonExpected = DiagnosticContent(
        rule: .jsonSyntax,
        message: "a colon is expected between name and value",
        help: "write \"name\": value"
    )

    static let unexpectedComma = DiagnosticContent(
        rule: .jsonSyntax,
        message: "a value is expected before this comma",
        help: "remove the comma"
    )

    static let unexpectedCharacter = DiagnosticContent(
        rule: .jsonSyntax,
        message: "a JSON value is expected here",
        help: "write an object, an array, a string in double quotes, a number, true, false or null"
    )

    static let singleQuotes = DiagnosticContent(
        rule: .jsonSyntax,
        message: "JSON strings stand in double quotes",
        help: "replace the single quotes by double quotes"
    )

    static func unclosed(opening: Position) -> DiagnosticContent {
        DiagnosticContent(
            rule: .jsonSyntax,
            message:
                "the file ends inside the bracket opened at line \(opening.line), column \(opening.column)",
            help: "close the bracket"
        )
    }

    static func wrongClosing(opening: Position) -> DiagnosticContent {
        DiagnosticContent(
            rule: .jsonSyntax,
            message:
                "this bracket does not close the one opened at line \(opening.line), column \(opening.column)",
            help: "close '{' with '}' and '[' with ']'"
        )
    }

    static let trailingComma = DiagnosticContent(
        rule: .jsonTrailingComma,
        message: "JSON has no comma after the last element",
        help: "remove the comma"
    )

    static let missingComma = DiagnosticContent(
        rule: .jsonMissingComma,
        message: "a comma is missing before this element",
        help: "write a comma after the element before"
    )

    static let comment = DiagnosticContent(
        rule: .jsonComment,
        message: "JSON has no comments",
        help: "use the keyword \"$comment\" or \"description\""
    )

    static let unclosedComment = DiagnosticContent(
        rule: .jsonSyntax,
        message: "the comment is not closed",
        help: "remove the comment"
    )

    static let unclosedString = DiagnosticContent(
        rule: .jsonString,
        message: "the string is not closed on its line",
        help: "close it with a double quote; write a line break as \\n and a quote as \\\""
    )

    static let controlCharacter = DiagnosticContent(
        rule: .jsonString,
        message: "a control character stands raw in a string",
        help: "write it as an escape, for example \\t or \\u0000"
    )

    static let badEscape = DiagnosticContent(
        rule: .jsonString,
        message: "this escape is unknown",
        help: "use \\\" \\\\ \\/ \\b \\f \\n \\r \\t or \\u with four hexadecimal digits"
    )

    static let loneSurrogate = DiagnosticContent(
        rule: .jsonSurrogate,
        message: "this escape is half of a surrogate pair and no character",
        help: "write both halves, or the character itself"
    )

    static let badWord = DiagnosticContent(
        rule: .jsonWord,
        message: "this is neither a JSON number nor true, false or null",
        help: "numbers have no leading zero or plus and digits around the point; texts stand in double quotes"
    )

    static func duplicateMember(name: String) -> DiagnosticContent {
        DiagnosticContent(
            rule: .jsonDuplicateMember,
            message: "the member \(name.quoted) stands twice in this object",
            help: "remove one of the two"
        )
    }

    static func tooDeep(limit: Int) -> DiagnosticContent {
        DiagnosticContent(
            rule: .jsonTooDeep,
            message: "values nest deeper than \(limit) levels",
            help: "flatten the structure"
        )
    }

    static func tooManyDiagnostics(limit: Int) -> DiagnosticContent {
        DiagnosticContent(
            rule: .tooManyDiagnostics,
            message: "the file has more than \(limit) problems; the rest is not shown",
            help: "solve those above and check again"
        )
    }
}
