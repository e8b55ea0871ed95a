/// Field values as JSON, without constraints: what lists, nested objects and `Codable` need. The column's canonical text was
/// checked when it was written.
enum FieldJSON {
    private static let noPatterns = PatternTable(fields: [])

    /// Reads a value of a type. `path` is for messages.
    static func read(_ reader: inout JSONReader, _ type: FieldType, path: String) throws -> FieldValue {
        if try reader.null() { return .null }
        let check = ValueCheck(path: path, patterns: noPatterns)
        switch type {
        case .boolean: return .boolean(try check.boolean(&reader))
        case .integer: return .integer(try check.integer(&reader, nil, nil))
        case .number: return .number(try check.number(&reader, nil, nil))
        case .dateTime: return .timestamp(try check.timestamp(&reader))
        case .data: return .bytes(try check.base64(&reader))
        case .array, .object:
            var writer = JSONWriter()
            writer.minified(try reader.skipValue())
            return .json(writer.text)
        case .string, .uuid, .date, .uri, .decimal, .enumeration:
            guard try reader.peek() == UInt8(ascii: "\"") else { throw check.wrongType("a string") }
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
    static func bytes(_ value: FieldValue) -> [UInt8] {
        var writer = JSONWriter()
        write(value, to: &writer)
        return writer.bytes
    }

    /// The elements of a list.
    static func elements(of text: String, _ element: FieldType) throws -> [FieldValue] {
        try reading(text) { reader in
            guard try reader.peek() == UInt8(ascii: "[") else {
                throw FieldProblem.relative("type", "must be an array")
            }
            var elements: [FieldValue] = []
            guard try reader.beginArray() else { return elements }
            repeat {
                elements.append(try read(&reader, element, path: "[\(elements.count)]"))
            } while try reader.nextElement()
            return elements
        }
    }

    /// The elements of a list of strings. Throws where one is something else.
    static func strings(_ json: UnsafeBufferPointer<UInt8>) throws -> [String] {
        var reader = JSONReader(validated: json)
        var elements: [String] = []
        if try reader.beginArray() {
            elements.reserveCapacity(4)
            repeat { elements.append(try reader.string().decode()) } while try reader.nextElement()
        }
        try reader.end()
        return elements
    }

    /// The values of an object's fields, and what else is in it.
    static func object(_ text: String, _ fields: [FieldDescriptor]) throws -> Record {
        try reading(text) { reader in
            guard try reader.peek() == UInt8(ascii: "{") else {
                throw FieldProblem.relative("type", "must be an object")
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
                if record.values[index] != nil { throw reader.problem(.duplicateMember) }
                record.values[index] = try read(&reader, fields[index].type, path: fields[index].name)
            } while try reader.nextMember()
            return record
        }
    }

    /// The text of an object: fields in schema order, then what else is in it by name.
    static func text(of record: Record, _ fields: [FieldDescriptor]) -> String {
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

    /// An array whose elements lie at `spans`, with these sorted by their bytes, each once.
    static func canonicalSet(_ array: JSONWriter, _ spans: [Range<Int>]) -> String {
        func precedes(_ one: Range<Int>, _ two: Range<Int>) -> Bool {
            array.bytes[one].lexicographicallyPrecedes(array.bytes[two])
        }
        // Nearly all of them are sorted, as they were read from a row.
        if zip(spans, spans.dropFirst()).allSatisfy(precedes) { return array.text }
        var writer = JSONWriter()
        writer.beginArray()
        var last: Range<Int>?
        for span in spans.sorted(by: precedes) {
            if let last, !precedes(last, span) { continue }
            writer.raw(array.bytes[span])
            last = span
        }
        writer.endArray()
        return writer.text
    }

    private static func reading<Result>(
        _ text: String,
        _ body: (inout JSONReader) throws -> Result
    ) throws -> Result {
        var copy = text
        do {
            return try copy.withUTF8 { buffer in
                var reader = JSONReader(validated: buffer)
                let result = try body(&reader)
                try reader.end()
                return result
            }
        } catch let problem as JSONProblem {
            throw FieldProblem.relative("json", "is not valid JSON: \(problem.kind.rawValue)")
        }
    }
}
