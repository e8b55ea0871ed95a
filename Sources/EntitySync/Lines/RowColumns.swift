import SyncCore

/// Reads rows of cells as records: each cell by the type of the field that its column is named after.
struct RowColumns {
    private let columns: [Column]
    /// Whether the first column has the reasons of an earlier import.
    let beginsWithReasons: Bool
    private var writer = JSONWriter()

    private enum Column {
        case field(FieldDescriptor)
        /// A member that is no field, such as `$deleted`.
        case member(String, type: FieldType)
        /// What an earlier import has written about the row.
        case reason
    }

    /// Reads the first row. Throws `SyncError` for a name that no field has, or that stands twice.
    init(_ row: UnsafeBufferPointer<UInt8>, entity: EntityDescriptor) throws {
        let names = CellRow(row).cells.map {
            String(decoding: $0.text.trimmed, as: UTF8.self)
        }
        columns = try names.enumerated().map { index, name in
            if names[..<index].contains(where: name.hasSameBytes) {
                throw SyncError.repeatedColumn(number: index + 1)
            }
            switch name {
            case RecordLine.rejectedMember: return .reason
            case RecordLine.deletedMember: return .member(name, type: .boolean)
            case RecordLine.versionMember: return .member(name, type: .string())
            default:
                guard let field = entity.fields.first(where: { $0.name.hasSameBytes(as: name) }) else {
                    throw SyncError.unknownColumn(name: name, number: index + 1, entity: entity)
                }
                return .field(field)
            }
        }
        beginsWithReasons = if case .reason? = columns.first { true } else { false }
    }

    /// The record of a row as JSON. What does not fit its field stays text there, so that the field's check refuses it.
    /// Throws `FieldError` for a row without the right cells.
    mutating func json(row: UnsafeBufferPointer<UInt8>) throws -> [UInt8] {
        let read = CellRow(row)
        guard UTF8Check.firstInvalidOffset(in: row) == nil else { throw FieldError.row(fault: .encoding) }
        guard !read.isMalformed else { throw FieldError.row(fault: .quotation) }
        guard read.cells.count == columns.count else {
            throw FieldError.row(fault: .count(read.cells.count, expected: columns.count))
        }
        writer.removeAll()
        writer.beginObject()
        for (cell, column) in zip(read.cells, columns) {
            switch column {
            case .reason: continue
            case .member(let name, let type):
                guard !cell.text.isEmpty else { continue }
                writer.name(name)
                append(cell: cell, type: type)
            case .field(let field): append(cell: cell, field: field)
            }
        }
        writer.endObject()
        return writer.bytes
    }

    /// An empty cell is null where the field may be null, empty text where the field needs a text, and otherwise says
    /// nothing. Empty quotation marks are empty text.
    private mutating func append(cell: CellRow.Cell, field: FieldDescriptor) {
        var isText = false
        if case .string = field.type { isText = true }
        if cell.text.isEmpty, !(cell.isQuoted && isText) {
            if field.isNullable {
                writer.name(field.name)
                writer.null()
            } else if isText, field.isRequired, field.defaultJSON == nil {
                writer.name(field.name)
                writer.string("")
            }
            return
        }
        writer.name(field.name)
        append(cell: cell, type: field.type)
    }

    private mutating func append(cell: CellRow.Cell, type: FieldType) {
        let text = cell.text.trimmed
        switch type {
        case .boolean:
            switch String(decoding: text, as: UTF8.self).lowercased() {
            case "true", "1": return writer.boolean(true)
            case "false", "0": return writer.boolean(false)
            default: break
            }
        case .integer, .number, .array, .object, .map:
            let isJSON = text.withUnsafeBufferPointer { buffer in
                var reader = JSONReader(validated: buffer)
                return (try? reader.skipValue()) != nil && (try? reader.end()) != nil
            }
            if isJSON { return writer.raw(text) }
        case .uuid, .dateTime, .date, .uri, .decimal, .data:
            return text.withUnsafeBufferPointer { writer.string($0) }
        case .string, .enumeration: break
        }
        cell.text.withUnsafeBufferPointer { writer.string($0) }
    }
}

extension [UInt8] {
    /// The text without spaces and tabs around it.
    fileprivate var trimmed: [UInt8] {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = firstIndex(where: { !isSpace($0) }),
            let last = lastIndex(where: { !isSpace($0) })
        else { return [] }
        return Array(self[first...last])
    }
}
