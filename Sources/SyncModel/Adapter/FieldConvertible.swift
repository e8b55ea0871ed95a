/// A Swift type that a generated model uses for a field.
///
/// Errors give their place relative to the field: `FieldError.field` is empty or a path inside it. `FieldReader` and
/// `FieldWriter` add the field's name.
public protocol FieldConvertible: Sendable {
    /// The Swift value of a field's value, which is never null unless the type is optional.
    static func read(_ value: FieldValue, as type: FieldType) throws -> Self
    /// The field's value, in canonical form.
    func fieldValue(as type: FieldType) throws -> FieldValue
    /// The Swift value of a row's field; nil if it is null or absent. Errors name the field.
    ///
    /// The default implementation goes through `FieldValue`. A type may have a faster one.
    static func read(_ fields: FieldReader, at index: Int) throws -> Self?
    /// Fast path for the elements of a list in canonical JSON; nil if there is none.
    static func elements(of json: UnsafeBufferPointer<UInt8>) -> [Self]?
    /// Whether two values that Swift takes for equal have the same text, byte by byte.
    func hasSameText(as other: Self) -> Bool
}

extension FieldConvertible {
    /// Reads by way of `FieldValue`.
    public static func read(_ fields: FieldReader, at index: Int) throws -> Self? {
        let type = fields.type(at: index)
        guard let value = fields.row.value(at: index, type: type), value != .null else { return nil }
        return try fields.naming(index: index) { try read(value, as: type) }
    }

    /// No fast path.
    public static func elements(of json: UnsafeBufferPointer<UInt8>) -> [Self]? { nil }

    /// A value without text of a person's own.
    public func hasSameText(as other: Self) -> Bool { true }
}

extension FieldError {
    /// An error whose field is not known yet; `predicate` continues "'field' ...".
    static func relative(rule: String, predicate: String) -> FieldError {
        FieldError(field: "", rule: rule, message: predicate)
    }

    /// The same error with the outer path added.
    func inside(outer: String) -> FieldError {
        if field.isEmpty {
            return FieldError(field: outer, rule: rule, message: "'\(outer)' \(message).")
        }
        let path = field.hasPrefix("[") ? outer + field : "\(outer).\(field)"
        let words = message.replacing("'\(field)'", with: "'\(path)'", maxReplacements: 1)
        return FieldError(field: path, rule: rule, message: words)
    }
}

extension Bool: FieldConvertible {
    /// The value of a boolean column.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> Bool {
        guard case .boolean(let value) = value else {
            throw FieldError.relative(rule: "type", predicate: "must be a boolean")
        }
        return value
    }

    /// The value of a boolean column.
    public static func read(_ fields: FieldReader, at index: Int) throws -> Bool? {
        fields.hasValue(at: index) ? fields.row.boolean(at: index) : nil
    }

    /// The boolean as it is.
    public func fieldValue(as type: FieldType) throws -> FieldValue { .boolean(self) }
}

extension Int: FieldConvertible {
    /// The value of an integer column.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> Int {
        guard case .integer(let value) = value, let value = Int(exactly: value) else {
            throw FieldError.relative(rule: "type", predicate: "must be an integer")
        }
        return value
    }

    /// The value of an integer column.
    public static func read(_ fields: FieldReader, at index: Int) throws -> Int? {
        guard fields.hasValue(at: index) else { return nil }
        guard let value = Int(exactly: fields.row.integer(at: index)) else {
            return try fields.refuse(index, expected: "an integer")
        }
        return value
    }

    /// The integer as it is.
    public func fieldValue(as type: FieldType) throws -> FieldValue { .integer(Int64(self)) }
}

extension Double: FieldConvertible {
    /// The value of a column of numbers.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> Double {
        guard case .number(let value) = value else {
            throw FieldError.relative(rule: "type", predicate: "must be a number")
        }
        return value
    }

    /// The value of a column of numbers.
    public static func read(_ fields: FieldReader, at index: Int) throws -> Double? {
        fields.hasValue(at: index) ? fields.row.number(at: index) : nil
    }

    /// The number as it is. Throws when it is not finite.
    public func fieldValue(as type: FieldType) throws -> FieldValue {
        guard isFinite else {
            throw FieldError.relative(rule: "number-range", predicate: "must be a finite number")
        }
        return .number(self)
    }
}

extension String: FieldConvertible {
    /// The value of a column of text.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> String {
        guard case .text(let value) = value else {
            throw FieldError.relative(rule: "type", predicate: "must be a string")
        }
        return value
    }

    /// The value of a column of text.
    public static func read(_ fields: FieldReader, at index: Int) throws -> String? {
        fields.hasValue(at: index) ? fields.row.text(at: index) : nil
    }

    /// The elements of a list of strings, none of them null.
    public static func elements(of json: UnsafeBufferPointer<UInt8>) -> [String]? {
        try? FieldJSON.strings(json: json)
    }

    /// The text as it is.
    public func fieldValue(as type: FieldType) throws -> FieldValue { .text(self) }

    /// `==` would also hold for two spellings that look alike.
    public func hasSameText(as other: String) -> Bool { hasSameBytes(as: other) }
}

