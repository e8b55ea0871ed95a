import Foundation
import Testing

/// Texts that others gathered to try readers of JSON, from `Tests/Corpora/JSON`. Its `LICENSE` says where they are from and
/// how the files are written.
enum JSONSuite {
    /// One text and its name.
    struct Text: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]

        var testDescription: String { name }
    }

    /// Texts whose names begin with what RFC 8259 says: `y_` it is JSON, `n_` it is none, `i_` a reader may choose.
    static func parsing() throws -> [Text] { try texts(name: "parsing.txt") }

    /// JSON that readers are known to change on its way through them.
    static func transform() throws -> [Text] { try texts(name: "transform.txt") }

    /// A list of texts that break programs, as JSON.
    static func naughtyStrings() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: file(name: "naughty-strings.json")))
    }

    private static func file(name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Corpora/JSON").appendingPathComponent(name)
    }

    /// One text a line: its name, then its bytes in base64, in pieces of which each may be repeated.
    private static func texts(name: String) throws -> [Text] {
        let lines = try String(contentsOf: file(name: name), encoding: .utf8).split(separator: "\n")
        return try lines.map { line in
            let words = line.split(separator: " ")
            let bytes = try words.dropFirst().map { try piece(word: $0) }
            return Text(name: String(words[0]), bytes: bytes.flatMap { $0 })
        }
    }

    private static func piece(word: Substring) throws -> [UInt8] {
        let parts = word.split(separator: "*")
        guard let data = Data(base64Encoded: String(parts[parts.count - 1])),
            let count = parts.count == 2 ? Int(parts[0]) : 1
        else { throw Malformed(word: String(word)) }
        return Array(repeatElement([UInt8](data), count: count).joined())
    }

    private struct Malformed: Error { let word: String }
}
