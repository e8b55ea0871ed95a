import SyncSchema

/// The adapter of an entity: its descriptor, reading and binding.
struct AdapterTemplate {
    let schema: Schema

    func write(to code: inout CodeWriter) {
        let type = schema.typeName
        let table = schema.name.split(separator: "-").joined(separator: "_")
        code.document(paragraphs: [
            "Stores `\(type)` records in the table `\(table)`, one column per field, named as the schema names it."
        ])
        code.block(head: "public nonisolated struct \(type)\(Runtime.adapterSuffix): \(Runtime.adapter)") {
            code in
            code.document(paragraphs: [
                "The entity: fields with their constraints, key, strategy and indexes."
            ])
            code.code(
                prefix: "public static let descriptor: \(Runtime.entityDescriptor) = ",
                code: DescriptorTemplate(entity: type).descriptor(schema: schema)
            )
            code.line()
            code.document(paragraphs: ["Makes an adapter; all are alike."])
            code.line(text: "public init() {}")
            code.line()
            code.document(paragraphs: ["The entity."])
            code.line(text: "public var descriptor: \(Runtime.entityDescriptor) { Self.descriptor }")
            code.line()
            code.document(paragraphs: [
                "Makes a model from a row. Throws `FieldError` when the row does not hold one."
            ])
            code.block(head: "public func read(_ row: any \(Runtime.rowReader)) throws -> \(type)") { code in
                code.line(
                    text: "try \(type)(\(Runtime.fieldReader)(row: row, layout: Self.descriptor.layout))"
                )
            }
            code.line()
            code.document(paragraphs: ["Puts a model's values into a row."])
            code.block(head: "public func bind(_ model: \(type), to row: any \(Runtime.rowBinder)) throws") {
                code in
                code.line(text: "try model.record().bind(to: row)")
            }
        }
    }
}
