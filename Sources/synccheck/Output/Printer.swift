import EntitySync
import SyncCore

/// Buffered standard output. `finish` writes the rest. If a command throws, buffered output is dropped.
struct Printer: ~Copyable {
    private var buffer: [UInt8] = []
    private static let pieceBytes = 1 << 18

    init() {
        buffer.reserveCapacity(Self.pieceBytes + 4096)
    }

    /// Runs `body` with a printer, and writes the rest at the end.
    static func print(body: (inout Printer) throws -> Void) throws {
        var printer = Printer()
        try body(&printer)
        try printer.finish()
    }

    /// Prints a line of text.
    mutating func line(text: String = "") throws {
        buffer.append(contentsOf: text.utf8)
        try endLine()
    }

    /// Prints text that includes its line feeds.
    mutating func text(text: String) throws {
        buffer.append(contentsOf: text.utf8)
        try writeLargePiece()
    }

    /// Prints the JSON that `body` writes, and a line feed.
    mutating func json(body: (inout JSONWriter) throws -> Void) throws {
        var writer = JSONWriter()
        try body(&writer)
        try line(bytes: writer.bytes)
    }

    /// Prints where a command has written, alone or as the member `name` of a JSON object.
    mutating func path(_ path: String, as name: String, asJSON: Bool) throws {
        guard asJSON else { return try line(text: path.withoutTerminalCodes) }
        try json { writer in
            writer.beginObject()
            writer.member(name: name, text: path)
            writer.endObject()
        }
    }

    /// Prints bytes and a line feed.
    mutating func line(bytes: [UInt8]) throws {
        buffer.append(contentsOf: bytes)
        try endLine()
    }

    /// Writes the buffered rest.
    private mutating func finish() throws {
        try StandardStreams.write(buffer, to: .output)
        buffer.removeAll()
    }

    private mutating func endLine() throws {
        buffer.append(UInt8(ascii: "\n"))
        try writeLargePiece()
    }

    private mutating func writeLargePiece() throws {
        guard buffer.count >= Self.pieceBytes else { return }
        try StandardStreams.write(buffer, to: .output)
        buffer.removeAll(keepingCapacity: true)
    }
}
