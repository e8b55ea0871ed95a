import Foundation

/// A coding key with any name.
struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(String(intValue)) }
}

/// Any JSON value, as text, for `Codable`.
///
/// NB: `Codable` gives members in no order and numbers as values. So the resulting text has sorted members and
/// numbers in their shortest spelling. A number beyond 38 digits becomes the nearest double.
struct AnyJSON: Codable {
    let text: String

    init(text: String) {
        self.text = text
    }

    init(from decoder: any Decoder) throws {
        var writer = JSONWriter()
        try Self.append(decoder: decoder, to: &writer)
        text = writer.text
    }

    func encode(to encoder: any Encoder) throws {
        var copy = text
        try copy.withUTF8 { buffer in
            var reader = JSONReader(validated: buffer)
            try Self.encode(&reader, to: encoder)
        }
    }

    private static func append(decoder: any Decoder, to writer: inout JSONWriter) throws {
        // Text first: it is most frequent, and each type that a decoder refuses costs an error.
        if let value = try? decoder.singleValueContainer() {
            if value.decodeNil() { return writer.null() }
            if let text = try? value.decode(String.self) { return writer.string(text) }
        }
        if let container = try? decoder.container(keyedBy: MemberName.self) {
            let names = container.allKeys.map(\.stringValue)
            writer.beginObject()
            for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                writer.name(name)
                writer.raw(try container.decode(AnyJSON.self, forKey: MemberName(name)).text)
            }
            writer.endObject()
        } else if var container = try? decoder.unkeyedContainer() {
            writer.beginArray()
            while !container.isAtEnd { writer.raw(try container.decode(AnyJSON.self).text) }
            writer.endArray()
        } else {
            try append(scalar: try decoder.singleValueContainer(), to: &writer)
        }
    }

    private static func append(
        scalar: any SingleValueDecodingContainer,
        to writer: inout JSONWriter
    ) throws {
        if let flag = try? scalar.decode(Bool.self) {
            writer.boolean(flag)
        } else if let integer = try? scalar.decode(Int64.self) {
            writer.integer(integer)
        } else {
            writer.raw(try number(value: scalar))
        }
    }

    /// The text of a number that is not a 64-bit integer: exact digits if a decimal holds them, otherwise those of a
    /// double.
    private static func number(value: any SingleValueDecodingContainer) throws -> String {
        let double = try value.decode(Double.self)
        if let decimal = try? value.decode(Decimal.self),
            let text = DecimalText.canonical(decimal.description),
            Double(text) == double
        {
            return text
        }
        guard double.isFinite else {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: "Expected a finite number.")
        }
        var writer = JSONWriter()
        writer.number(double)
        return writer.text
    }

    private static func encode(_ reader: inout JSONReader, to encoder: any Encoder) throws {
        switch try reader.peek() {
        case UInt8(ascii: "{"):
            var container = encoder.container(keyedBy: MemberName.self)
            guard try reader.beginObject() else { return }
            repeat {
                let name = MemberName(try reader.name().decode())
                let value = AnyJSON(text: String(decoding: try reader.skipValue(), as: UTF8.self))
                try container.encode(value, forKey: name)
            } while try reader.nextMember()
        case UInt8(ascii: "["):
            var container = encoder.unkeyedContainer()
            guard try reader.beginArray() else { return }
            repeat {
                try container.encode(AnyJSON(text: String(decoding: try reader.skipValue(), as: UTF8.self)))
            } while try reader.nextElement()
        default:
            var container = encoder.singleValueContainer()
            try encodeScalar(&reader, to: &container)
        }
    }

    private static func encodeScalar(
        _ reader: inout JSONReader,
        to container: inout any SingleValueEncodingContainer
    ) throws {
        switch try reader.peek() {
        case UInt8(ascii: "\""): try container.encode(try reader.string().decode())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): try container.encode(try reader.boolean())
        case UInt8(ascii: "n"):
            _ = try reader.null()
            try container.encodeNil()
        default:
            let text = String(decoding: try reader.number(), as: UTF8.self)
            if let integer = Int64(text) {
                try container.encode(integer)
            } else if let integer = UInt64(text) {
                try container.encode(integer)
            } else if let decimal = Decimal(wireText: text), !isDouble(text: text) {
                try container.encode(decimal)
            } else {
                try encode(double: text, to: &container)
            }
        }
    }

    /// Whether a number is spelled like a double, so that converting it loses nothing.
    private static func isDouble(text: String) -> Bool {
        guard let double = Double(text), double.isFinite else { return false }
        var writer = JSONWriter()
        writer.number(double)
        return writer.text == text
    }

    private static func encode(double text: String, to container: inout any SingleValueEncodingContainer)
        throws
    {
        guard let double = Double(text), double.isFinite else {
            throw EncodingError.invalidValue(
                "number",
                EncodingError.Context(
                    codingPath: container.codingPath,
                    debugDescription: "An unknown member holds a number outside the range of a double."
                )
            )
        }
        try container.encode(double)
    }
}
