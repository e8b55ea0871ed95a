package import SyncCore

/// Unknown members in one column: a JSON object whose names are their paths, in the order given.
package enum UnknownText {
    static func encode(_ unknown: [UnknownField]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for member in unknown {
            writer.name(member.path)
            writer.raw(member.json)
        }
        writer.endObject()
        return writer.text
    }

    /// Reads what `encode` writes. Throws `JSONError`.
    package static func decode(_ text: UnsafeBufferPointer<UInt8>) throws -> [UnknownField] {
        var unknown: [UnknownField] = []
        var reader = try JSONReader(text)
        guard try reader.beginObject() else { return unknown }
        repeat {
            let path = try reader.name().decode()
            let json = String(decoding: try reader.skipValue(), as: UTF8.self)
            unknown.append(UnknownField(path: path, json: json))
        } while try reader.nextMember()
        return unknown
    }
}
