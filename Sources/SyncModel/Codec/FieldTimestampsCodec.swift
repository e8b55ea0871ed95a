/// The JSON form of field timestamps. Names are sorted by bytes, so that equal timestamps have equal text.
public enum FieldTimestampsCodec {
    /// The field timestamps as text.
    public static func text(detail: FieldTimestamps) -> String {
        var writer = JSONWriter()
        append(detail, to: &writer)
        return writer.text
    }

    /// Reads what `text` writes.
    public static func decode(_ text: String) throws -> FieldTimestamps {
        var copy = text
        return try copy.withUTF8 { buffer in
            var reader = try JSONReader(buffer)
            return try decode(&reader)
        }
    }

    static func append(_ detail: FieldTimestamps, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("origin", value: detail.origin.description)
        append(member: "units", values: detail.units, to: &writer) { siblings, writer in
            writer.beginArray()
            for sibling in siblings { append(sibling, to: &writer) }
            writer.endArray()
        }
        append(member: "elements", values: detail.elements, to: &writer) { append($0, to: &$1) }
        if let life = detail.life { writer.member("life", value: life.map(\.description)) }
        if !detail.seeds.isEmpty { writer.member("seeds", value: detail.seeds.map(\.description)) }
        if let cause = detail.cause { writer.member("cause", value: texts(of: cause)) }
        if !detail.cleared.isEmpty {
            writer.name("cleared")
            writer.beginArray()
            for cleared in detail.cleared {
                let edits = cleared.edits.map(\.description)
                writer.strings([cleared.field] + texts(of: cleared.cause) + edits)
            }
            writer.endArray()
        }
        append(member: "moved", values: detail.moved, to: &writer) { move, writer in
            writer.strings([move.edit.description] + (move.from.map { [$0.text] } ?? []))
        }
        writer.endObject()
    }

    static func decode(_ reader: inout JSONReader) throws -> FieldTimestamps {
        var origin: EditTimestamp?
        var detail = FieldTimestamps(
            origin: EditTimestamp(time: Timestamp(microseconds: 0), device: DeviceID(bits: 0), sequence: 1)
        )
        guard try reader.beginObject() else { throw reader.error(kind: .unexpectedByte) }
        repeat {
            switch try reader.name().decode() {
            case "origin": origin = try editTimestamp(reader: &reader)
            case "units":
                try members(reader: &reader) { name, reader in
                    guard try reader.beginArray() else { throw reader.error(kind: .unexpectedByte) }
                    repeat {
                        detail.units[name, default: []].append(try sibling(reader: &reader))
                    } while try reader.nextElement()
                }
            case "elements":
                try members(reader: &reader) { name, reader in
                    var elements: [ElementKey: [EditTimestamp]] = [:]
                    try members(reader: &reader) { element, reader in
                        elements[ElementKey(try json(text: element, reader: &reader))] = try editTimestamps(
                            reader: &reader
                        )
                    }
                    detail.elements[name] = elements
                }
            case "cause": detail.cause = try cause(reader: &reader)
            case "seeds": detail.seeds = try editTimestamps(reader: &reader)
            case "cleared": detail.cleared = try cleared(reader: &reader)
            case "moved":
                try members(reader: &reader) { name, reader in
                    let texts = try texts(reader: &reader)
                    guard texts.count < 3, let edit = EditTimestamp(texts[0]) else {
                        throw reader.error(kind: .unexpectedByte)
                    }
                    detail.moved[name] = Move(edit: edit, from: texts.count > 1 ? RecordKey(texts[1]) : nil)
                }
            case "life": detail.life = try editTimestamps(reader: &reader)
            default: try reader.skipValue()
            }
        } while try reader.nextMember()
        guard let origin else { throw reader.error(kind: .unexpectedByte) }
        detail.origin = origin
        return detail
    }

    static func editTimestamps(reader: inout JSONReader) throws -> [EditTimestamp] {
        var editTimestamps: [EditTimestamp] = []
        guard try reader.beginArray() else { return editTimestamps }
        repeat { editTimestamps.append(try editTimestamp(reader: &reader)) } while try reader.nextElement()
        return editTimestamps
    }
}

extension FieldTimestampsCodec {
    private static func members(
        reader: inout JSONReader,
        body: (String, inout JSONReader) throws -> Void
    ) throws {
        guard try reader.beginObject() else { return }
        repeat {
            let name = try reader.name().decode()
            try body(name, &reader)
        } while try reader.nextMember()
    }

    private static func editTimestamp(reader: inout JSONReader) throws -> EditTimestamp {
        guard let editTimestamp = EditTimestamp(try reader.string().decode()) else {
            throw reader.error(kind: .unexpectedByte)
        }
        return editTimestamp
    }

    /// `["entity","key","editTimestamp"]`.
    private static func cause(reader: inout JSONReader) throws -> DeleteCause {
        try cause(texts: try texts(reader: &reader)[...], reader: reader)
    }

