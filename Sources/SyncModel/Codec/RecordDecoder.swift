/// Reads one JSON object into a row, validates every constraint, and keeps unknown members.
///
/// One decoder serves many records of one entity, which share its buffers.
public struct RecordDecoder {
    private let descriptor: EntityDescriptor
    private let form: RecordForm
    private let table: MemberTable
    private let fields: [KnownField]
    private let patterns: PatternTable
    /// Whether a missing required field is an error. A partial `put` turns this off.
    public var requiresAll = true
    /// Whether unknown members are rejected if the schema says so. Off for a pull.
    public var refusesUnknown = false
    /// Whether plain members may have the names that fields have on the wire, or had formerly, as in what an older app
    /// exported. Otherwise such a member is kept with the unknown ones, and no other device sees it.
    package var takesWireNames = false
    /// Members that are no part of the record, whatever the schema says. They are kept with the unknown ones.
    package var reserved: [String] = []
    private var seen: [Bool]
    private var unknown: [UnknownField] = []
    /// Fields whose value the last record had under their former names only.
    package private(set) var renamed: [(name: String, field: Int)] = []
    private let formerNames: [(name: String, field: Int)]
    private var scratch: [UInt8] = []
    private var canonical = JSONWriter()

    /// Makes a decoder for one entity and form.
    public init(descriptor: EntityDescriptor, form: RecordForm) {
        self.descriptor = descriptor
        self.form = form
        table = form.table(descriptor: descriptor)
        fields = descriptor.layout.known
        patterns = descriptor.layout.patterns
        formerNames =
            form == .wire ? descriptor.layout.formerNames : []
        seen = Array(repeating: false, count: descriptor.fields.count)
    }

    /// Reads the object at the reader's position. Throws `JSONError` or `FieldError`.
    public mutating func decode(_ reader: inout JSONReader, into row: any RowBinder) throws {
        for index in seen.indices { seen[index] = false }
        unknown.removeAll(keepingCapacity: true)
        guard try reader.peek() == UInt8(ascii: "{") else {
            throw FieldError(field: "", rule: "type", message: "A record must be a JSON object.")
        }
        try decodeMembers(&reader, table: table, parents: [], into: row)
        if !formerNames.isEmpty { try takeFormerNames(into: row) }
        if takesWireNames, !unknown.isEmpty { try takeWireNames(into: row) }
        if requiresAll { try fillMissing(into: row) }
        guard !unknown.isEmpty else { return }
        if refusesUnknown, descriptor.forbidsUnknownFields,
            let member = unknown.first(where: { !reserved.contains($0.path) })
        {
            throw FieldError.notAllowed(field: member.path)
        }
        unknown.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        for index in unknown.indices.dropFirst()
        where unknown[index].path.utf8.elementsEqual(unknown[index - 1].path.utf8) {
            throw reader.error(kind: .duplicateMember)
        }
        try row.bind(unknown: unknown)
    }

