import SyncSchema

/// What models and nested objects have in common: properties, memberwise initialiser, and how they meet a row.
struct FieldGroupTemplate {
    let plans: FieldPlans

    func writeProperties(to code: inout CodeWriter) {
        for plan in plans.all {
            code.document(FieldNotes(plan: plan).paragraphs)
            let declaration = "public var \(plan.name): \(plan.modelType)"
            if plan.isTracked {
                code.block(declaration) { code in
                    let note =
                        "if \(plan.member(among: ["oldValue"])) != oldValue { unknownFields.markPresent(\(plan.literal)) }"
                    code.shortBlock("didSet", note)
                }
            } else {
                code.line(declaration)
            }
        }
        code.document([
            "What the record holds beside these fields, for example fields of a newer version of the app."
        ])
        code.line("public var unknownFields = \(Runtime.unknownFields)()")
    }

    func writeInitialiser(_ summary: String, to code: inout CodeWriter) {
        code.document([summary])
        code.function("public init", plans.all.map(\.parameter)) { code in
            for plan in plans.all { code.line("self.\(plan.property.name) = \(plan.name)") }
        }
    }

    func writeRowMapping(to code: inout CodeWriter) {
        let locals: Set<String> = ["fields"]
        code.document([
            "Takes the values of a row. Throws `FieldProblem` when one is missing or does not fit."
        ])
        code.block("public init(_ fields: \(Runtime.fieldReader)) throws") { code in
            // The descriptor lists the fields in the same order.
            for (index, plan) in plans.all.enumerated() {
                let access = plan.isOptional ? "optional" : "value"
                code.assign(plan.member(among: locals), "try fields.\(access)(at: \(index))")
            }
            code.line("unknownFields = fields.unknownFields")
        }
        code.line()
        code.document(["Gives the values to a row. Throws `FieldProblem` when one cannot be kept."])
        code.block("public func write(to fields: inout \(Runtime.fieldWriter)) throws") { code in
            for plan in plans.all {
                let value = plan.member(among: locals)
                var arguments: [Code.Argument] = [
                    .init(plan.isOptional ? "optional" : nil, .text(value)), .init(nil, .text(plan.literal)),
                ]
                if plan.isTracked { arguments.append(.init(nil, .text("unknownFields"))) }
                code.code("try ", .call("fields.write", arguments))
            }
            code.line("fields.write(unknownFields)")
        }
    }
}
