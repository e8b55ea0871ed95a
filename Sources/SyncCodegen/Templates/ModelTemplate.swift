import SyncSchema

/// The model of an entity: properties, initialiser, key, and how it meets a row.
struct ModelTemplate {
    let schema: Schema
    let plans: FieldPlans

    func write(to code: inout CodeWriter) {
        let type = schema.typeName
        code.document([
            schema.summary.isEmpty ? "One `\(schema.name)` record." : FieldNotes.sentence(schema.summary)
        ])
        code.block(
            "public nonisolated struct \(type): \(Runtime.entity), Codable, Hashable, Identifiable, Sendable"
        ) { code in
            let fields = FieldGroupTemplate(plans: plans)
            fields.writeProperties(to: &code)
            code.line()
            fields.writeInitialiser("Makes a record. What is left out has the schema's default.", to: &code)
        }
        code.line()
        code.block("nonisolated extension \(type)") { code in
            writeKey(to: &code)
            code.line()
            code.document(["Converts between rows and this model."])
            code.block("public static var adapter: \(type)\(Runtime.adapterSuffix)") { code in
                code.line("\(type)\(Runtime.adapterSuffix)()")
            }
            code.line()
            FieldGroupTemplate(plans: plans).writeRowMapping(to: &code)
        }
        code.line()
        writeFieldList(to: &code)
    }

    private func writeFieldList(to code: inout CodeWriter) {
        code.block("nonisolated extension \(schema.typeName)") { code in
            code.document([
                "The fields, as queries name them. Those that an index of the schema holds can be asked for."
            ])
            code.block("public enum \(Runtime.fieldList)") { code in
                for field in plans.all {
                    code.document([FieldNotes(plan: field).paragraphs[0]])
                    code.code(
                        "public static let \(field.name) = ",
                        .call(
                            "\(Runtime.field)<\(schema.typeName), \(field.queryType)>",
                            [.init(nil, .string(field.property.name))]
                        )
                    )
                }
            }
        }
    }

    private func writeKey(to code: inout CodeWriter) {
        let key = schema.key.compactMap { name in plans.all.first { $0.property.name == name } }
        if key.count > 1 {
            writeCompositeKey(key, to: &code)
        } else if let field = key.first {
            if field.property.name != "id" {
                code.document(["The key: `\(field.property.name)`."])
                code.line("public var id: \(field.modelType) { \(field.name) }")
                code.line()
            }
            writeRecordKey(field.modelType, .text("\(Runtime.recordKey)(\(text(field, "key")))"), to: &code)
        }
    }

    private func writeCompositeKey(_ key: [FieldPlan], to code: inout CodeWriter) {
        code.document(["The fields that identify a record together."])
        code.block("public struct ID: Codable, Hashable, Sendable") { code in
            for field in key {
                code.document(FieldNotes(plan: field).paragraphs)
                code.line("public var \(field.name): \(field.modelType)")
            }
            code.line()
            code.document(["Makes a key."])
            code.function("public init", key.map { Parameter(declaration: "\($0.name): \($0.modelType)") }) {
                code in
                for field in key { code.line("self.\(field.property.name) = \(field.name)") }
            }
        }
        code.line()
        code.document(["The key."])
        code.block("public var id: ID") { code in
            let arguments = key.map { Code.Argument(Swift.label($0.property.name), .text($0.name)) }
            code.code("", .call("ID", arguments))
        }
        code.line()
        let parts = key.map { field in
            switch field.property.type {
            case .integer: Code.text(".integer(Int64(key.\(field.property.name)))")
            default: Code.text(".text(\(text(field, "key.\(field.property.name)")))")
            }
        }
        writeRecordKey("ID", Code.call(Runtime.recordKey, [.init("parts", .list(parts))]), to: &code)
    }

    private func writeRecordKey(_ type: String, _ expression: Code, to code: inout CodeWriter) {
        code.document(["The key as the store and the command line spell it."])
        code.block("public static func recordKey(_ key: \(type)) -> \(Runtime.recordKey)") { code in
            code.code("", expression)
        }
    }

    /// A key value's text, as it stands in the column.
    private func text(_ field: FieldPlan, _ expression: String) -> String {
        switch field.property.type {
        case .string, .uri: expression
        case .uuid: "\(expression).uuidString.lowercased()"
        case .integer: "String(\(expression))"
        default: "\(expression).description"
        }
    }
}