    /// Reads one record from bytes that contain nothing else.
    public mutating func record(_ bytes: [UInt8]) throws -> Record {
        let builder = RecordBuilder(descriptor)
        try bytes.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            try decode(&reader, into: builder)
            try reader.end()
        }
        return builder.record
    }

    private mutating func decodeMembers(
        _ reader: inout JSONReader,
        table: MemberTable,
        parents: [String],
        into row: any RowBinder
    ) throws {
        guard try reader.beginObject() else { return }
        var hint = 0
        var objects: [String] = []
        repeat {
            let name = try reader.name()
            switch table.find(name, hint: &hint) {
            case .field(let index): try decodeField(index, reader: &reader, form: form, into: row)
            case .object(let inner):
                let text = try name.decode()
                // NB: an object that the schema flattens, and another value under its name, would be written twice.
                if objects.contains(where: { $0.utf8.elementsEqual(text.utf8) }) {
                    throw reader.error(kind: .duplicateMember)
                }
                objects.append(text)
                if try reader.peek() == UInt8(ascii: "{") {
                    try decodeMembers(&reader, table: inner, parents: parents + [text], into: row)
                } else {
                    try keepUnknown(name, parents: parents, reader: &reader)
                }
            case nil: try keepUnknown(name, parents: parents, reader: &reader)
            }
        } while try reader.nextMember()
    }

    /// Gives renamed fields the values that an older app wrote under their former names, unless they have others.
    private mutating func takeFormerNames(into row: any RowBinder) throws {
        renamed.removeAll()
        for (name, field) in formerNames where !seen[field] {
            guard let index = unknown.firstIndex(where: { $0.path.utf8.elementsEqual(name.utf8) }) else {
                continue
            }
            var json = unknown[index].json
            let isTaken = try json.withUTF8 { buffer in
                var reader = JSONReader(validated: buffer)
                do {
                    try decodeField(field, reader: &reader, form: .wire, into: StableRow(row))
                } catch is FieldError {
                    seen[field] = false
                    return false
                }
                return true
            }
            guard isTaken else { continue }
            unknown.remove(at: index)
            renamed.append((name, field))
        }
    }

    /// Gives fields what stands under their names on the wire, or under former names. Throws where a field has a value of its
    /// own beside its name on the wire, and where only a part of such a name is that of a field. A value under a former name
    /// beside the field's own stays unknown, as on the wire.
    private mutating func takeWireNames(into row: any RowBinder) throws {
        for (field, known) in descriptor.fields.enumerated() where !known.isLocalOnly {
            let present = known.wirePath.count == 1 ? known.wirePath : []
            for name in present + known.formerWireNames + known.formerNames {
                guard let index = unknown.firstIndex(where: { $0.path.hasSameBytes(as: name) }) else {
                    continue
                }
                guard !seen[field] else {
                    if present.contains(name) { throw FieldError.otherName(name, of: known.name) }
                    continue
                }
                var json = unknown[index].json
                try json.withUTF8 { buffer in
                    var reader = JSONReader(validated: buffer)
                    try decodeField(field, reader: &reader, form: .wire, into: StableRow(row))
                }
                unknown.remove(at: index)
            }
        }
        for member in unknown where !reserved.contains(member.path) {
            if let field = field(hiding: member) {
                throw FieldError.otherName(member.path, of: descriptor.fields[field].name)
            }
        }
    }

    /// The field as which other devices would read an unknown member, or which hides it from them; nil if there is none.
    private func field(hiding member: UnknownField) -> Int? {
        var table = descriptor.layout.wire
        for component in UnknownPath.components(path: member.path) {
            switch table.entries.first(where: { $0.name.elementsEqual(component.utf8) })?.target {
            case .field(let index)?: return index
            case .object(let inner)?: table = inner
            case nil: return nil
            }
        }
        // What is no object may stand where other fields have theirs, as long as they have none.
        let inner = table.fields
        return member.json.utf8.first == UInt8(ascii: "{") ? inner.first : inner.first { seen[$0] }
    }

    private mutating func keepUnknown(_ name: JSONText, parents: [String], reader: inout JSONReader) throws {
        let name = try name.decode()
        let value = try reader.skipValue()
        var writer = JSONWriter()
        writer.minified(value)
        let path = isOwnPointer(name) ? name : UnknownPath.make(parents: parents, name: name)
        unknown.append(UnknownField(path: path, json: writer.text))
    }

    /// Whether a plain member is an unknown member of a flattened object, exported under its pointer.
    private func isOwnPointer(_ name: String) -> Bool {
        guard form == .plain, name.utf8.first == UInt8(ascii: "/") else { return false }
        let components = UnknownPath.components(path: name)
        if components.count == 1 { return false }
        var table = descriptor.layout.wire
        for component in components.dropLast() {
            let next = table.entries.first { $0.name.elementsEqual(component.utf8) }
            guard case .object(let inner)? = next?.target else { return false }
            table = inner
        }
        return true
    }

    /// `form` applies to names inside the value.
    private mutating func decodeField(
        _ index: Int,
        reader: inout JSONReader,
        form: RecordForm,
        into row: any RowBinder
    ) throws {
        if seen[index] { throw reader.error(kind: .duplicateMember) }
        seen[index] = true
        let field = fields[index]
        if try reader.null() {
            guard field.isNullable else {
                throw FieldError(
                    field: field.name,
                    rule: "type",
                    message: "'\(field.name)' must not be null."
                )
            }
            try row.bindNull(at: index)
            return
        }
        if try field.plain.take(&reader, into: row, at: index) { return }
        let check = ValueCheck(path: field.name, patterns: patterns, form: form)
        switch field.type {
        case .boolean: try row.bind(try check.boolean(reader: &reader), at: index)
        case .integer(let minimum, let maximum):
            try row.bind(try check.integer(reader: &reader, minimum: minimum, maximum: maximum), at: index)
        case .number(let minimum, let maximum):
            try row.bind(try check.number(reader: &reader, minimum: minimum, maximum: maximum), at: index)
        case .dateTime: try row.bind(try check.timestamp(reader: &reader), at: index)
        case .data: try row.bind(bytes: try check.base64(reader: &reader), at: index)
        case .array, .object, .map:
            canonical.removeAll()
            var canonicalizer = Canonicalizer(patterns: patterns, input: form, output: .plain)
            canonicalizer.refusesWireNames = takesWireNames && form == .plain
            try canonicalizer.append(
                &reader,
                type: field.type,
                path: field.name,
                hasUniqueItems: field.hasUniqueItems,
                to: &canonical
            )
            try canonical.bytes.withUnsafeBufferPointer { try row.bind(text: $0, isStable: false, at: index) }
        case .string, .uuid, .date, .uri, .decimal, .enumeration:
            try check.text(reader: &reader, type: field.type, scratch: &scratch) { text, isStable in
                try row.bind(text: text, isStable: isStable, at: index)
            }
        }
    }

    /// Gives missing required fields their default, or throws.
    private mutating func fillMissing(into row: any RowBinder) throws {
        for index in seen.indices where !seen[index] && fields[index].isRequired {
            try fill(index, into: row)
        }
    }

    private mutating func fill(_ index: Int, into row: any RowBinder) throws {
        let field = descriptor.fields[index]
        if form == .wire, field.isLocalOnly { return }
        guard var bytes = field.defaultJSON else {
            throw FieldError(field: field.name, rule: "required", message: "'\(field.name)' is required.")
        }
        try bytes.withUTF8 { buffer in
            var reader = JSONReader(validated: buffer)
            // The bytes of a default are gone before the row is written, and it is in the schema's spelling.
            try decodeField(index, reader: &reader, form: .plain, into: StableRow(row))
        }
    }
}

