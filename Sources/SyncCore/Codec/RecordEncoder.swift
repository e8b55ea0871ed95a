/// Writes a row as one JSON object: members in schema order, then unknown ones by name; absent ones left out.
public struct RecordEncoder {
    private let descriptor: EntityDescriptor
    private let form: RecordForm
    private let renames: [Bool]

    /// Makes an encoder for one entity and form.
    public init(_ descriptor: EntityDescriptor, form: RecordForm) {
        self.descriptor = descriptor
        self.form = form
        renames = descriptor.fields.map { form == .wire && $0.type.renamesMembers }
    }

    /// Appends the object.
    public func encode(_ row: any RowReader, to writer: inout JSONWriter) {
        encode(row, trailing: nil, to: &writer)
    }

    /// Appends the object; `trailing` is a last member, for example `("$deleted", "true")`.
    public func encode(
        _ row: any RowReader,
        trailing: (name: String, json: String)?,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        let unknown = row.unknown
        append(form.table(descriptor), row, unknown: unknown, depth: 0, path: [], to: &writer)
        if let trailing {
            writer.name(trailing.name)
            writer.raw(trailing.json)
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
        _ row: any RowReader,
        unknown: [UnknownField],
        depth: Int,
        path: [String],
        to writer: inout JSONWriter
    ) {
        var objects: [[UInt8]] = []
        for entry in table.entries {
            switch entry.target {
            case .field(let index): append(index, entry, row, to: &writer)
            case .object(let inner):
                let innerPath = path + [String(decoding: entry.name, as: UTF8.self)]
                guard holdsValue(inner, row) || unknown.contains(where: { lies($0, under: innerPath) }) else {
                    continue
                }
                objects.append(entry.name)
                writer.name(quoted: entry.quoted)
                writer.beginObject()
                append(inner, row, unknown: unknown, depth: depth + 1, path: innerPath, to: &writer)
                writer.endObject()
            }
        }
        for member in unknown where !isShadowed(member, row) {
            if form == .plain {
                let components = UnknownPath.components(member.path)
                writer.name(components.count == 1 ? components[0] : member.path)
            } else {
                let components = UnknownPath.components(member.path)
                guard components.count == depth + 1, lies(member, under: path) else { continue }
                // Something else under the name of an object that is there: the object's fields speak.
                if objects.contains(where: { $0.elementsEqual(components[depth].utf8) }) { continue }
                writer.name(components[depth])
            }
            writer.raw(member.json)
        }
    }

    private func append(
        _ index: Int,
        _ entry: MemberTable.Entry,
        _ row: any RowReader,
        to writer: inout JSONWriter
    ) {
        let presence = row.presence(at: index)
        if presence == .absent { return }
        writer.name(quoted: entry.quoted)
        if presence == .null { return writer.null() }
        switch descriptor.fields[index].type {
        case .boolean: writer.boolean(row.boolean(at: index))
        case .integer: writer.integer(row.integer(at: index))
        case .number: writer.number(row.number(at: index))
        case .dateTime: writer.string(row.timestamp(at: index))
        case .data: writer.string(Base64.encode(row.bytes(at: index)))
        case .array, .object: row.withText(at: index) { appendStructured($0, index, to: &writer) }
        case .string, .uuid, .date, .uri, .decimal, .enumeration:
            row.withText(at: index) { writer.string($0) }
        }
    }

    private func appendStructured(
        _ text: UnsafeBufferPointer<UInt8>,
        _ index: Int,
        to writer: inout JSONWriter
    ) {
        guard renames[index] else { return writer.raw(text) }
        let canonicalizer = Canonicalizer(patterns: descriptor.layout.patterns, input: .plain, output: .wire)
        var reader = JSONReader(validated: text)
        var renamed = JSONWriter()
        let type = descriptor.fields[index].type
        // NB: the column holds what was checked when it was written; text that a stranger put there goes out as it is.
        if (try? canonicalizer.append(&reader, type, path: "", to: &renamed)) != nil {
            writer.raw(renamed.bytes)
        } else {
            writer.raw(text)
        }
    }

    /// Whether a newer schema has a field of that name with a value: then the field speaks, and no name stands twice.
    private func isShadowed(_ member: UnknownField, _ row: any RowReader) -> Bool {
        let path = UnknownPath.components(member.path)
        let position = descriptor.fields.firstIndex { field in
            let own = form == .plain ? [field.name] : field.wirePath
            return own.count == path.count && zip(own, path).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
        }
        return position.map { row.presence(at: $0) != .absent } ?? false
    }

    private func holdsValue(_ table: MemberTable, _ row: any RowReader) -> Bool {
        table.entries.contains { entry in
            switch entry.target {
            case .field(let index): row.presence(at: index) != .absent
            case .object(let inner): holdsValue(inner, row)
            }
        }
    }

    private func lies(_ member: UnknownField, under path: [String]) -> Bool {
        let components = UnknownPath.components(member.path)
        return components.count > path.count
            && zip(components, path).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
}
