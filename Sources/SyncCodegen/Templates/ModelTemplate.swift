import SyncSchema

/// The model of an entity: properties, initialiser, key, and row mapping.
struct ModelTemplate {
    let schema: Schema
    let plans: FieldPlans

    func write(to code: inout CodeWriter) {
        let type = schema.typeName
        code.document(paragraphs: [
            schema.summary.isEmpty
                ? "One `\(schema.name)` record." : FieldNotes.sentence(text: schema.summary)
        ])
        code.block(
            head:
                "public nonisolated struct \(type): \(Runtime.entity), Codable, Hashable, Identifiable, Sendable"
        ) { code in
            let fields = FieldGroupTemplate(plans: plans, isEntity: true)
            fields.writeProperties(to: &code)
            code.line()
            fields.writeInitialiser("Makes a record. What is left out has the schema's default.", to: &code)
        }
        code.line()
        code.block(head: "nonisolated extension \(type)") { code in
            writeKey(to: &code)
            code.line()
            code.document(paragraphs: ["Converts between rows and this model."])
            code.block(head: "public static var adapter: \(type)\(Runtime.adapterSuffix)") { code in
                code.line(text: "\(type)\(Runtime.adapterSuffix)()")
            }
            code.line()
            let fields = FieldGroupTemplate(plans: plans)
            fields.writeRowMapping(to: &code)
            fields.writeEquality(of: type, to: &code)
        }
        code.line()
        writeFieldList(to: &code)
    }

    private func writeFieldList(to code: inout CodeWriter) {
        code.block(head: "nonisolated extension \(schema.typeName)") { code in
            code.document(paragraphs: ["The fields, as queries name them.", indexNote])
            code.line(text: "@dynamicMemberLookup")
            code.block(head: "public enum \(Runtime.fieldList)") { code in
                for field in plans.all {
                    code.document(paragraphs: [FieldNotes(plan: field).summary])
                    code.code(
                        prefix: "public static let \(field.name) = ",
                        code: .call(
                            "\(Runtime.field)<\(schema.typeName), \(field.queryType)>",
                            [.init(label: nil, .string(field.property.name))]
                        )
                    )
                }
                code.line()
                writeMisspelt(to: &code)
            }
        }
    }

    /// With which fields an index begins.
    private var indexNote: String {
        let lists = [schema.key] + schema.unique + schema.indexes + schema.references.map(\.fields)
        var names: [String] = []
        for name in lists.compactMap(\.first) where !names.contains(name) { names.append(name) }
        let known = names.map { "`\($0)`" }.joined(separator: ", ")
        return
            "Indexes begin with: \(known). A query needs a condition on one of these, or none and an order by one; "
            + "any other says `allowingScan()`."
    }

    /// The compiler's answer to a name that no field has. It takes the second one where nothing says what type is meant.
    private func writeMisspelt(to code: inout CodeWriter) {
        let names = plans.all.map(\.property.name)
        let answer = "\(schema.typeName) has no such field. It has: \(names.joined(separator: ", "))."
        for (generics, type) in [("<Value>", "Value"), ("", "String?")] {
            if generics.isEmpty { code.line() }
            code.document(paragraphs: ["Names the fields where the name of none is written."])
            code.unavailable(message: answer)
            let result = "\(Runtime.field)<\(schema.typeName), \(type)>"
            code.block(head: "public static subscript\(generics)(dynamicMember name: String) -> \(result)") {
                $0.line(text: "\(Runtime.field)(name)")
            }
        }
    }

    private func writeKey(to code: inout CodeWriter) {
        let key = schema.key.compactMap { name in plans.all.first { $0.property.name == name } }
        if key.count > 1 {
            writeCompositeKey(key, to: &code)
        } else if let field = key.first {
            if field.property.swiftType == .key { writeKeyType(field, to: &code) }
            if field.property.name != "id" {
                code.document(paragraphs: ["The key: `\(field.property.name)`."])
                code.line(text: "public var id: \(field.modelType) { \(field.name) }")
                code.line()
            }
            writeRecordKey(
                field.modelType,
                expression: .text("\(Runtime.recordKey)(\(text(field: field, expression: "key")))"),
                to: &code
            )
        }
    }

    /// The entity's own type of key.
    private func writeKeyType(_ field: FieldPlan, to code: inout CodeWriter) {
        let type = ModelType(entity: schema.typeName).name(type: field.property.type)
        code.document(paragraphs: [
            "Identifies a `\(schema.typeName)`. The key of another entity has another type."
        ])
        code.block(head: "public struct \(Runtime.key): \(Runtime.typedKey)") { code in
            code.document(paragraphs: ["The key's value, as the schema describes it."])
            code.line(text: "public let rawValue: \(type)")
            code.line()
            code.document(paragraphs: ["Makes a key of its value."])
            code.line(text: "public init(rawValue: \(type)) { self.rawValue = rawValue }")
        }
        code.line()
    }

    private func writeCompositeKey(_ key: [FieldPlan], to code: inout CodeWriter) {
        code.document(paragraphs: ["The fields that identify a record together."])
        code.block(head: "public struct ID: Codable, Hashable, Sendable") { code in
            for field in key {
                code.document(paragraphs: FieldNotes(plan: field).paragraphs)
                code.line(text: "public var \(field.name): \(field.modelType)")
            }
            code.line()
            code.document(paragraphs: ["Makes a key."])
            code.function(
                head: "public init",
                parameters: key.map { Parameter(declaration: "\($0.name): \($0.modelType)") }
            ) {
                code in
                for field in key { code.line(text: "self.\(field.property.name) = \(field.name)") }
            }
        }
        code.line()
        code.document(paragraphs: ["The key."])
        code.block(head: "public var id: ID") { code in
            let arguments = key.map {
                Code.Argument(label: Swift.label(name: $0.property.name), .text($0.name))
            }
            code.code(prefix: "", code: .call("ID", arguments))
        }
        code.line()
        let parts = key.map { field in
            switch field.property.type {
            case .integer:
                Code.text(".integer(Int64(\(field.schemaValue(of: "key.\(field.property.name)"))))")
            default: Code.text(".text(\(text(field: field, expression: "key.\(field.property.name)")))")
            }
        }
        writeRecordKey(
            "ID",
            expression: Code.call(Runtime.recordKey, [.init(label: "parts", .list(parts))]),
            to: &code
        )
    }

    private func writeRecordKey(_ type: String, expression: Code, to code: inout CodeWriter) {
        code.document(paragraphs: ["The key as the store and the command line spell it."])
        code.block(head: "public static func recordKey(_ key: \(type)) -> \(Runtime.recordKey)") { code in
            code.code(prefix: "", code: expression)
        }
    }

    /// A key value's text, as in its column.
    private func text(field: FieldPlan, expression: String) -> String {
        if field.keyOwner != nil { return "\(expression).description" }
        let expression = field.schemaValue(of: expression)
        return switch field.property.type {
        case .string, .uri: expression
        case .uuid: "\(expression).uuidString.lowercased()"
        case .integer: "String(\(expression))"
        default: "\(expression).description"
        }
    }
}
