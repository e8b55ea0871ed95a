/// SQL as a list of tokens, by the rules of PostgreSQL's lexer.
struct SQLTokens {
    /// All tokens, with every quoted name as `I` and every literal as `L`. Bodies of functions are read, too; comments
    /// are left out.
    private(set) var structure: [String] = []
    private let bytes: [UInt8]
    private var place = 0

    struct Unfinished: Error {
        var what: String
    }

    init(_ text: String) throws { try self.init(bytes: Array(text.utf8)) }

    private init(bytes: [UInt8]) throws {
        self.bytes = bytes
        while place < bytes.count { try readToken() }
    }

    private mutating func readToken() throws {
        switch bytes[place] {
        case UInt8(ascii: "'"): try skipQuoted(token: "L")
        case UInt8(ascii: "\""): try skipQuoted(token: "I")
        case UInt8(ascii: "-") where bytes[place...].starts(with: Array("--".utf8)):
            while place < bytes.count, bytes[place] != 0x0a, bytes[place] != 0x0d { place += 1 }
        case UInt8(ascii: "$"): try readBody()
        case 0...0x20: place += 1
        case let byte where Self.isWord(byte):
            let start = place
            while place < bytes.count, Self.isWord(bytes[place]) { place += 1 }
            structure.append(String(decoding: bytes[start..<place], as: UTF8.self))
        case let byte:
            structure.append(String(UnicodeScalar(byte)))
            place += 1
        }
    }

    /// Letters, digits, underscores and everything beyond ASCII.
    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || byte &- 0x30 < 10 || byte | 0x20 &- 0x61 < 26
    }

    private mutating func skipQuoted(token: String) throws {
        let quote = bytes[place]
        place += 1
        while place < bytes.count {
            place += 1
            guard bytes[place - 1] == quote else { continue }
            guard place < bytes.count, bytes[place] == quote else { return structure.append(token) }
            place += 1
        }
        throw Unfinished(what: token)
    }

    private mutating func readBody() throws {
        var end = place + 1
        while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "$") else {
            structure.append("$")
            place += 1
            return
        }
        let tag = bytes[place...end]
        let start = end + 1
        var close = start
        while close + tag.count <= bytes.count, !bytes[close...].starts(with: tag) { close += 1 }
        guard close + tag.count <= bytes.count else { throw Unfinished(what: "body") }
        structure += ["B("] + (try SQLTokens(bytes: Array(bytes[start..<close])).structure) + [")"]
        place = close + tag.count
    }
}
