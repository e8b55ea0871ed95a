import SyncCore
import SyncSchema

/// What the JSON reader promises: step by step and all at once it accepts the same texts; what it accepts reads the same
/// once it is written again or minified; and the reader of schema files, which knows another way, agrees.
enum JSONPromises {
    static func check(_ bytes: [UInt8]) throws -> Bool {
        let value = try accepted("a JSON value", bytes: bytes) { try ReadValue($0) }
        let skipped = try accepted("a skipped JSON value", bytes: bytes, body: Self.skip)
        try promise((value == nil) == (skipped == nil), kind: .verdictsDiffer, of: "a JSON value")
        try compareWithSchemaReader(bytes, value: value)
        guard let value, let skipped else { return false }
        try RoundTrip(form: "a JSON value", read: { try ReadValue($0) }, write: \.written).check(bytes)
        try checkMinified(skipped, value: value)
        try checkNumbers(value)
        try checkCut(bytes, value: value)
        return true
    }

    /// What `body` gives; nil when it throws a `JSONProblem`, which must lie in the text.
    private static func accepted<Value>(
        _ form: String,
        bytes: [UInt8],
        body: ([UInt8]) throws -> Value
    ) throws -> Value? {
        do { return try body(bytes) } catch let problem as JSONError {
            try promise((0...bytes.count).contains(problem.offset), kind: .placeOutside, of: form)
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

    /// A number that a double holds reads back as the same double.
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

    /// No beginning of a text with an end of its own is accepted.
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

    /// The other reader refuses a name that stands twice, and what nests deeper than a schema may.
    private static func compareWithSchemaReader(_ bytes: [UInt8], value: ReadValue?) throws {
        // It passes over a byte order mark, which a record must not have.
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { return }
        if let value, value.repeatsName || value.depth > 128 { return }
        let baseline = SchemaBaseline.write([SchemaSource(path: "a", bytes: bytes)])
        try promise(
            (baseline == nil) == (value == nil),
            kind: .verdictsDiffer,
            of: "a JSON value and a schema's text"
        )
        guard let value, let baseline else { return }
        let text =
            Array("{\"format\":1,\"schemas\":{\n\"a\":".utf8) + value.sorted.written + Array("\n}}\n".utf8)
        try promise(baseline == text, kind: .valuesDiffer, of: "a JSON value and a schema's text")
    }
}
