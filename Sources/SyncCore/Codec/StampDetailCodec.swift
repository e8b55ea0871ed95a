/// The JSON form of the marks of single fields and elements; names sorted by bytes, so that one detail has one text.
public enum StampDetailCodec {
    /// The detail as text.
    public static func text(_ detail: StampDetail) -> String {
        var writer = JSONWriter()
        append(detail, to: &writer)
        return writer.text
    }

    /// Reads what `text` writes.
    public static func decode(_ text: String) throws -> StampDetail {
        var copy = text
        return try copy.withUTF8 { buffer in
            var reader = try JSONReader(buffer)
            return try decode(&reader)
        }
    }

    static func append(_ detail: StampDetail, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("origin")
        writer.string(detail.origin.description)
        if !detail.units.isEmpty {
            writer.name("units")
            writer.beginObject()
            for name in detail.units.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                writer.name(name)
                writer.beginArray()
                for sibling in detail.units[name] ?? [] { append(sibling, to: &writer) }
                writer.endArray()
            }
            writer.endObject()
        }
        if !detail.elements.isEmpty {
            writer.name("elements")
            writer.beginObject()
            for name in detail.elements.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                writer.name(name)
                append(detail.elements[name] ?? [:], to: &writer)
            }
            writer.endObject()
        }
        if let life = detail.life {
            writer.name("life")
            append(life, to: &writer)
        }
        if let cause = detail.cause {
            writer.name("cause")
            writer.beginArray()
            for text in [cause.entity, cause.key.text, cause.mark.description] { writer.string(text) }
            writer.endArray()
        }
        writer.endObject()
    }

    static func decode(_ reader: inout JSONReader) throws -> StampDetail {
        var origin: EditMark?
        var detail = StampDetail(
            origin: EditMark(time: Timestamp(microseconds: 0), device: DeviceID(bits: 0), sequence: 1)
        )
        guard try reader.beginObject() else { throw reader.problem(.unexpectedByte) }
        repeat {
            switch try reader.name().decode() {
            case "origin": origin = try mark(&reader)
            case "units":
                try members(&reader) { name, reader in
                    guard try reader.beginArray() else { throw reader.problem(.unexpectedByte) }
                    repeat {
                        detail.units[name, default: []].append(try sibling(&reader))
                    } while try reader.nextElement()
                }
            case "elements":
                try members(&reader) { name, reader in
                    var elements: [ElementKey: [EditMark]] = [:]
                    try members(&reader) { element, reader in
                        elements[ElementKey(try json(element, &reader))] = try marks(&reader)
                    }
                    detail.elements[name] = elements
                }
            case "cause": detail.cause = try cause(&reader)
            case "life": detail.life = try marks(&reader)
            default: try reader.skipValue()
            }
        } while try reader.nextMember()
        guard let origin else { throw reader.problem(.unexpectedByte) }
        detail.origin = origin
        return detail
    }

    static func marks(_ reader: inout JSONReader) throws -> [EditMark] {
        var marks: [EditMark] = []
        guard try reader.beginArray() else { return marks }
        repeat { marks.append(try mark(&reader)) } while try reader.nextElement()
        return marks
    }
}

extension StampDetailCodec {
    private static func members(
        _ reader: inout JSONReader,
        _ body: (String, inout JSONReader) throws -> Void
    ) throws {
        guard try reader.beginObject() else { return }
        repeat {
            let name = try reader.name().decode()
            try body(name, &reader)
        } while try reader.nextMember()
    }

    private static func mark(_ reader: inout JSONReader) throws -> EditMark {
        guard let mark = EditMark(try reader.string().decode()) else { throw reader.problem(.unexpectedByte) }
        return mark
    }

    /// `["entity","key","mark"]`.
    private static func cause(_ reader: inout JSONReader) throws -> DeleteCause {
        var texts: [String] = []
        guard try reader.beginArray() else { throw reader.problem(.unexpectedByte) }
        repeat { texts.append(try reader.string().decode()) } while try reader.nextElement()
        guard texts.count == 3, let mark = EditMark(texts[2]) else { throw reader.problem(.unexpectedByte) }
        return DeleteCause(entity: texts[0], key: RecordKey(texts[1]), mark: mark)
    }

    private static func append(_ marks: [EditMark], to writer: inout JSONWriter) {
        writer.beginArray()
        for mark in marks { writer.string(mark.description) }
        writer.endArray()
    }

    private static func append(_ elements: [ElementKey: [EditMark]], to writer: inout JSONWriter) {
        writer.beginObject()
        for element in elements.keys.sorted() {
            writer.name(element.text)
            append(elements[element] ?? [], to: &writer)
        }
        writer.endObject()
    }

    /// `["mark"]`, `["mark","absent"]` or `["mark","integer",5]`.
    private static func append(_ sibling: Sibling, to writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(sibling.mark.description)
        switch sibling.value {
        case .own: break
        case .absent: writer.string("absent")
        case .value(let value): append(value, to: &writer)
        }
        writer.endArray()
    }

    private static func append(_ value: FieldValue, to writer: inout JSONWriter) {
        switch value {
        case .null: writer.string("null")
        case .boolean(let value):
            writer.string("boolean")
            writer.boolean(value)
        case .integer(let value):
            writer.string("integer")
            writer.integer(value)
        case .number(let value):
            writer.string("number")
            writer.number(value)
        case .timestamp(let value):
            writer.string("timestamp")
            writer.integer(value.microseconds)
        case .text(let value):
            writer.string("text")
            writer.string(value)
        case .json(let value):
            writer.string("json")
            writer.string(value)
        case .bytes(let value):
            writer.string("bytes")
            writer.string(Base64.encode(value))
        }
    }

    private static func sibling(_ reader: inout JSONReader) throws -> Sibling {
        guard try reader.beginArray() else { throw reader.problem(.unexpectedByte) }
        var sibling = Sibling(mark: try mark(&reader))
        guard try reader.nextElement() else { return sibling }
        let tag = try reader.string().decode()
        if tag == "absent" || tag == "null" {
            sibling.value = tag == "null" ? .value(.null) : .absent
        } else {
            guard try reader.nextElement() else { throw reader.problem(.unexpectedByte) }
            do {
                sibling.value = .value(try value(tag, &reader))
            } catch is FieldProblem {
                // NB: marks belong to no field's schema: one that cannot be read makes the whole entry malformed.
                throw reader.problem(.unexpectedByte)
            }
        }
        if try reader.nextElement() { throw reader.problem(.unexpectedByte) }
        return sibling
    }

    /// A text that is written into records as it is, so it must be JSON, whoever sent it.
    private static func json(_ text: String, _ reader: inout JSONReader) throws -> String {
        var copy = text
        do {
            try copy.withUTF8 { buffer in
                var inner = JSONReader(validated: buffer)
                try inner.skipValue()
                try inner.end()
            }
        } catch { throw reader.problem(.unexpectedByte) }
        return text
    }

    private static func value(_ tag: String, _ reader: inout JSONReader) throws -> FieldValue {
        let check = ValueCheck(path: "detail", patterns: PatternTable(fields: []))
        switch tag {
        case "boolean": return .boolean(try reader.boolean())
        case "integer": return .integer(try check.integer(&reader, nil, nil))
        case "timestamp": return .timestamp(Timestamp(microseconds: try check.integer(&reader, nil, nil)))
        case "number": return .number(try check.number(&reader, nil, nil))
        case "text": return .text(try reader.string().decode())
        case "json": return .json(try json(try reader.string().decode(), &reader))
        case "bytes": return .bytes(try check.base64(&reader))
        default: throw reader.problem(.unexpectedByte)
        }
    }
}
