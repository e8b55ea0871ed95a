import SyncSchema

/// The wire shape of an entity or nested object, and the mappers both ways.
struct DTOTemplate {
    /// The entity's type.
    let entity: String

    func write(type: String, model: String, summary: String, _ plans: FieldPlans, to code: inout CodeWriter) {
        let fields = plans.onWire
        code.document([summary])
        code.block("public nonisolated struct \(type): Codable, Hashable, Sendable") { code in
            for plan in fields {
                let format = WireType.format(plan.property.type).map { ", \($0)" } ?? ""
                code.document(["`\(pointer(plan.property))` on the wire\(format)."])
                code.line("public var \(plan.name): \(plan.wireType)")
            }
            code.document(["Members that the schema does not know."])
            code.line("public var unknownFields: \(Runtime.unknownFields)")
            code.line()
            writeKeys(fields, to: &code)
            code.line()
            writeToWire(model, fields, to: &code)
            code.line()
            writeDecoding(fields, to: &code)
            code.line()
            writeEncoding(fields, to: &code)
        }
    }

    private func writeKeys(_ fields: [FieldPlan], to code: inout CodeWriter) {
        code.block("private enum CodingKeys: String, CodingKey, CaseIterable") { code in
            for plan in fields {
                let name = pointer(plan.property)
                code.line(
                    "case \(plan.name)" + (name == plan.property.name ? "" : " = \(Swift.string(name))")
                )
            }
        }
    }

    private func writeToWire(_ model: String, _ fields: [FieldPlan], to code: inout CodeWriter) {
        let locals: Set<String> = ["model"]
        let mapping = WireMapping(entity: entity)
        code.document(["Maps a model. Throws `FieldProblem` when a value has no wire form."])
        code.block("public init(_ model: \(model)) throws") { code in
            for plan in fields {
                let name = plan.member(among: locals)
                if plan.isTracked, !plan.isOptional {
                    code.block("if !model.unknownFields.isAbsent(\(plan.literal))") { code in
                        code.assign(name, mapping.toWire(plan))
                    }
                } else {
                    code.assign(name, mapping.toWire(plan))
                }
            }
            code.line("unknownFields = model.unknownFields")
        }
    }

    private func writeDecoding(_ fields: [FieldPlan], to code: inout CodeWriter) {
        let locals: Set<String> = ["wire", "decoder"]
        code.document(["Reads the wire object. Throws `DecodingError`."])
        code.block("public init(from decoder: any Decoder) throws") { code in
            code.line("let wire = try \(Runtime.wireDecoder)(decoder, CodingKeys.self)")
            for plan in fields {
                let access = plan.isOptionalOnWire ? "optional" : "value"
                code.assign(plan.member(among: locals), "try wire.\(access)(.\(plan.property.name))")
            }
            let tracked = fields.filter(\.isTracked).map {
                Code.text("\($0.literal): .\($0.property.name)")
            }
            let arguments: [Code.Argument] = tracked.isEmpty ? [] : [.init("tracking", .list(tracked))]
            code.code("unknownFields = try ", .call("wire.unknownFields", arguments))
        }
    }

    private func writeEncoding(_ fields: [FieldPlan], to code: inout CodeWriter) {
        let locals: Set<String> = ["wire", "encoder"]
        code.document(["Writes the wire object. Throws `EncodingError`."])
        code.block("public func encode(to encoder: any Encoder) throws") { code in
            code.line("var wire = \(Runtime.wireEncoder)(encoder, CodingKeys.self)")
            for plan in fields {
                let value = plan.member(among: locals)
                let key = ".\(plan.property.name)"
                let isNullable = plan.isOptionalOnWire && plan.property.isNullable
                var arguments: [Code.Argument] = [
                    .init(isNullable ? "nullable" : nil, .text(value)), .init(nil, .text(key)),
                ]
                if isNullable, plan.isTracked {
                    arguments.append(.init("isAbsent", .text("unknownFields.isAbsent(\(plan.literal))")))
                }
                let isLeftOut = plan.isOptionalOnWire && !plan.property.isNullable
                code.code("try wire.", .call(isLeftOut ? "encodeIfPresent" : "encode", arguments))
            }
            code.line("try wire.encode(unknownFields)")
        }
    }

    /// Writes the mapper from the DTO to the model.
    func writeToModel(type: String, model: String, _ plans: FieldPlans, to code: inout CodeWriter) {
        let locals: Set<String> = ["dto"]
        let mapping = WireMapping(entity: entity)
        code.block("nonisolated extension \(model)") { code in
            code.document(["Maps a wire object. Throws `FieldProblem` when a text does not fit its field."])
            code.block("public init(_ dto: \(type)) throws") { code in
                for plan in plans.all {
                    let name = plan.member(among: locals)
                    if plan.property.isLocalOnly {
                        code.code("\(name) = ", plan.initialValue ?? .text("nil"))
                    } else {
                        let hasFallback = plan.isOptionalOnWire && !plan.isOptional
                        code.assign(
                            name,
                            mapping.toModel(plan),
                            fallback: hasFallback ? plan.initialValue : nil
                        )
                    }
                }
                code.line("unknownFields = dto.unknownFields")
            }
        }
    }

    /// The wire name, or a JSON pointer where the value lies deeper or the name begins with a slash.
    private func pointer(_ property: Property) -> String {
        let path = property.wirePath
        if path.count == 1, path[0].utf8.first != UInt8(ascii: "/") { return path[0] }
        return path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}
