import SyncSchema

/// Types that are nested in an entity's: open enums and objects.
struct NestedTemplate {
    /// The entity's type.
    let entity: String
    /// The objects whose members conditions can name.
    let asked: Set<ObjectType>

    func write(_ type: SchemaType, to code: inout CodeWriter) {
        switch type {
        case .enumeration(let type):
            code.block(head: "nonisolated extension \(entity)") { write(type, to: &$0) }
        case .object(let type):
            code.block(head: "nonisolated extension \(entity)") { write(type, to: &$0) }
            guard asked.contains(type), !type.properties.isEmpty else { return }
            for isOptional in [false, true] {
                code.line()
                writeMembers(of: type, isOptional: isOptional, to: &code)
            }
        default: break
        }
    }

    private func write(_ type: EnumType, to code: inout CodeWriter) {
        let rawType = type.isInteger ? "Int" : "String"
        code.document(paragraphs: [
            "An open enum: the values of the schema, and any other that a newer version of the app writes."
        ])
        code.block(head: "public enum \(type.typeName): \(Runtime.openEnum)") { code in
            for value in type.cases {
                code.document(paragraphs: [
                    value.value.isEmpty ? "The empty text on the wire." : "`\(value.value)` on the wire."
                ])
                code.line(text: "case \(Swift.name(value.name))")
            }
            code.document(paragraphs: ["A value that this version of the schema does not know."])
            code.line(text: "case unknown(\(rawType))")
            code.line()
            code.document(paragraphs: ["The values of the schema."])
            let names = type.cases.map { Code.text(".\($0.name)") }
            code.code(prefix: "public static let allCases: [\(type.typeName)] = ", code: .list(names))
            code.line()
            code.document(paragraphs: ["The value on the wire."])
            code.block(head: "public var rawValue: \(rawType)") { code in
                code.line(text: "switch self {")
                for value in type.cases {
                    let literal = type.isInteger ? value.value : Swift.string(value.value)
                    code.line(text: "case .\(value.name): \(literal)")
                }
                let name = type.isInteger ? "number" : "text"
                code.line(text: "case .unknown(let \(name)): \(name)")
                code.line(text: "}")
            }
        }
    }

    private func write(_ type: ObjectType, to code: inout CodeWriter) {
        let fields = FieldGroupTemplate(plans: FieldPlans(object: type, entity: entity))
        code.document(paragraphs: [
            type.summary.isEmpty ? "An object inside a `\(entity)`." : FieldNotes.sentence(text: type.summary)
        ])
        code.block(
            head: "public struct \(type.typeName): \(Runtime.nestedObject), Codable, Hashable, Sendable"
        ) {
            code in
            fields.writeProperties(to: &code)
            code.line()
            fields.writeInitialiser("Makes an object. What is left out has the schema's default.", to: &code)
            code.line()
            code.document(paragraphs: ["The fields in schema order."])
            code.code(
                prefix: "public static let fields: [\(Runtime.fieldDescriptor)] = ",
                code: DescriptorTemplate(entity: entity).fields(properties: type.properties)
            )
            code.line()
            fields.writeRowMapping(to: &code)
            fields.writeEquality(of: type.typeName, to: &code)
        }
    }

    /// The members of a field that holds such an object, for conditions: `Place.Fields.address.city == "Jakarta"`.
    private func writeMembers(of type: ObjectType, isOptional: Bool, to code: inout CodeWriter) {
        let value = "\(entity).\(type.typeName)\(isOptional ? "?" : "")"
        code.document(paragraphs: ["The members of such an object, as conditions name them."])
        code.block(head: "nonisolated extension \(Runtime.field)<\(entity), \(value)>") { code in
            // Inside, the entity is what the field calls so, whatever its own name is.
            let fields = FieldPlans(object: type, entity: "Entity").all
            var taken = Set(fields.map(\.property.name) + ["schemaName", "hasValue"])
            for field in fields {
                let mark = isOptional && !field.queryType.hasSuffix("?") ? "?" : ""
                code.document(paragraphs: [FieldNotes(plan: field).summary])
                // These two names are the field's own.
                var name = field.name
                if ["schemaName", "hasValue"].contains(name) {
                    while !taken.insert(name).inserted { name += "Member" }
                }
                let type = "\(Runtime.field)<Entity, \(field.queryType)\(mark)>"
                code.block(head: "public var \(name): \(type)") {
                    $0.line(text: "member(name: \(field.literal))")
                }
            }
        }
    }
}

extension [Property] {
    /// The objects that are values of fields, and no elements of lists.
    var objects: Set<ObjectType> {
        reduce(into: []) { found, property in
            guard case .object(let type) = property.type else { return }
            found.insert(type)
            found.formUnion(type.properties.objects)
        }
    }
}