extension Array: FieldConvertible where Element: FieldConvertible {
    /// The elements of a column of canonical JSON.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> [Element] {
        guard case .json(let text) = value, case .array(let element, _, _, _, _) = type else {
            throw FieldError.relative(rule: "type", predicate: "must be an array")
        }
        return try FieldJSON.elements(of: text, element: element).enumerated().map { index, value in
            try FieldError.path(outer: "[\(index)]") { try Element.read(value, as: element) }
        }
    }

    /// The elements of a column of canonical JSON.
    @inlinable
    public static func read(_ fields: FieldReader, at index: Int) throws -> [Element]? {
        guard fields.row.presence(at: index) == .value else { return nil }
        if let elements = fields.row.withText(at: index, body: { Element.elements(of: $0) }) {
            return elements
        }
        // What the fast path cannot read is read, or rejected with a reason, here.
        return try fields.elements(at: index)
    }

    /// Canonical JSON; a set is sorted, each element once.
    public func fieldValue(as type: FieldType) throws -> FieldValue {
        guard case .array(let element, _, let isSet, _, _) = type else {
            throw FieldError.relative(rule: "type", predicate: "must not be an array")
        }
        let text = try FieldJSON.array(count: count, isSet: isSet) { index, writer in
            try FieldError.path(outer: "[\(index)]") {
                FieldJSON.write(try self[index].fieldValue(as: element), to: &writer)
            }
        }
        return .json(text)
    }

    /// Whether each element has the same text.
    public func hasSameText(as other: [Element]) -> Bool {
        zip(self, other).allSatisfy { $0.hasSameText(as: $1) }
    }
}

extension FieldReader {
    /// The elements of a column of canonical JSON, of any type. Throws `FieldError`.
    public func elements<Element: FieldConvertible>(at index: Int) throws -> [Element] {
        try naming(index: index) {
            try [Element].read(.json(row.text(at: index)), as: type(at: index))
        }
    }
}

/// A map.
extension Dictionary: FieldConvertible where Key == String, Value: FieldConvertible {
    /// The values of a column of canonical JSON.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> [String: Value] {
        guard case .json(let text) = value, case .map(let element, _) = type else {
            throw FieldError.relative(rule: "type", predicate: "must be an object")
        }
        let members = try FieldJSON.object(text: text, fields: []).unknown
        var values: [String: Value] = [:]
        for member in members {
            try FieldError.path(outer: member.path) {
                let value = try FieldJSON.elements(of: "[\(member.json)]", element: element)[0]
                guard values.updateValue(try Value.read(value, as: element), forKey: member.path) == nil
                else {
                    throw FieldError.relative(
                        rule: "type",
                        predicate:
                            "must have a name that differs from the others in more than its Unicode form"
                    )
                }
            }
        }
        return values
    }

    /// Canonical JSON, by name.
    public func fieldValue(as type: FieldType) throws -> FieldValue {
        guard case .map(let element, _) = type else {
            throw FieldError.relative(rule: "type", predicate: "must not be an object")
        }
        var record = Record(values: [])
        record.unknown = try sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
            name,
            value in
            try FieldError.path(outer: name) {
                var writer = JSONWriter()
                FieldJSON.write(try value.fieldValue(as: element), to: &writer)
                return UnknownField(path: name, json: writer.text)
            }
        }
        return .json(FieldJSON.text(of: record, fields: []))
    }

    /// Whether each name and each value has the same text.
    public func hasSameText(as other: [String: Value]) -> Bool {
        allSatisfy { name, value in
            guard let index = other.index(forKey: name) else { return false }
            return other[index].key.hasSameText(as: name) && other[index].value.hasSameText(as: value)
        }
    }
}

/// Elements of a list whose elements may be null.
extension Optional: FieldConvertible where Wrapped: FieldConvertible {
    /// The value, or nil for null.
    public static func read(_ value: FieldValue, as type: FieldType) throws -> Wrapped? {
        if case .null = value { return nil }
        return try Wrapped.read(value, as: type)
    }

    /// Null for nil.
    public func fieldValue(as type: FieldType) throws -> FieldValue {
        switch self {
        case .none: .null
        case .some(let value): try value.fieldValue(as: type)
        }
    }

    /// Whether both values, if there are any, have the same text.
    public func hasSameText(as other: Wrapped?) -> Bool {
        guard let self, let other else { return true }
        return self.hasSameText(as: other)
    }
}

extension FieldError {
    /// Runs a step and adds `outer` to the path of its errors.
    package static func path<Result>(outer: @autoclosure () -> String, step: () throws -> Result) throws
        -> Result
    {
        do {
            return try step()
        } catch let error as FieldError {
            throw error.inside(outer: outer())
        }
    }
}