    private static func texts(reader: inout JSONReader) throws -> [String] {
        var texts: [String] = []
        guard try reader.beginArray() else { throw reader.error(kind: .unexpectedByte) }
        repeat { texts.append(try reader.string().decode()) } while try reader.nextElement()
        return texts
    }

    private static func cause(texts: ArraySlice<String>, reader: JSONReader) throws -> DeleteCause {
        let texts = Array(texts)
        guard texts.count == 3, let editTimestamp = EditTimestamp(texts[2]) else {
            throw reader.error(kind: .unexpectedByte)
        }
        return DeleteCause(entity: texts[0], key: RecordKey(texts[1]), editTimestamp: editTimestamp)
    }

    /// `[["field","entity","key","editTimestamp"]]`: the field, the delete, and then the edits that had set the value.
    private static func cleared(reader: inout JSONReader) throws -> [ClearedReference] {
        var cleared: [ClearedReference] = []
        guard try reader.beginArray() else { return cleared }
        repeat {
            let texts = try texts(reader: &reader)
            guard texts.count >= 4 else { throw reader.error(kind: .unexpectedByte) }
            let edits = texts.dropFirst(4).compactMap { EditTimestamp($0) }
            guard edits.count == texts.count - 4 else { throw reader.error(kind: .unexpectedByte) }
            cleared.append(
                ClearedReference(
                    field: texts[0],
                    cause: try cause(texts: texts[1..<4], reader: reader),
                    edits: edits
                )
            )
        } while try reader.nextElement()
        return cleared
    }

    /// Writes a member with an object, if it is not empty.
    private static func append<Value>(
        member: String,
        values: [String: Value],
        to writer: inout JSONWriter,
        write: (Value, inout JSONWriter) -> Void
    ) {
        if values.isEmpty { return }
        writer.name(member)
        writer.beginObject()
        for (name, value) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            writer.name(name)
            write(value, &writer)
        }
        writer.endObject()
    }

    private static func texts(of cause: DeleteCause) -> [String] {
        [cause.entity, cause.key.text, cause.editTimestamp.description]
    }

    private static func append(_ elements: [ElementKey: [EditTimestamp]], to writer: inout JSONWriter) {
        writer.beginObject()
        for element in elements.keys.sorted() {
            writer.member(element.text, value: (elements[element] ?? []).map(\.description))
        }
        writer.endObject()
    }

    /// `["editTimestamp"]`, `["editTimestamp","absent"]` or `["editTimestamp","integer",5]`.
    private static func append(_ sibling: Sibling, to writer: inout JSONWriter) {
        writer.beginArray()
        writer.string(sibling.editTimestamp.description)
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

    private static func sibling(reader: inout JSONReader) throws -> Sibling {
        guard try reader.beginArray() else { throw reader.error(kind: .unexpectedByte) }
        var sibling = Sibling(editTimestamp: try editTimestamp(reader: &reader))
        guard try reader.nextElement() else { return sibling }
        let tag = try reader.string().decode()
        if tag == "absent" || tag == "null" {
            sibling.value = tag == "null" ? .value(.null) : .absent
        } else {
            guard try reader.nextElement() else { throw reader.error(kind: .unexpectedByte) }
            do {
                sibling.value = .value(try value(tag: tag, reader: &reader))
            } catch is FieldError {
                // Field timestamps belong to no field's schema: an unreadable one makes the whole entry malformed.
                throw reader.error(kind: .unexpectedByte)
            }
        }
        if try reader.nextElement() { throw reader.error(kind: .unexpectedByte) }
        return sibling
    }

    /// Reads text that is written into records unchanged, so it must be valid JSON, whoever sent it.
    private static func json(text: String, reader: inout JSONReader) throws -> String {
        var copy = text
        do {
            try copy.withUTF8 { buffer in
                var inner = JSONReader(validated: buffer)
                try inner.skipValue()
                try inner.end()
            }
        } catch { throw reader.error(kind: .unexpectedByte) }
        return text
    }

    private static func value(tag: String, reader: inout JSONReader) throws -> FieldValue {
        let check = ValueCheck(path: "detail", patterns: PatternTable(fields: []))
        switch tag {
        case "boolean": return .boolean(try reader.boolean())
        case "integer": return .integer(try check.integer(reader: &reader, minimum: nil, maximum: nil))
        case "timestamp":
            return .timestamp(
                Timestamp(microseconds: try check.integer(reader: &reader, minimum: nil, maximum: nil))
            )
        case "number": return .number(try check.number(reader: &reader, minimum: nil, maximum: nil))
        case "text": return .text(try reader.string().decode())
        case "json": return .json(try json(text: try reader.string().decode(), reader: &reader))
        case "bytes": return .bytes(try check.base64(reader: &reader))
        default: throw reader.error(kind: .unexpectedByte)
        }
    }
}
