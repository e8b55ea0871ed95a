import SyncSchema

/// Writes descriptors as literals, without default values.
struct DescriptorTemplate {
    /// The entity's type, which contains nested types.
    let entity: String

    /// The descriptor of an entity.
    func descriptor(schema: Schema) -> Code {
        var arguments: [Code.Argument] = [
            .init(label: "name", .string(schema.name)),
            .init(label: "typeName", .string(schema.typeName)),
            .init(label: "version", .text("\(schema.version)")),
            .init(label: "fields", fields(properties: schema.properties)),
            .init(label: "key", .strings(texts: schema.key)),
            .init(label: "strategy", .text(strategy(strategy: schema.strategy))),
        ]
        if schema.granularity == .field { arguments.append(.init(label: "granularity", .text(".field"))) }
        for (label, name) in [
            ("created", schema.created), ("updated", schema.updated), ("deleted", schema.deleted),
            ("remote", schema.remote),
        ] {
            if let name { arguments.append(.init(label: label, .string(name))) }
        }
        if !schema.unique.isEmpty {
            arguments.append(.init(label: "unique", .list(schema.unique.map(Code.strings))))
        }
        if !schema.indexes.isEmpty {
            arguments.append(.init(label: "indexes", .list(schema.indexes.map(Code.strings))))
        }
        if !schema.search.isEmpty {
            arguments.append(.init(label: "search", .strings(texts: schema.search)))
        }
        if let limit = schema.limit { arguments.append(.init(label: "limit", .text("\(limit)"))) }
        if !schema.references.isEmpty {
            arguments.append(.init(label: "references", .list(schema.references.map(reference))))
        }
        if let days = schema.tombstoneDays {
            arguments.append(.init(label: "tombstoneDays", .text("\(days)")))
        }
        if schema.forbidsUnknownFields {
            arguments.append(.init(label: "forbidsUnknownFields", .text("true")))
        }
        return .call(Runtime.entityDescriptor, arguments)
    }

    /// The descriptors of fields.
    func fields(properties: [Property]) -> Code {
        .list(properties.map(field))
    }

    private func field(property: Property) -> Code {
        var arguments: [Code.Argument] = [.init(label: "name", .string(property.name))]
        if property.wirePath != [property.name] {
            arguments.append(.init(label: "wirePath", .strings(texts: property.wirePath)))
        }
        if let title = property.title { arguments.append(.init(label: "title", .string(title))) }
        arguments.append(.init(label: "type", fieldType(type: property.type, withConstraints: true)))
        if property.isNullable { arguments.append(.init(label: "isNullable", .text("true"))) }
        if property.isRequired { arguments.append(.init(label: "isRequired", .text("true"))) }
        if let merge = property.merge { arguments.append(.init(label: "merge", .text(rule(rule: merge)))) }
        if let name = property.renamedFrom {
            arguments.append(.init(label: "renamedFrom", .string(name)))
        }
        if !property.earlierNames.isEmpty {
            arguments.append(.init(label: "earlierNames", .strings(texts: property.earlierNames)))
        }
        if property.isLocalOnly { arguments.append(.init(label: "isLocalOnly", .text("true"))) }
        if property.hasUniqueItems { arguments.append(.init(label: "hasUniqueItems", .text("true"))) }
        if let json = property.defaultJSON {
            arguments.append(.init(label: "defaultJSON", .string(json)))
        }
        return .call(Runtime.fieldDescriptor, arguments)
    }

    /// The type of a field, with or without its constraints.
    func fieldType(type: SchemaType, withConstraints: Bool) -> Code {
        func call(_ name: String, constraints: [(String, Code?)]) -> Code {
            .call(
                name,
                constraints.compactMap { label, value in
                    withConstraints ? value.map { .init(label: label, $0) } : nil
                }
            )
        }
        func number(value: (some CustomStringConvertible)?) -> Code? { value.map { .text("\($0)") } }
        switch type {
        case .string(let minLength, let maxLength, let pattern, let maxBytes):
            return call(
                ".string",
                constraints: [
                    ("minLength", number(value: minLength)), ("maxLength", number(value: maxLength)),
                    ("pattern", pattern.map(Code.string)), ("maxBytes", number(value: maxBytes)),
                ]
            )
        case .integer(let minimum, let maximum):
            return call(
                ".integer",
                constraints: [("minimum", number(value: minimum)), ("maximum", number(value: maximum))]
            )
        case .number(let minimum, let maximum):
            return call(
                ".number",
                constraints: [("minimum", number(value: minimum)), ("maximum", number(value: maximum))]
            )
        case .uri(let maxLength): return call(".uri", constraints: [("maxLength", number(value: maxLength))])
        case .boolean: return .text(".boolean")
        case .uuid: return .text(".uuid")
        case .dateTime: return .text(".dateTime")
        case .date: return .text(".date")
        case .decimal: return .text(".decimal")
        case .data: return .text(".data")
        case .enumeration(let type) where type.isInteger: return call(".integer", constraints: [])
        case .enumeration(let type):
            return .call(".enumeration", [.init(label: nil, .strings(texts: type.cases.map(\.value)))])
        case .map(let value):
            let inner = fieldType(type: value.type, withConstraints: withConstraints)
            var arguments: [Code.Argument] = [.init(label: "value", inner)]
            if value.isNullable { arguments.append(.init(label: "valueIsNullable", .text("true"))) }
            return .call(".map", arguments)
        case .object(let type):
            return .call(".object", [.init(label: nil, .text("\(entity).\(type.typeName).fields"))])
        case .array(let item, let isSet, let minItems, let maxItems):
            var arguments: [Code.Argument] = [
                .init(label: "element", fieldType(type: item.type, withConstraints: withConstraints))
            ]
            if item.isNullable { arguments.append(.init(label: "elementIsNullable", .text("true"))) }
            if isSet { arguments.append(.init(label: "isSet", .text("true"))) }
            if withConstraints, let minItems {
                arguments.append(.init(label: "minItems", .text("\(minItems)")))
            }
            if withConstraints, let maxItems {
                arguments.append(.init(label: "maxItems", .text("\(maxItems)")))
            }
            return .call(".array", arguments)
        }
    }

    private func reference(reference: ReferenceDescriptor) -> Code {
        var arguments: [Code.Argument] = [
            .init(label: "field", .string(reference.field)),
            .init(label: "entity", .string(reference.entity)),
            .init(label: "onDelete", .text(".\(reference.onDelete.rawValue)")),
        ]
        if reference.fields != [reference.field] {
            arguments.append(.init(label: "fields", .list(reference.fields.map { .string($0) })))
        }
        if reference.isCyclic { arguments.append(.init(label: "isCyclic", .text("true"))) }
        return .call(Runtime.referenceDescriptor, arguments)
    }

    private func strategy(strategy: MergeStrategy) -> String {
        switch strategy {
        case .preserveLocal: ".preserveLocal"
        case .lastWriteWins: ".lastWriteWins"
        case .setUnion: ".setUnion"
        }
    }

    private func rule(rule: MergeRule) -> String {
        switch rule {
        case .lastWriteWins: ".lastWriteWins"
        case .preserveLocal: ".preserveLocal"
        case .union, .max, .min, .or, .and: ".\(rule.rawValue)"
        }
    }
}
