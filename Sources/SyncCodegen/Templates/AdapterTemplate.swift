import SyncSchema

/// The adapter of an entity: its descriptor, read and bind.
struct AdapterTemplate {
    let schema: Schema

    func write(to code: inout CodeWriter) {
        let type = schema.typeName
        let table = schema.name.split(separator: "-").joined(separator: "_")
        code.document([
            "Stores `\(type)` records in the table `\(table)`, one column per field, named as the schema names it."
        ])
        code.block("public nonisolated struct \(type)\(Runtime.adapterSuffix): \(Runtime.adapter)") { code in
            code.document(["The entity: fields with their constraints, key, strategy and indexes."])
            code.code(
                "public static let descriptor: \(Runtime.entityDescriptor) = ",
                DescriptorTemplate(entity: type).descriptor(schema)
            )
            code.line()
            code.document(["Makes an adapter; all are alike."])
            code.line("public init() {}")
            code.line()
            code.document(["The entity."])
            code.line("public var descriptor: \(Runtime.entityDescriptor) { Self.descriptor }")
            code.line()
            code.document(["Makes a model from a row. Throws `FieldProblem` when the row does not hold one."])
            code.block("public func read(_ row: any \(Runtime.rowReader)) throws -> \(type)") { code in
                code.line("try \(type)(\(Runtime.fieldReader)(row, Self.descriptor.layout))")
            }
            code.line()
            code.document(["Puts a model's values into a row."])
            code.block("public func bind(_ model: \(type), to row: any \(Runtime.rowBinder)) throws") {
                code in
                code.line("try model.record().bind(to: row)")
            }
        }
    }
}