/// Facts about a field for decoding, in one reference because each field of each record needs them.
final class KnownField: Sendable {
    let name: String
    let type: FieldType
    let isNullable: Bool
    let isRequired: Bool
    let hasUniqueItems: Bool
    let plain: PlainField

    init(_ field: FieldDescriptor) {
        plain = field.hasUniqueItems ? .other : PlainField(field.type)
        hasUniqueItems = field.hasUniqueItems
        name = field.name
        type = field.type
        isNullable = field.isNullable
        isRequired = field.isRequired
    }
}

/// Passes values on to a row that copies them, because their memory is gone before the row is written.
private final class StableRow: RowBinder {
    private let row: any RowBinder

    init(_ row: any RowBinder) {
        self.row = row
    }

    func bindNull(at field: Int) throws { try row.bindNull(at: field) }
    func bind(_ value: Bool, at field: Int) throws { try row.bind(value, at: field) }
    func bind(_ value: Int64, at field: Int) throws { try row.bind(value, at: field) }
    func bind(_ value: Double, at field: Int) throws { try row.bind(value, at: field) }
    func bind(_ value: Timestamp, at field: Int) throws { try row.bind(value, at: field) }

    func bind(text: UnsafeBufferPointer<UInt8>, isStable: Bool, at field: Int) throws {
        try row.bind(text: text, isStable: false, at: field)
    }

    func bind(bytes: [UInt8], at field: Int) throws { try row.bind(bytes: bytes, at: field) }
    func bind(unknown: [UnknownField]) throws { try row.bind(unknown: unknown) }
}

extension RecordDecoder {
    /// Metadata of the last record, whose field timestamps name renamed fields by their present names.
    package func present(_ metadata: VersionMetadata) -> VersionMetadata {
        guard !renamed.isEmpty, var detail = metadata.detail else { return metadata }
        for (former, field) in renamed {
            let name = descriptor.fields[field].markName
            if detail.units[name] == nil { detail.units[name] = detail.units.removeValue(forKey: former) }
            if detail.elements[name] == nil {
                detail.elements[name] = detail.elements.removeValue(forKey: former)
            }
        }
        var metadata = metadata
        metadata.detail = detail
        return metadata
    }
}
