import EntitySync

/// Standard output in large pieces. What is left is written by `finish`; a command that throws prints nothing more.
struct Printer: ~Copyable {
    private var buffer: [UInt8] = []
    private static let pieceBytes = 1 << 18

    init() {
        buffer.reserveCapacity(Self.pieceBytes + 4096)
    }

    /// Prints results of a command, and writes them out at its end.
    static func print(_ body: (inout Printer) throws -> Void) throws {
        var printer = Printer()
        try body(&printer)
        try printer.finish()
    }

    /// Prints a line of text.
    mutating func line(text: String = "") throws {
        buffer.append(contentsOf: text.utf8)
        try endLine()
    }

    /// Prints text that ends its own lines.
    mutating func text(text: String) throws {
        buffer.append(contentsOf: text.utf8)
        try writeLargePiece()
    }

    /// Prints the JSON that `body` writes, and ends the line.
    mutating func json(body: (inout JSONWriter) throws -> Void) throws {
        var writer = JSONWriter()
        try body(&writer)
        try line(bytes: writer.bytes)
    }

    /// Prints bytes and ends the line.
    mutating func line(bytes: [UInt8]) throws {
        buffer.append(contentsOf: bytes)
        try endLine()
    }

    /// Writes what is left.
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
