/// Writes a row as one JSON object: members in schema order, then unknown ones by name. Absent ones are omitted.
public struct RecordEncoder {
    private let descriptor: EntityDescriptor
    private let form: RecordForm
    private let kinds: [Kind]
    /// The members of an object without nested fields; nil for others.
    private let flat: FlatMembers?

    /// How a field is written. A copy of the type's facts: accessing a `FieldType` would retain its parts each time.
    private enum Kind {
        case boolean, integer, number, timestamp, bytes, text, structured, renamed
    }

    /// Makes an encoder for one entity and form.
    public init(descriptor: EntityDescriptor, form: RecordForm) {
        self.descriptor = descriptor
        self.form = form
        kinds = descriptor.fields.map { field in
            switch field.type {
            case .boolean: .boolean
            case .integer: .integer
            case .number: .number
            case .dateTime: .timestamp
            case .data: .bytes
            case .array, .object, .map: form == .wire && field.type.renamesMembers ? .renamed : .structured
            case .string, .uuid, .date, .uri, .decimal, .enumeration: .text
            }
        }
        flat = FlatMembers(form.table(descriptor: descriptor))
    }

    /// Appends the object.
    public func encode(_ row: any RowReader, to writer: inout JSONWriter) {
        encode(row, trailing: [], to: &writer)
    }

    /// Appends the object; `trailing` are last members, for example `("$deleted", "true")`.
    public func encode(
        _ row: any RowReader,
        trailing: [(name: String, json: String)],
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        let unknown = row.unknown
        if unknown.isEmpty, let flat {
            flat.forEach { index, name in append(index, name: name, row: row, to: &writer) }
        } else {
            append(
                form.table(descriptor: descriptor),
                row: row,
                unknown: unknown,
                depth: 0,
                path: [],
                to: &writer
            )
        }
        for member in trailing {
            writer.name(member.name)
            writer.raw(member.json)
        }
        writer.endObject()
    }

    /// The object of a record as bytes.
    public func bytes(_ record: Record) -> [UInt8] {
        var writer = JSONWriter()
        encode(RecordRow(record), to: &writer)
        return writer.bytes
    }

    private func append(
        _ table: MemberTable,
        row: any RowReader,
        unknown: [UnknownField],
        depth: Int,
        path: [String],
        to writer: inout JSONWriter
    ) {
        var objects: [[UInt8]] = []
        for entry in table.entries {
            switch entry.target {
            case .field(let index):
                entry.quoted.withUnsafeBufferPointer { append(index, name: $0, row: row, to: &writer) }
            case .object(let inner):
                let innerPath = path + [String(decoding: entry.name, as: UTF8.self)]
                guard
                    holdsValue(table: inner, row: row)
                        || unknown.contains(where: { lies(member: $0, under: innerPath) })
                else {
                    continue
                }
                objects.append(entry.name)
                entry.quoted.withUnsafeBufferPointer { writer.name(quoted: $0) }
                writer.beginObject()
                append(inner, row: row, unknown: unknown, depth: depth + 1, path: innerPath, to: &writer)
                writer.endObject()
            }
        }
        for member in unknown where !isShadowed(member: member, row: row) {
            if form == .plain {
                let components = UnknownPath.components(path: member.path)
                writer.name(components.count == 1 ? components[0] : member.path)
            } else {
                let components = UnknownPath.components(path: member.path)
                guard components.count == depth + 1, lies(member: member, under: path) else { continue }
                // The object of a flattened field is present, so an unknown member of its name is dropped.
                if objects.contains(where: { $0.elementsEqual(components[depth].utf8) }) { continue }
                writer.name(components[depth])
            }
            writer.raw(member.json)
        }
    }

    private func append(
        _ index: Int,
        name: UnsafeBufferPointer<UInt8>,
        row: any RowReader,
        to writer: inout JSONWriter
    ) {
        let presence = row.presence(at: index)
        if presence == .absent { return }
        writer.name(quoted: name)
        if presence == .null { return writer.null() }
        switch kinds[index] {
        case .boolean: writer.boolean(row.boolean(at: index))
        case .integer: writer.integer(row.integer(at: index))
        case .number: writer.number(row.number(at: index))
        case .timestamp: writer.string(row.timestamp(at: index))
        case .bytes: writer.string(Base64.encode(row.bytes(at: index)))
        case .structured: row.withText(at: index) { writer.raw($0) }
        case .renamed: row.withText(at: index) { appendRenamed($0, index: index, to: &writer) }
        case .text: row.withText(at: index) { writer.string($0) }
        }
    }

    private func appendRenamed(
        _ text: UnsafeBufferPointer<UInt8>,
        index: Int,
        to writer: inout JSONWriter
    ) {
        let canonicalizer = Canonicalizer(patterns: descriptor.layout.patterns, input: .plain, output: .wire)
        let type = descriptor.fields[index].type
        // The column was validated when it was written, if perhaps with another schema. Text that another program put
        // there is written unchanged.
        for type in [type, type.lenient] {
            var reader = JSONReader(validated: text)
            var renamed = JSONWriter()
            if (try? canonicalizer.append(&reader, type: type, path: "", to: &renamed)) != nil {
                return writer.raw(renamed.bytes)
            }
        }
        writer.raw(text)
    }

    /// Whether a newer schema's field of that name has a value. The field then wins, so that no name appears twice.
    private func isShadowed(member: UnknownField, row: any RowReader) -> Bool {
        let path = UnknownPath.components(path: member.path)
        let position = descriptor.fields.firstIndex { field in
            // On the wire, a field that stays on this device hides nothing: the member is other apps' value of it.
            if form == .wire, field.isLocalOnly { return false }
            let own = form == .plain ? [field.name] : field.wirePath
            return own.count == path.count && zip(own, path).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
        }
        return position.map { row.presence(at: $0) != .absent } ?? false
    }

    private func holdsValue(table: MemberTable, row: any RowReader) -> Bool {
        table.entries.contains { entry in
            switch entry.target {
            case .field(let index): row.presence(at: index) != .absent
            case .object(let inner): holdsValue(table: inner, row: row)
            }
        }
    }

    private func lies(member: UnknownField, under path: [String]) -> Bool {
        let components = UnknownPath.components(path: member.path)
        return components.count > path.count
            && zip(components, path).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
}

/// The members of a flat object in order: positions of fields and quoted names, stored flat so that writing a
/// record retains nothing.
private struct FlatMembers {
    private var members: [(index: Int, name: Range<Int>)] = []
    private var names: [UInt8] = []

    /// Nil for a table with nested objects.
    init?(_ table: MemberTable) {
        for entry in table.entries {
            guard case .field(let index) = entry.target else { return nil }
            members.append((index, names.count..<names.count + entry.quoted.count))
            names += entry.quoted
        }
    }

    @inline(__always)
    func forEach(body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
        names.withUnsafeBufferPointer { names in
            for member in members { body(member.index, UnsafeBufferPointer(rebasing: names[member.name])) }
        }
    }
}
