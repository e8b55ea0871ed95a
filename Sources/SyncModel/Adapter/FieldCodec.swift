import Foundation

/// Converts a group of fields to and from JSON with the codec of sync: either validated against the schema, or as a
/// draft without validation.
public struct FieldCodec: Sendable {
    /// The fields as the group has them.
    let fields: [FieldDescriptor]
    private let form: RecordForm
    /// The fields with their constraints.
    private let checked: EntityDescriptor
    /// The fields without constraints: any text, any length, and null everywhere.
    private let draft: EntityDescriptor

    /// The codec of a transfer object, from the fields of its model.
    public init(wire fields: [FieldDescriptor]) {
        self.init(checked: fields, fields: fields.map(\.transferred), form: .wire)
    }

    /// The codec of a model.
    init(plain fields: [FieldDescriptor]) {
        self.init(checked: fields, fields: fields, form: .plain)
    }

    private init(checked: [FieldDescriptor], fields: [FieldDescriptor], form: RecordForm) {
        (self.fields, self.form) = (fields, form)
        self.checked = EntityDescriptor(group: checked)
        draft = EntityDescriptor(group: checked.map { $0.draft(form: form) })
    }

    /// Reads and validates an object, as the values of a transfer object. Throws `FieldError`.
    func record(checking json: [UInt8]) throws -> Record {
        transferred(record: try Self.record(json: json, descriptor: checked, form: form))
    }

    /// Validates a record and writes its canonical bytes. Throws `FieldError`.
    func bytes(checking record: Record) throws -> [UInt8] {
        let written = RecordEncoder(descriptor: draft, form: form).bytes(record)
        let record = try Self.record(json: written, descriptor: checked, form: form)
        return RecordEncoder(descriptor: checked, form: form).bytes(record)
    }

    /// Reads a draft. Throws `FieldError`.
    func record(draft json: String) throws -> Record {
        try Self.record(json: Array(json.utf8), descriptor: draft, form: form, requiresAll: false)
    }

    /// The JSON text of a draft.
    func text(draft record: Record) -> String {
        String(decoding: RecordEncoder(descriptor: draft, form: form).bytes(record), as: UTF8.self)
    }

    /// Converts a model's values to those of its transfer object.
    func transferred(record: Record) -> Record {
        var record = record
        for index in record.values.indices {
            switch record.values[index] {
            case .timestamp(let value): record.values[index] = .text(value.description)
            case .bytes(let value): record.values[index] = .text(Base64.encode(value))
            default: break
            }
        }
        return record
    }

    /// Converts a transfer object's values to those of its model. Throws `FieldError` for an invalid date-time or
    /// base64 text.
    func typed(record: Record) throws -> Record {
        var record = record
        for (index, field) in checked.fields.enumerated() {
            guard case .text(let text)? = record.values[index] else { continue }
            switch field.type {
            case .dateTime: record.values[index] = Timestamp(text).map { .timestamp($0) }
            case .data: record.values[index] = Data(base64Encoded: text).map { .bytes([UInt8]($0)) }
            default: continue
            }
            guard record.values[index] == nil else { continue }
            let expected = field.type == .data ? Data.wireTextName : Date.wireTextName
            throw FieldError.relative(rule: "type", predicate: "must be \(expected)")
                .inside(outer: field.name)
        }
        return record
    }

    private static func record(
        json: [UInt8],
        descriptor: EntityDescriptor,
        form: RecordForm,
        requiresAll: Bool = true
    ) throws -> Record {
        var decoder = RecordDecoder(descriptor: descriptor, form: form)
        decoder.requiresAll = requiresAll
        do {
            return try decoder.record(json)
        } catch let error as JSONError {
            let message = "The record is not valid JSON: \(error.kind.rawValue), at byte \(error.offset)."
            throw FieldError(field: "", rule: "json", message: message)
        }
    }
}

/// The codec of an entity's models, made on first use.
final class ModelCodec: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var codec: FieldCodec?

    func codec(of fields: [FieldDescriptor]) -> FieldCodec {
        lock.withLock {
            let codec = codec ?? FieldCodec(plain: fields)
            self.codec = codec
            return codec
        }
    }
}

extension EntityDescriptor {
    /// A descriptor for fields without an entity: it is never merged or stored.
    fileprivate init(group fields: [FieldDescriptor]) {
        self.init(name: "", typeName: "", fields: fields, key: [], strategy: .lastWriteWins)
    }
}

extension FieldDescriptor {
    /// The field of a transfer object. A local-only field is never read, written or required.
    fileprivate var transferred: FieldDescriptor {
        var field = self
        field.type = type.draft(form: .wire)
        if isLocalOnly { (field.isNullable, field.defaultJSON) = (false, nil) }
        return field
    }

    /// The field without constraints.
    fileprivate func draft(form: RecordForm) -> FieldDescriptor {
        var field = self
        field.type = type.draft(form: form)
        (field.isNullable, field.isRequired, field.defaultJSON) = (true, false, nil)
        return field
    }
}

extension FieldType {
    /// The type without constraints; in wire form, a type that JSON has.
    fileprivate func draft(form: RecordForm) -> FieldType {
        switch self {
        case .string, .uuid, .date, .uri, .decimal, .enumeration: .string()
        case .integer: .integer()
        case .number: .number()
        case .boolean: .boolean
        case .dateTime, .data: form == .wire ? .string() : self
        case .array(let element, _, _, _, _):
            .array(element: element.draft(form: form), elementIsNullable: true)
        case .object(let fields): .object(fields.map { $0.draft(form: form) })
        case .map(let value, _): .map(value: value.draft(form: form), valueIsNullable: true)
        }
    }
}
