import SyncSchema

/// How one field of a schema appears in Swift: in the model, in the initialiser and on the wire.
struct FieldPlan {
    let property: Property
    /// Whether the engine fills the field (`created`, `updated`), so that a new model need not have it.
    let isFilled: Bool
    /// Whether a new model gets a random UUID here.
    let isGeneratedKey: Bool
    /// The entity's type, which contains nested types.
    let entity: String
    /// The type of the entity whose type of key the values, or a list's elements, have.
    var keyOwner: String?

    /// The name in declarations and expressions.
    var name: String { Swift.name(property.name) }

    /// The quoted name.
    var literal: String { Swift.string(property.name) }

    /// The default other than null, as JSON text.
    var defaultJSON: String? { property.defaultJSON == "null" ? nil : property.defaultJSON }

    /// Whether the model's property is optional.
    var isOptional: Bool {
        property.isNullable || isFilled || (!property.isRequired && defaultJSON == nil)
    }

    /// Whether the model remembers that the record came without the field, because its value does not show it.
    var isTracked: Bool {
        !property.isRequired && (property.isNullable || defaultJSON != nil)
    }

    /// The type of the field's values, null apart.
    private var valueType: String {
        let url = property.swiftType == .url ? Runtime.url : nil
        return ModelType(entity: entity, chosen: keyOwner.map { "\($0).\(Runtime.key)" } ?? url)
            .name(type: property.type)
    }

    /// Whether the model's type is of Foundation.
    var usesFoundation: Bool {
        (keyOwner == nil || property.swiftType == .key) && [property].useFoundation
    }

    /// What the schema describes, of a value that Swift has another type for.
    func schemaValue(of value: String) -> String {
        if keyOwner != nil { return value + ".rawValue" }
        return property.swiftType == .url ? value + ".absoluteString" : value
    }

    /// The property's type in the model.
    var modelType: String { valueType + (isOptional ? "?" : "") }

    /// The type of the field's values in queries. A stored record has the values that the engine fills in.
    var queryType: String {
        let isOptional = property.isNullable || (!property.isRequired && defaultJSON == nil)
        return valueType + (isOptional ? "?" : "")
    }

    /// Whether the property of the DTO is optional.
    var isOptionalOnWire: Bool { isOptional || !property.isRequired || defaultJSON != nil }

    /// The property's type in the DTO.
    var wireType: String {
        WireType(entity: entity).name(type: property.type) + (isOptionalOnWire ? "?" : "")
    }

    /// The parameter of the memberwise initialiser.
    var parameter: Parameter {
        Parameter(declaration: "\(name): \(modelType)", initialValue: initialValue)
    }

    /// Whether a new record may be made without the field, which the store then fills with its default. An optional
    /// field would be absent there, where statements and conditions ask for the value that the model shows.
    var isOmissible: Bool { property.isRequired && defaultJSON != nil && !isOptional && !isGeneratedKey }

    /// The parameter of the memberwise initialiser for a field that may be left out: nil is not a value of it.
    var omissibleParameter: Parameter {
        Parameter(declaration: "\(name): \(modelType)?", initialValue: .text("nil"))
    }

    /// The default value in a new model.
    var initialValue: Code? {
        if isGeneratedKey { return .call(keyOwner == nil ? Runtime.uuid : Runtime.key, []) }
        if let defaultJSON {
            return DefaultLiteral(entity: entity, isRead: keyOwner != nil || property.swiftType == .url)
                .swift(json: defaultJSON, type: property.type)
        }
        if isOptional { return .text("nil") }
        return switch property.type {
        case .array(_, _, nil, _): .text("[]")
        case .map: .text("[:]")
        default: nil
        }
    }

    /// The name inside a function with the local names `locals`.
    func member(among locals: Set<String>) -> String {
        locals.contains(property.name) ? "self.\(property.name)" : name
    }
}

/// The fields of an entity or of a nested object in schema order.
struct FieldPlans {
    let all: [FieldPlan]

    /// The fields of an entity. A field that refers to a record has that entity's type of key.
    init(_ schema: Schema, keyOwners: [String: String] = [:]) {
        let isOwnKey = schema.key.count == 1 && !schema.references.contains { $0.field == schema.key[0] }
        var nested: [SchemaType] = []
        for property in schema.properties { property.type.nestedTypes(found: &nested) }
        let hidden = Set(nested.compactMap(\.nestedName))
        all = schema.properties.map { property in
            let target = schema.references.first { $0.fields == [property.name] }?.entity
            return FieldPlan(
                property: property,
                isFilled: [schema.created, schema.updated].contains(property.name),
                isGeneratedKey: isOwnKey && property.name == schema.key[0] && property.type == .uuid,
                entity: schema.typeName,
                keyOwner: property.swiftType == .key
                    ? schema.typeName
                        // A nested type of that name would be meant.
                    : target.flatMap { keyOwners[$0] }
                        .map { hidden.contains($0) ? "\($0)\(Runtime.dtoSuffix).\(Runtime.modelType)" : $0 }
            )
        }
    }

    /// The fields of a nested object.
    init(object: ObjectType, entity: String) {
        all = object.properties.map {
            FieldPlan(property: $0, isFilled: false, isGeneratedKey: false, entity: entity)
        }
    }

    /// Whether a type of Foundation is named.
    var usesFoundation: Bool { all.contains(where: \.usesFoundation) }

    /// The fields that travel.
    var onWire: [FieldPlan] { all.filter { !$0.property.isLocalOnly } }
}
