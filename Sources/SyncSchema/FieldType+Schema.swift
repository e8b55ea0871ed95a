extension FieldDescriptor {
    /// The field that a property describes. Patterns are left out where they are not to be tried.
    package init(property: Property, keepsPatterns: Bool = true) {
        self.init(
            name: property.name,
            wirePath: property.wirePath,
            title: property.title,
            type: FieldType(property.type, keepsPatterns: keepsPatterns),
            isNullable: property.isNullable,
            isRequired: property.isRequired,
            merge: property.merge,
            renamedFrom: property.renamedFrom,
            earlierNames: property.earlierNames,
            isLocalOnly: property.isLocalOnly,
            hasUniqueItems: property.hasUniqueItems,
            defaultJSON: property.defaultJSON
        )
    }
}

extension FieldType {
    /// What a record holds of a type: the same without the names that generated code needs.
    package init(_ type: SchemaType, keepsPatterns: Bool = true) {
        self =
            switch type {
            case .string(let minLength, let maxLength, let pattern, let maxBytes):
                .string(
                    minLength: minLength,
                    maxLength: maxLength,
                    pattern: keepsPatterns ? pattern : nil,
                    maxBytes: maxBytes
                )
            case .integer(let minimum, let maximum): .integer(minimum: minimum, maximum: maximum)
            case .number(let minimum, let maximum): .number(minimum: minimum, maximum: maximum)
            case .boolean: .boolean
            case .uuid: .uuid
            case .dateTime: .dateTime
            case .date: .date
            case .uri(let maxLength): .uri(maxLength: maxLength)
            case .decimal: .decimal
            case .data: .data
            case .enumeration(let type):
                type.isInteger ? .integer() : .enumeration(type.cases.map(\.value))
            case .array(let item, let isSet, let minItems, let maxItems):
                .array(
                    element: FieldType(item.type, keepsPatterns: keepsPatterns),
                    elementIsNullable: item.isNullable,
                    isSet: isSet,
                    minItems: minItems,
                    maxItems: maxItems
                )
            case .map(let value):
                .map(
                    value: FieldType(value.type, keepsPatterns: keepsPatterns),
                    valueIsNullable: value.isNullable
                )
            case .object(let type):
                .object(
                    type.properties.map { FieldDescriptor(property: $0, keepsPatterns: keepsPatterns) }
                )
            }
    }
}
