package import SyncCore

/// A flat JSON object of texts and integers, for headers and footers. Members of other shapes are left out.
package struct SmallObject {
    private var texts: [String: String] = [:]
    private var integers: [String: Int64] = [:]

    /// Holds nothing.
    package init() {}

    /// Reads the object, the whole of `bytes`. Throws `JSONProblem`.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        var reader = try JSONReader(bytes)
        try self.init(at: &reader)
        try reader.end()
    }

    /// Reads an object that is part of something larger. Throws `JSONProblem`.
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

    /// The member's text; nil when it is absent or something else.
    package func text(name: String) -> String? { texts[name] }

    /// The member's integer; nil when it is absent or something else.
    package func integer(name: String) -> Int64? { integers[name] }
}
