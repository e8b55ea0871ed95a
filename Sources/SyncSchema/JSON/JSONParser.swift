/// Reads JSON text into a tree with positions.
///
/// It goes on after what a reader can repair in the head (a trailing comma, a comment, a missing comma, a name that
/// stands twice), so that one run shows all of them, and stops at the first place where guessing would mislead.
struct JSONParser {
    /// How deep values may nest. The parser recurses once per level, so this also bounds its stack.
    static let maxDepth = 128
    /// How many values one file may hold, which bounds the memory that a hostile file can ask for.
    static let maxNodes = 1_000_000

    let bytes: [UInt8]
    let problems: ProblemList
    var index: Int
    var line: Int32 = 1
    /// The offset of the first byte of the current line.
    var lineStart: Int
    var nodes = 0

    /// Thrown when the rest of the file cannot be read; the reason is already in the list.
    struct Stop: Error {}

    /// The root value, or nil when the text is beyond repair.
    static func parse(_ bytes: [UInt8], problems: ProblemList) -> JSONNode? {
        switch TextEncodingCheck(bytes) {
        case .other(let name):
            problems.add(.notUTF8(encoding: name), at: .start)
            return nil
        case .invalid(let offset, let start):
            var parser = JSONParser(bytes: bytes, problems: problems, start: start)
            parser.advance(to: offset)
            problems.add(.notUTF8(encoding: nil), at: parser.position)
            return nil
        case .utf8(let start):
            var parser = JSONParser(bytes: bytes, problems: problems, start: start)
            return try? parser.document()
        }
    }

    init(bytes: [UInt8], problems: ProblemList, start: Int = 0) {
        self.bytes = bytes
        self.problems = problems
        index = start
        lineStart = start
    }

    /// The place of the next byte.
    var position: Position {
        Position(line: line, column: Int32(clamping: index - lineStart + 1))
    }

    /// The next byte, or nil at the end.
    var next: UInt8? {
        index < bytes.count ? bytes[index] : nil
    }

    /// Reports a problem that ends the reading.
    func fail(_ problem: Problem, at position: Position) -> Stop {
        problems.add(problem, at: position)
        return Stop()
    }

    private mutating func document() throws -> JSONNode {
        try skipSpace()
        guard next != nil else { throw fail(.emptyFile, at: .start) }
        let root = try value(depth: 0)
        try skipSpace()
        if next != nil { throw fail(.textAfterEnd, at: position) }
        return root
    }

    private mutating func value(depth: Int) throws -> JSONNode {
        let start = position
        nodes += 1
        guard depth < Self.maxDepth else { throw fail(.tooDeep(limit: Self.maxDepth), at: start) }
        guard nodes <= Self.maxNodes else { throw fail(.tooManyValues(limit: Self.maxNodes), at: start) }
        switch next {
        case UInt8(ascii: "{"): return JSONNode(position: start, value: .object(try object(depth: depth)))
        case UInt8(ascii: "["): return JSONNode(position: start, value: .array(try array(depth: depth)))
        case UInt8(ascii: "\""): return JSONNode(position: start, value: .string(try string()))
        case nil: throw fail(.unexpectedEnd, at: start)
        default: return JSONNode(position: start, value: try word())
        }
    }

    private mutating func object(depth: Int) throws -> [JSONMember] {
        let opening = position
        var members: [JSONMember] = []
        var names = NameSet()
        index += 1
        while try enter(UInt8(ascii: "}"), opening: opening, isFirst: members.isEmpty) {
            let namePosition = position
            guard next == UInt8(ascii: "\"") else { throw fail(.nameExpected, at: namePosition) }
            let name = try string()
            try skipSpace()
            guard next == UInt8(ascii: ":") else { throw fail(.colonExpected, at: position) }
            index += 1
            try skipSpace()
            let node = try value(depth: depth + 1)
            if names.insert(name, members: members) {
                members.append(JSONMember(name: name, namePosition: namePosition, node: node))
            } else {
                problems.add(.duplicateMember(name: name), at: namePosition)
            }
        }
        return members
    }

    private mutating func array(depth: Int) throws -> [JSONNode] {
        let opening = position
        var elements: [JSONNode] = []
        index += 1
        while try enter(UInt8(ascii: "]"), opening: opening, isFirst: elements.isEmpty) {
            elements.append(try value(depth: depth + 1))
        }
        return elements
    }

    /// Moves to the next element, or past the closing bracket; false when the container ends.
    private mutating func enter(_ closing: UInt8, opening: Position, isFirst: Bool) throws -> Bool {
        try skipSpace()
        let comma = position
        let hasComma = next == UInt8(ascii: ",")
        if hasComma {
            if isFirst { throw fail(.unexpectedComma, at: comma) }
            index += 1
            try skipSpace()
        }
        guard let byte = next else { throw fail(.unclosed(opening: opening), at: position) }
        if byte == closing {
            if hasComma { problems.add(.trailingComma, at: comma) }
            index += 1
            return false
        }
        if byte == UInt8(ascii: ",") { throw fail(.unexpectedComma, at: position) }
        if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            throw fail(.wrongClosing(opening: opening), at: position)
        }
        if !hasComma && !isFirst { problems.add(.missingComma, at: position) }
        return true
    }
}

/// The names of one object, compared as bytes. Few names are searched, many are hashed.
private struct NameSet {
    private var hashed: Set<ByteKey> = []

    /// Adds a name; false when it is there already.
    mutating func insert(_ name: String, members: [JSONMember]) -> Bool {
        if members.count < 16 {
            return !members.contains { $0.name.utf8.elementsEqual(name.utf8) }
        }
        if hashed.isEmpty { hashed = Set(members.map { ByteKey($0.name) }) }
        return hashed.insert(ByteKey(name)).inserted
    }
}
