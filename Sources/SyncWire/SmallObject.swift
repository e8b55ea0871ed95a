package import SyncCore

/// A flat JSON object of texts and integers, for headers and footers. Other members are ignored.
package struct SmallObject {
    private var texts: [String: String] = [:]
    private var integers: [String: Int64] = [:]

    /// An empty object.
    package init() {}

    /// Reads an object that is all of `bytes`. Throws `JSONError`.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        var reader = try JSONReader(bytes)
        try self.init(at: &reader)
        try reader.end()
    }

    /// Reads an object at the reader's position. Throws `JSONError`.
    package init(at reader: inout JSONReader) throws {
        guard try reader.beginObject() else { return }
        repeat {
            let name = try reader.name().decode()
            switch try reader.peek() {
            case UInt8(ascii: "\""): texts[name] = try reader.string().decode()
            default: integers[name] = Int64(String(decoding: try reader.skipValue(), as: UTF8.self))
            }
        } while try reader.nextMember()
    }

    /// The member's text; nil if it is absent or not text.
    package func text(name: String) -> String? { texts[name] }

    /// The member's integer; nil if it is absent or not an integer.
    package func integer(name: String) -> Int64? { integers[name] }
}
