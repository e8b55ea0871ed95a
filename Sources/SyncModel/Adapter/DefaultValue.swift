/// Default values of a schema.
public enum DefaultValue {
    /// The Swift value of a default. The text comes from a checked schema: an invalid one is a programming error.
    public static func of<Value: FieldConvertible>(json: String, type: FieldType) -> Value {
        do {
            return try read(json: json, as: type)
        } catch {
            preconditionFailure("the default \(json) does not fit its field: \(error)")
        }
    }

    static func read<Value: FieldConvertible>(json: String, as type: FieldType) throws -> Value {
        guard let value = try FieldJSON.elements(of: "[\(json)]", element: type).first else {
            throw FieldError.relative(rule: "type", predicate: "has an empty default")
        }
        return try Value.read(value, as: type)
    }
}
