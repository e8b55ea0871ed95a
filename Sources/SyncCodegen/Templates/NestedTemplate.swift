import SyncSchema

/// Types that are nested in an entity's: open enums and objects.
struct NestedTemplate {
    /// The entity's type.
    let entity: String

    func write(_ type: SchemaType, to code: inout CodeWriter) {
        switch type {
        case .enumeration(let type): code.block("nonisolated extension \(entity)") { write(type, to: &$0) }
        case .object(let type): code.block("nonisolated extension \(entity)") { write(type, to: &$0) }
        default: break
        }
    }

    private func write(_ type: EnumType, to code: inout CodeWriter) {
        code.document([
            "An open enum: the values of the schema, and any other that a newer version of the app writes."
        ])
        code.block("public enum \(type.typeName): \(Runtime.openEnum)") { code in
            for value in type.cases {
                code.document([
                    value.value.isEmpty ? "The empty text on the wire." : "`\(value.value)` on the wire."
                ])
                code.line("case \(Swift.name(value.name))")
            }
            code.document(["A value that this version of the schema does not know."])
            code.line("case unknown(String)")
            code.line()
            code.document(["The values of the schema."])
            let names = type.cases.map { Code.text(".\($0.name)") }
            code.code("public static let allCases: [\(type.typeName)] = ", .list(names))
            code.line()
            code.document(["The value on the wire."])
            code.block("public var rawValue: String") { code in
                code.line("switch self {")
                for value in type.cases { code.line("case .\(value.name): \(Swift.string(value.value))") }
                code.line("case .unknown(let text): text")
                code.line("}")
            }
        }
    }

    private func write(_ type: ObjectType, to code: inout CodeWriter) {
        let fields = FieldGroupTemplate(plans: FieldPlans(type, entity: entity))
        code.document([
            type.summary.isEmpty ? "An object inside a `\(entity)`." : FieldNotes.sentence(type.summary)
        ])
        code.block("public struct \(type.typeName): \(Runtime.nestedObject), Codable, Hashable, Sendable") {
            code in
            fields.writeProperties(to: &code)
            code.line()
            fields.writeInitialiser("Makes an object. What is left out has the schema's default.", to: &code)
            code.line()
            code.document(["The fields in schema order."])
            code.code(
                "public static let fields: [\(Runtime.fieldDescriptor)] = ",
                DescriptorTemplate(entity: entity).fields(type.properties)
            )
            code.line()
            fields.writeRowMapping(to: &code)
        }
    }
}
