/// Converts lists, sets and nested objects to their canonical spelling: fields in schema order, then unknown members
/// by name; decimals, dates and UUIDs in canonical form; sets sorted by the bytes of their elements.
package struct Canonicalizer {
    let patterns: PatternTable
    let input: RecordForm
    let output: RecordForm
    /// Whether an unknown member may not have the name that a field has on the wire.
    var refusesWireNames = false

    package init(patterns: PatternTable, input: RecordForm, output: RecordForm) {
        self.patterns = patterns
        self.input = input
        self.output = output
    }

    /// The form that values are checked in.
    private var form: RecordForm { output == .wire ? .wire : input }

    /// Reads one value of `type` and appends its canonical text. Throws `JSONError` or `FieldError`, also for a list
    /// that holds an element twice and must not.
    package func append(
        _ reader: inout JSONReader,
        type: FieldType,
        path: String,
        hasUniqueItems: Bool = false,
        to writer: inout JSONWriter
    ) throws {
        let check = ValueCheck(path: path, patterns: patterns, form: form)
        switch type {
        case .boolean: writer.boolean(try check.boolean(reader: &reader))
        case .integer(let minimum, let maximum):
            writer.integer(try check.integer(reader: &reader, minimum: minimum, maximum: maximum))
        case .number(let minimum, let maximum):
            writer.number(try check.number(reader: &reader, minimum: minimum, maximum: maximum))
        case .dateTime: writer.string(try check.timestamp(reader: &reader).description)
        case .data: writer.string(Base64.encode(try check.base64(reader: &reader)))
        case .array(let element, let isNullable, let isSet, let minItems, let maxItems):
            let elements = try elements(reader: &reader, type: element, isNullable: isNullable, path: path)
            try checkCount(elements.count, minimum: minItems, maximum: maxItems, check: check)
            if hasUniqueItems { try checkUnique(elements: elements, path: path) }
            writer.beginArray()
            for element in isSet ? try sorted(elements: elements, check: check) : elements {
                writer.raw(element)
            }
            writer.endArray()
        case .object(let fields): try appendObject(&reader, fields: fields, path: path, to: &writer)
        case .map(let value, let isNullable):
            try appendMap(&reader, type: value, isNullable: isNullable, path: path, to: &writer)
        case .string, .uuid, .date, .uri, .decimal, .enumeration:
            var scratch: [UInt8] = []
            try check.text(reader: &reader, type: type, scratch: &scratch) { text, _ in
                writer.string(text)
            }
        }
    }

    private func elements(
        reader: inout JSONReader,
        type: FieldType,
        isNullable: Bool,
        path: String
    ) throws -> [[UInt8]] {
        let check = ValueCheck(path: path, patterns: patterns, form: form)
        guard try reader.peek() == UInt8(ascii: "[") else { throw check.wrongType(expected: "an array") }
        var elements: [[UInt8]] = []
        guard try reader.beginArray() else { return elements }
        repeat {
            let inner = "\(path)[\(elements.count)]"
            elements.append(try value(reader: &reader, type: type, isNullable: isNullable, path: inner))
        } while try reader.nextElement()
        return elements
    }

    private func sorted(elements: [[UInt8]], check: ValueCheck) throws -> [[UInt8]] {
        let sorted = elements.sorted { $0.lexicographicallyPrecedes($1) }
        for index in sorted.indices.dropFirst() where sorted[index] == sorted[index - 1] {
            throw check.error(rule: "unique-items", predicate: "must not hold an element twice")
        }
        return sorted
    }

    private func checkUnique(elements: [[UInt8]], path: String) throws {
        var seen: Set<[UInt8]> = []
        for (index, element) in elements.enumerated() where !seen.insert(element).inserted {
            throw ValueCheck(path: "\(path)[\(index)]", patterns: patterns)
                .error(rule: "unique-items", predicate: "is in the list already")
        }
    }

    private func checkCount(_ count: Int, minimum: Int?, maximum: Int?, check: ValueCheck) throws {
        if let minimum, count < minimum {
            throw check.error(rule: "min-items", predicate: "must have at least \(minimum) elements")
        }
        if let maximum, count > maximum {
            throw check.error(rule: "max-items", predicate: "must have at most \(maximum) elements")
        }
    }

    /// Writes the members of a map by name.
    private func appendMap(
        _ reader: inout JSONReader,
        type: FieldType,
        isNullable: Bool,
        path: String,
        to writer: inout JSONWriter
    ) throws {
        let check = ValueCheck(path: path, patterns: patterns, form: form)
        guard try reader.peek() == UInt8(ascii: "{") else { throw check.wrongType(expected: "an object") }
        // NB: Swift takes names for one that differ only in Unicode form, so that a model would lose a value.
        var values: [String: [UInt8]] = [:]
        if try reader.beginObject() {
            repeat {
                let name = try reader.name().decode()
                let inner = "\(path).\(name)"
                let json = try value(reader: &reader, type: type, isNullable: isNullable, path: inner)
                guard values.updateValue(json, forKey: name) == nil else {
                    throw check.error(
                        rule: "map-names",
                        predicate: "must not hold a name twice, if only in another Unicode form"
                    )
                }
            } while try reader.nextMember()
        }
        writer.beginObject()
        for (name, json) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            writer.name(name)
            writer.raw(json)
        }
        writer.endObject()
    }

    private func appendObject(
        _ reader: inout JSONReader,
        fields: [FieldDescriptor],
        path: String,
        to writer: inout JSONWriter
    ) throws {
        let check = ValueCheck(path: path, patterns: patterns, form: form)
        guard try reader.peek() == UInt8(ascii: "{") else { throw check.wrongType(expected: "an object") }
        var known: [[UInt8]?] = Array(repeating: nil, count: fields.count)
        var unknown: [(name: String, value: [UInt8])] = []
        if try reader.beginObject() {
            repeat {
                let name = try reader.name()
                let text = try name.decode()
                if let index = fields.firstIndex(where: {
                    input.name(field: $0).utf8.elementsEqual(text.utf8)
                }) {
                    if known[index] != nil { throw reader.error(kind: .duplicateMember) }
                    known[index] = try value(
                        reader: &reader,
                        type: fields[index].type,
                        isNullable: fields[index].isNullable,
                        hasUniqueItems: fields[index].hasUniqueItems,
                        path: "\(path).\(fields[index].name)"
                    )
                } else {
                    if refusesWireNames, let field = fields.first(where: { $0.isOnWire(as: text) }) {
                        throw FieldError.otherName("\(path).\(text)", of: "\(path).\(field.name)")
                    }
                    var value = JSONWriter()
                    value.minified(try reader.skipValue())
                    unknown.append((text, value.bytes))
                }
            } while try reader.nextMember()
        }
        unknown.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for index in unknown.indices.dropFirst()
        where unknown[index].name.utf8.elementsEqual(unknown[index - 1].name.utf8) {
            throw reader.error(kind: .duplicateMember)
        }
        writer.beginObject()
        for (index, field) in fields.enumerated() {
            guard let value = known[index] ?? fallback(field: field) else {
                guard field.isRequired else { continue }
                let inner = "\(path).\(field.name)"
                throw FieldError(field: inner, rule: "required", message: "'\(inner)' is required.")
            }
            writer.name(output.name(field: field))
            writer.raw(value)
        }
        for (name, value) in unknown {
            // A field has the name on the wire, and no name may stand twice.
            if output == .wire, fields.contains(where: { $0.isOnWire(as: name) }) { continue }
            writer.name(name)
            writer.raw(value)
        }
        writer.endObject()
    }

    private func fallback(field: FieldDescriptor) -> [UInt8]? {
        field.isRequired ? field.defaultJSON.map { Array($0.utf8) } : nil
    }

    /// The text of an element or a member.
    private func value(
        reader: inout JSONReader,
        type: FieldType,
        isNullable: Bool,
        hasUniqueItems: Bool = false,
        path: String
    ) throws -> [UInt8] {
        var writer = JSONWriter()
        if try reader.null() {
            guard isNullable else {
                throw FieldError(field: path, rule: "type", message: "'\(path)' must not be null.")
            }
            writer.null()
        } else {
            try append(&reader, type: type, path: path, hasUniqueItems: hasUniqueItems, to: &writer)
        }
        return writer.bytes
    }
}

extension FieldDescriptor {
    /// Whether a member of an object with this name is the field, on the wire.
    fileprivate func isOnWire(as name: String) -> Bool {
        RecordForm.wire.name(field: self).utf8.elementsEqual(name.utf8)
    }
}

extension FieldType {
    /// Whether plain and wire names differ inside, so that canonical text must be renamed for the wire.
    var renamesMembers: Bool {
        switch self {
        case .array(let element, _, _, _, _): element.renamesMembers
        case .object(let fields):
            fields.contains { $0.name != RecordForm.wire.name(field: $0) || $0.type.renamesMembers }
        default: false
        }
    }
}
