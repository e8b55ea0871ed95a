import SyncCore
import SyncSchema

/// Promises of the JSON reader: reading step by step and all at once accepts the same texts, an accepted
/// value survives writing and minifying, and the schema file reader agrees.
enum JSONPromises {
    static func check(_ bytes: [UInt8]) throws -> Bool {
        let value = try accepted("a JSON value", bytes: bytes) { try ReadValue($0) }
        let skipped = try accepted("a skipped JSON value", bytes: bytes, body: Self.skip)
        try promise((value == nil) == (skipped == nil), kind: .acceptanceDiffers, of: "a JSON value")
        try compareWithSchemaReader(bytes, value: value)
        guard let value, let skipped else { return false }
        try RoundTrip(form: "a JSON value", read: { try ReadValue($0) }, write: \.written).check(bytes)
        try checkMinified(skipped, value: value)
        try checkNumbers(value)
        try checkCut(bytes, value: value)
        return true
    }

    /// The result of `body`; nil if it throws a `JSONError`, whose position must be within the text.
    private static func accepted<Value>(
        _ form: String,
        bytes: [UInt8],
        body: ([UInt8]) throws -> Value
    ) throws -> Value? {
        do { return try body(bytes) } catch let error as JSONError {
            try promise((0...bytes.count).contains(error.offset), kind: .placeOutside, of: form)
            return nil
        }
    }

    private static func skip(_ bytes: [UInt8]) throws -> [UInt8] {
        try bytes.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            let text = Array(try reader.skipValue())
            try reader.end()
            return text
        }
    }

    private static func checkMinified(_ text: [UInt8], value: ReadValue) throws {
        let once = minified(text)
        try promise((try? ReadValue(once)) == value, kind: .writtenReadsOtherwise, of: "minified JSON")
        try promise(minified(once) == once, kind: .writtenDiffers, of: "minified JSON")
    }

    private static func minified(_ text: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        text.withUnsafeBufferPointer { writer.minified($0) }
        return writer.bytes
    }

    /// A number that fits a double survives a round trip as the same double.
    private static func checkNumbers(_ value: ReadValue) throws {
        for text in value.numbers {
            guard let number = Double(String(decoding: text, as: UTF8.self)), number.isFinite else {
                continue
            }
            var writer = JSONWriter()
            writer.number(number)
            try promise(Double(writer.text) == number, kind: .writtenReadsOtherwise, of: "a number")
            try promise((try? ReadValue(writer.bytes)) != nil, kind: .writtenIsRefused, of: "a number")
        }
    }

    /// No proper prefix of an accepted text, completed with other bytes, is accepted.
    private static func checkCut(_ bytes: [UInt8], value: ReadValue) throws {
        switch value {
        case .string, .array, .object: break
        case .null, .boolean, .number: return
        }
        guard let last = bytes.lastIndex(where: { $0 > 0x20 }) else { return }
        for length in Sampled.lengths(below: last, of: bytes) {
            try promise(
                (try? Self.skip(Array(bytes[..<length]))) == nil,
                kind: .cutIsAccepted,
                of: "a JSON value"
            )
        }
    }

    /// Unlike the JSON reader, the schema reader refuses repeated names and deep nesting.
    private static func compareWithSchemaReader(_ bytes: [UInt8], value: ReadValue?) throws {
        // It skips a byte order mark, which a record must not have.
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { return }
        if let value, value.repeatsName || value.depth > 128 { return }
        let baseline = SchemaBaseline.write([SchemaSource(path: "a", bytes: bytes)])
        try promise(
            (baseline == nil) == (value == nil),
            kind: .acceptanceDiffers,
            of: "a JSON value and a schema's text"
        )
        guard let value, let baseline else { return }
        let text =
            Array("{\"format\":1,\"schemas\":{\n\"a\":".utf8) + value.sorted.written + Array("\n}}\n".utf8)
        try promise(baseline == text, kind: .valuesDiffer, of: "a JSON value and a schema's text")
    }
}
