import SyncSchema

/// Writes descriptors as literals, leaving out what is the default.
struct DescriptorTemplate {
    /// The entity's type, in which nested types lie.
    let entity: String

    /// The descriptor of an entity.
    func descriptor(_ schema: Schema) -> Code {
        var arguments: [Code.Argument] = [
            .init("name", .string(schema.name)),
            .init("typeName", .string(schema.typeName)),
            .init("version", .text("\(schema.version)")),
            .init("fields", fields(schema.properties)),
            .init("key", .strings(schema.key)),
            .init("strategy", .text(strategy(schema.strategy))),
        ]
        if schema.granularity == .field { arguments.append(.init("granularity", .text(".field"))) }
        for (label, name) in [
            ("created", schema.created), ("updated", schema.updated), ("deleted", schema.deleted),
            ("remote", schema.remote),
        ] {
            if let name { arguments.append(.init(label, .string(name))) }
        }
        if !schema.unique.isEmpty {
            arguments.append(.init("unique", .list(schema.unique.map(Code.strings))))
        }
        if !schema.indexes.isEmpty {
            arguments.append(.init("indexes", .list(schema.indexes.map(Code.strings))))
        }
        if let limit = schema.limit { arguments.append(.init("limit", .text("\(limit)"))) }
        if !schema.references.isEmpty {
            arguments.append(.init("references", .list(schema.references.map(reference))))
        }
        if let days = schema.tombstoneDays { arguments.append(.init("tombstoneDays", .text("\(days)"))) }
        if schema.forbidsUnknownFields { arguments.append(.init("forbidsUnknownFields", .text("true"))) }
        return .call(Runtime.entityDescriptor, arguments)
    }

    /// The descriptors of fields.
    func fields(_ properties: [Property]) -> Code {
        .list(properties.map(field))
    }

    private func field(_ property: Property) -> Code {
        var arguments: [Code.Argument] = [.init(nil, .string(property.name))]
        if property.wirePath != [property.name] {
            arguments.append(.init("wirePath", .strings(property.wirePath)))
        }
        arguments.append(.init("type", fieldType(property.type, withConstraints: true)))
        if property.isNullable { arguments.append(.init("isNullable", .text("true"))) }
        if property.isRequired { arguments.append(.init("isRequired", .text("true"))) }
        if let merge = property.merge { arguments.append(.init("merge", .text(rule(merge)))) }
        if let name = property.renamedFrom {
            arguments.append(.init("renamedFrom", .string(name)))
        }
        if property.isLocalOnly { arguments.append(.init("isLocalOnly", .text("true"))) }
        if let json = property.defaultJSON {
            arguments.append(.init("defaultJSON", .string(json)))
        }
        return .call(Runtime.fieldDescriptor, arguments)
    }

    /// The type of a field, with or without what the schema demands of its values.
    func fieldType(_ type: SchemaType, withConstraints: Bool) -> Code {
        func call(_ name: String, _ constraints: [(String, Code?)]) -> Code {
            .call(
                name,
                constraints.compactMap { label, value in
                    withConstraints ? value.map { .init(label, $0) } : nil
                }
            )
        }
        func number(_ value: (some CustomStringConvertible)?) -> Code? { value.map { .text("\($0)") } }
        switch type {
        case .string(let minLength, let maxLength, let pattern):
            return call(
                ".string",
                [
                    ("minLength", number(minLength)), ("maxLength", number(maxLength)),
                    ("pattern", pattern.map(Code.string)),
                ]
            )
        case .integer(let minimum, let maximum):
            return call(".integer", [("minimum", number(minimum)), ("maximum", number(maximum))])
        case .number(let minimum, let maximum):
            return call(".number", [("minimum", number(minimum)), ("maximum", number(maximum))])
        case .uri(let maxLength): return call(".uri", [("maxLength", number(maxLength))])
        case .boolean: return .text(".boolean")
        case .uuid: return .text(".uuid")
        case .dateTime: return .text(".dateTime")
        case .date: return .text(".date")
        case .decimal: return .text(".decimal")
        case .data: return .text(".data")
        case .enumeration(let type):
            return .call(".enumeration", [.init(nil, .strings(type.cases.map(\.value)))])
        case .object(let type):
            return .call(".object", [.init(nil, .text("\(entity).\(type.typeName).fields"))])
        case .array(let item, let isSet, let minItems, let maxItems):
            var arguments: [Code.Argument] = [
                .init("element", fieldType(item.type, withConstraints: withConstraints))
            ]
            if item.isNullable { arguments.append(.init("elementIsNullable", .text("true"))) }
            if isSet { arguments.append(.init("isSet", .text("true"))) }
            if withConstraints, let minItems { arguments.append(.init("minItems", .text("\(minItems)"))) }
            if withConstraints, let maxItems { arguments.append(.init("maxItems", .text("\(maxItems)"))) }
            return .call(".array", arguments)
        }
    }

    private func reference(_ reference: Schema.Reference) -> Code {
        .call(
            Runtime.referenceDescriptor,
            [
                .init("field", .string(reference.field)),
                .init("entity", .string(reference.entity)),
                .init("onDelete", .text(".\(reference.onDelete.rawValue)")),
            ]
        )
    }

    private func strategy(_ strategy: Schema.Strategy) -> String {
        switch strategy {
        case .preserveLocal: ".preserveLocal"
        case .lastWriteWins: ".lastWriteWins"
        case .setUnion: ".setUnion"
        }
    }

    private func rule(_ rule: MergeRule) -> String {
        switch rule {
        case .lastWriteWins: ".lastWriteWins"
        case .preserveLocal: ".preserveLocal"
        case .union, .max, .min, .or, .and: ".\(rule.rawValue)"
        }
    }
}
