/// Builds a JSON tree with positions on top of `JSONReader`.
///
/// It recovers from simple errors (a trailing comma, a comment, a missing comma, a repeated name), so that
/// one run reports all of them. It stops at the first error whose recovery would be a guess.
struct JSONNodeReader {
    /// The maximum nesting depth. The reader recurses once per level, so this also limits its stack.
    static let maxDepth = 128
    /// The most values in a file, which limits the memory for a hostile file.
    static let maxNodes = 1_000_000

    var reader: JSONReader
    private let diagnostics: DiagnosticList
    private let lines: LineTable
    private var nodes = 0

    /// Thrown if the rest of the file cannot be read. The reason has been reported.
    struct StopError: Error {}

    /// Reads the root value; nil if the text cannot be read.
    static func read(_ bytes: [UInt8], diagnostics: DiagnosticList) -> JSONNode? {
        bytes.withUnsafeBufferPointer { buffer in
            switch TextEncodingCheck(buffer) {
            case .other(let name):
                diagnostics.add(.notUTF8(encoding: name), at: .start)
                return nil
            case .invalid(let offset, let start):
                let lines = LineTable(bytes: buffer, start: start)
                diagnostics.add(.notUTF8(encoding: nil), at: lines.position(of: offset))
                return nil
            case .utf8(let start):
                var reader = JSONNodeReader(bytes: buffer, start: start, diagnostics: diagnostics)
                return try? reader.document()
            }
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, start: Int, diagnostics: DiagnosticList) {
        reader = JSONReader(validated: bytes)
        reader.move(to: start)
        lines = LineTable(bytes: bytes, start: start)
        self.diagnostics = diagnostics
    }

    /// The byte at an offset; nil after the end.
    func byte(at offset: Int) -> UInt8? {
        offset < reader.bytes.count ? reader.bytes[offset] : nil
    }

    /// Reports a diagnostic.
    func report(_ makeContent: @autoclosure () -> DiagnosticContent, at offset: Int) {
        diagnostics.add(makeContent(), at: lines.position(of: offset))
    }

    /// Reports a diagnostic and returns the error that stops the reading.
    func fail(_ content: DiagnosticContent, at offset: Int) -> StopError {
        report(content, at: offset)
        return StopError()
    }

    private mutating func document() throws -> JSONNode {
        guard try next() != nil else {
            diagnostics.add(.emptyFile, at: .start)
            throw StopError()
        }
        let root = try value(depth: 0)
        if try next() != nil { throw fail(.textAfterEnd, at: reader.position) }
        return root
    }

    private mutating func value(depth: Int) throws -> JSONNode {
        let first = try next()
        let start = reader.position
        nodes += 1
        guard depth < Self.maxDepth else { throw fail(.tooDeep(limit: Self.maxDepth), at: start) }
        guard nodes <= Self.maxNodes else { throw fail(.tooManyValues(limit: Self.maxNodes), at: start) }
        let value: JSONNode.Value =
            switch first {
            case UInt8(ascii: "{"): .object(try object(depth: depth))
            case UInt8(ascii: "["): .array(try array(depth: depth))
            case UInt8(ascii: "\""): .string(try string())
            case let byte?: try word(first: byte)
            case nil: throw fail(.unexpectedEnd, at: start)
            }
        return JSONNode(position: lines.position(of: start), value: value)
    }

    private mutating func object(depth: Int) throws -> [JSONMember] {
        let opening = reader.position
        var members: [JSONMember] = []
        var names = NameSet()
        reader.move(to: opening + 1)
        while try enter(UInt8(ascii: "}"), opening: opening, isFirst: members.isEmpty) {
            let place = reader.position
            guard byte(at: place) == UInt8(ascii: "\"") else { throw fail(.nameExpected, at: place) }
            let name = try string()
            guard try next() == UInt8(ascii: ":") else { throw fail(.colonExpected, at: reader.position) }
            reader.move(to: reader.position + 1)
            let node = try value(depth: depth + 1)
            if names.insert(name, members: members) {
                members.append(JSONMember(name: name, namePosition: lines.position(of: place), node: node))
            } else {
                report(.duplicateMember(name: name), at: place)
            }
        }
        return members
    }

    private mutating func array(depth: Int) throws -> [JSONNode] {
        let opening = reader.position
        var elements: [JSONNode] = []
        reader.move(to: opening + 1)
        while try enter(UInt8(ascii: "]"), opening: opening, isFirst: elements.isEmpty) {
            elements.append(try value(depth: depth + 1))
        }
        return elements
    }

    /// Moves to the next element, or past the closing bracket. Returns false at the end of the container.
    private mutating func enter(_ closing: UInt8, opening: Int, isFirst: Bool) throws -> Bool {
        var byte = try next()
        let comma = reader.position
        let hasComma = byte == UInt8(ascii: ",")
        if hasComma {
            if isFirst { throw fail(.unexpectedComma, at: comma) }
            reader.move(to: comma + 1)
            byte = try next()
        }
        let place = reader.position
        guard let byte else { throw fail(.unclosed(opening: lines.position(of: opening)), at: place) }
        if byte == closing {
            if hasComma { report(.trailingComma, at: comma) }
            reader.move(to: place + 1)
            return false
        }
        if byte == UInt8(ascii: ",") { throw fail(.unexpectedComma, at: place) }
        if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            throw fail(.wrongClosing(opening: lines.position(of: opening)), at: place)
        }
        if !hasComma && !isFirst { report(.missingComma, at: place) }
        return true
    }
}

/// The names of one object, compared as bytes. A few names are searched linearly, many are hashed.
private struct NameSet {
    private var hashed: Set<ByteKey> = []

    /// Adds a name. Returns false if it exists already.
    mutating func insert(_ name: String, members: [JSONMember]) -> Bool {
        if members.count < 16 {
            return !members.contains { $0.name.hasSameBytes(as: name) }
        }
        if hashed.isEmpty { hashed = Set(members.map { ByteKey($0.name) }) }
        return hashed.insert(ByteKey(name)).inserted
    }
}
