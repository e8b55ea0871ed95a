extension FieldDescriptor {
    /// The field without constraints, to read what an older schema allowed.
    package var lenient: FieldDescriptor {
        var field = self
        field.type = type.lenient
        field.isNullable = true
        field.hasUniqueItems = false
        // A default is not a constraint: a pull fills it in, so reading back does, too.
        field.isRequired = isRequired && defaultJSON != nil
        return field
    }
}

extension FieldType {
    /// The type without constraints. All stored text is canonical, so it is not validated again.
    package var lenient: FieldType {
        switch self {
        case .string, .uuid, .uri, .enumeration: .string()
        case .integer: .integer()
        case .number: .number()
        case .array(let element, _, let isSet, _, _):
            .array(element: element.lenient, elementIsNullable: true, isSet: isSet)
        case .object(let fields): .object(fields.map(\.lenient))
        case .map(let value, _): .map(value: value.lenient, valueIsNullable: true)
        case .boolean, .dateTime, .date, .decimal, .data: self
        }
    }
}
