import SyncSchema

/// Types that are nested in an entity's: open enums and objects.
struct NestedTemplate {
    /// The entity's type.
    let entity: String

    func write(_ type: SchemaType, to code: inout CodeWriter) {
        switch type {
        case .enumeration(let type):
            code.block(head: "nonisolated extension \(entity)") { write(type, to: &$0) }
        case .object(let type): code.block(head: "nonisolated extension \(entity)") { write(type, to: &$0) }
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
        }
    }
}
