/// Field values as JSON without validation, for lists, nested objects and `Codable`. The column's canonical text was
/// validated when it was written.
package enum FieldJSON {
    private static let noPatterns = PatternTable(fields: [])

    /// Reads a value of a type. `path` is for messages.
    static func read(reader: inout JSONReader, type: FieldType, path: String) throws -> FieldValue {
        if try reader.null() { return .null }
        let check = ValueCheck(path: path, patterns: noPatterns)
        switch type {
        case .boolean: return .boolean(try check.boolean(reader: &reader))
        case .integer: return .integer(try check.integer(reader: &reader, minimum: nil, maximum: nil))
        case .number: return .number(try check.number(reader: &reader, minimum: nil, maximum: nil))
        case .dateTime: return .timestamp(try check.timestamp(reader: &reader))
        case .data: return .bytes(try check.base64(reader: &reader))
        case .array, .object, .map:
            var writer = JSONWriter()
            writer.minified(try reader.skipValue())
            return .json(writer.text)
        case .string, .uuid, .date, .uri, .decimal, .enumeration:
            guard try reader.peek() == UInt8(ascii: "\"") else { throw check.wrongType(expected: "a string") }
            return .text(try reader.string().decode())
        }
    }

    /// Writes a value.
    static func write(_ value: FieldValue, to writer: inout JSONWriter) {
        switch value {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .integer(let value): writer.integer(value)
        case .number(let value): writer.number(value)
        case .timestamp(let value): writer.string(value.description)
        case .text(let value): writer.string(value)
        case .bytes(let value): writer.string(Base64.encode(value))
        case .json(let value): writer.raw(value)
        }
    }

    /// A value's JSON text as bytes.
    package static func bytes(value: FieldValue) -> [UInt8] {
        var writer = JSONWriter()
        write(value, to: &writer)
        return writer.bytes
    }

    /// The elements of a list.
    package static func elements(of text: String, element: FieldType) throws -> [FieldValue] {
        try reading(text: text) { reader in
            guard try reader.peek() == UInt8(ascii: "[") else {
                throw FieldError.relative(rule: "type", predicate: "must be an array")
            }
            var elements: [FieldValue] = []
            guard try reader.beginArray() else { return elements }
            repeat {
                elements.append(try read(reader: &reader, type: element, path: "[\(elements.count)]"))
            } while try reader.nextElement()
            return elements
        }
    }

    /// The elements of a list of strings. Throws if an element is something else.
    static func strings(json: UnsafeBufferPointer<UInt8>) throws -> [String] {
        var reader = JSONReader(validated: json)
        var elements: [String] = []
        if try reader.beginArray() {
            elements.reserveCapacity(4)
            repeat { elements.append(try reader.string().decode()) } while try reader.nextElement()
        }
        try reader.end()
        return elements
    }

    /// The values of an object's fields, and its unknown members.
    package static func object(text: String, fields: [FieldDescriptor]) throws -> Record {
        try reading(text: text) { reader in
            guard try reader.peek() == UInt8(ascii: "{") else {
                throw FieldError.relative(rule: "type", predicate: "must be an object")
            }
            var record = Record(values: Array(repeating: nil, count: fields.count))
            guard try reader.beginObject() else { return record }
            repeat {
                let name = try reader.name().decode()
                guard let index = fields.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                    var writer = JSONWriter()
                    writer.minified(try reader.skipValue())
                    record.unknown.append(UnknownField(path: name, json: writer.text))
                    continue
                }
                if record.values[index] != nil { throw reader.error(kind: .duplicateMember) }
                record.values[index] = try read(
                    reader: &reader,
                    type: fields[index].type,
                    path: fields[index].name
                )
            } while try reader.nextMember()
            return record
        }
    }

    /// The text of an object: fields in schema order, then unknown members by name.
    static func text(of record: Record, fields: [FieldDescriptor]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for (field, value) in zip(fields, record.values) {
            guard let value else { continue }
            writer.name(field.name)
            write(value, to: &writer)
        }
        for member in record.unknown {
            writer.name(member.path)
            writer.raw(member.json)
        }
        writer.endObject()
        return writer.text
    }

    /// An array of `count` elements, each written by its position. A set is sorted, with each element once.
    static func array(
        count: Int,
        isSet: Bool,
        write: (_ index: Int, _ writer: inout JSONWriter) throws -> Void
    ) rethrows -> String {
        var writer = JSONWriter()
        var spans: [Range<Int>] = []
        if isSet { spans.reserveCapacity(count) }
        writer.beginArray()
        for index in 0..<count {
            try write(index, &writer)
            // The preceding byte is a bracket or a comma.
            if isSet { spans.append((spans.last.map { $0.upperBound + 1 } ?? 1)..<writer.bytes.count) }
        }
        writer.endArray()
        return isSet ? canonicalSet(array: writer, spans: spans) : writer.text
    }

    /// An array with its elements, which are at `spans`, sorted by bytes and without duplicates.
    private static func canonicalSet(array: JSONWriter, spans: [Range<Int>]) -> String {
        func precedes(lhs: Range<Int>, rhs: Range<Int>) -> Bool {
            array.bytes[lhs].lexicographicallyPrecedes(array.bytes[rhs])
        }
        // Nearly all of them are sorted already, as they were read from a row.
        if zip(spans, spans.dropFirst()).allSatisfy(precedes) { return array.text }
        var writer = JSONWriter()
        writer.beginArray()
        var last: Range<Int>?
        for span in spans.sorted(by: precedes) {
            if let last, !precedes(lhs: last, rhs: span) { continue }
            writer.raw(array.bytes[span])
            last = span
        }
        writer.endArray()
        return writer.text
    }

    private static func reading<Result>(
        text: String,
        body: (inout JSONReader) throws -> Result
    ) throws -> Result {
        var copy = text
        do {
            return try copy.withUTF8 { buffer in
                var reader = JSONReader(validated: buffer)
                let result = try body(&reader)
                try reader.end()
                return result
            }
        } catch let error as JSONError {
            throw FieldError.relative(
                rule: "json",
                predicate: "is not valid JSON: \(error.kind.rawValue)"
            )
        }
    }
}
