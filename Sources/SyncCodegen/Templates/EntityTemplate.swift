import SyncSchema

/// The file of one entity: model, nested types, DTO and adapter.
struct EntityTemplate {
    let schema: Schema
    /// The types of the entities that have a type of key of their own, by their names.
    let keyOwners: [String: String]

    /// The file's text.
    var text: String {
        var code = CodeWriter()
        let plans = FieldPlans(schema, keyOwners: keyOwners)
        code.line(
            text: "\(CodeGenerator.header) from \(schema.name).schema.json. Change the schema, not this file."
        )
        code.line()
        if plans.usesFoundation {
            code.line(text: "public import Foundation")
        }
        code.line(text: "public import \(Runtime.module)")
        code.line()
        ModelTemplate(schema: schema, plans: plans).write(to: &code)
        var nested: [SchemaType] = []
        for property in schema.properties { property.type.nestedTypes(found: &nested) }
        let template = NestedTemplate(entity: schema.typeName, asked: schema.properties.objects)
        for type in nested {
            code.line()
            template.write(type, to: &code)
        }
        code.line()
        AdapterTemplate(schema: schema).write(to: &code)
        code.line()
        writeDTO(plans, to: &code)
        for case .object(let type) in nested {
            code.line()
            writeDTO(type, to: &code)
        }
        return code.text
    }

    private func writeDTO(_ plans: FieldPlans, to code: inout CodeWriter) {
        DTOTemplate().write(
            type: schema.typeName + Runtime.dtoSuffix,
            conforming: [Runtime.transferObject],
            model: schema.typeName,
            summary:
                "A `\(schema.typeName)` as it travels: wire names, and text where JSON has no type of its own.",
            plans: plans,
            to: &code
        )
    }

    private func writeDTO(_ object: ObjectType, to code: inout CodeWriter) {
        let model = "\(schema.typeName).\(object.typeName)"
        code.block(head: "nonisolated extension \(schema.typeName)\(Runtime.dtoSuffix)") { code in
            DTOTemplate().write(
                type: object.typeName,
                conforming: [Runtime.transferObject, Runtime.nestedObject],
                model: model,
                summary: "A `\(model)` as it travels.",
                plans: FieldPlans(object: object, entity: schema.typeName),
                to: &code
            )
        }
    }
}

/// The file that lists all entities.
struct RegistryTemplate {
    /// Parents before children.
    let schemas: [Schema]

    /// The file's text.
    var text: String {
        var code = CodeWriter()
        code.line(
            text:
                "\(CodeGenerator.header) from all schemas of this target. Change the schemas, not this file."
        )
        code.line()
        code.line(text: "public import \(Runtime.module)")
        code.line()
        code.document(paragraphs: ["The entities of this module."])
        code.block(head: "public nonisolated enum \(Runtime.registry)") { code in
            code.document(paragraphs: [
                "Every type, parents before children: what a space keeps whose `entities` they are."
            ])
            let types = schemas.map { Code.text("\($0.typeName).self") }
            code.code(prefix: "public static let types: [any \(Runtime.entity).Type] = ", code: .list(types))
            code.line()
            code.document(paragraphs: [
                "Every entity, parents before children: the order in which they are synced."
            ])
            let names = schemas.map { Code.text("\($0.typeName)\(Runtime.adapterSuffix).descriptor") }
            code.code(
                prefix: "public static let descriptors: [\(Runtime.entityDescriptor)] = ",
                code: .list(names)
            )
            code.line()
            code.document(paragraphs: ["The entity of a name such as `read-status`, or nil."])
            code.block(
                head: "public static func descriptor(named name: String) -> \(Runtime.entityDescriptor)?"
            ) { code in
                code.line(text: "descriptors.first { $0.name == name }")
            }
        }
        return code.text
    }
}
