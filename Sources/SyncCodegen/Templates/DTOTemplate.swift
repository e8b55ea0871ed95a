import SyncSchema

/// The wire shape of an entity or nested object, and the mappers both ways.
struct DTOTemplate {
    /// The entity's type.
    let entity: String

    func write(type: String, model: String, summary: String, plans: FieldPlans, to code: inout CodeWriter) {
        let fields = plans.onWire
        code.document(paragraphs: [summary])
        code.block(head: "public nonisolated struct \(type): Codable, Hashable, Sendable") { code in
            for plan in fields {
                let format = WireType.format(plan.property.type).map { ", \($0)" } ?? ""
                code.document(paragraphs: ["`\(pointer(property: plan.property))` on the wire\(format)."])
                code.line(text: "public var \(plan.name): \(plan.wireType)")
            }
            code.document(paragraphs: ["Members that the schema does not know."])
            code.line(text: "public var unknownFields: \(Runtime.unknownFields)")
            code.line()
            writeKeys(fields, to: &code)
            code.line()
            writeToWire(model, fields: fields, to: &code)
            code.line()
            writeDecoding(fields, to: &code)
            code.line()
            writeEncoding(fields, to: &code)
        }
    }

    private func writeKeys(_ fields: [FieldPlan], to code: inout CodeWriter) {
        code.block(head: "private enum CodingKeys: String, CodingKey, CaseIterable") { code in
            for plan in fields {
                let name = pointer(property: plan.property)
                code.line(
                    text: "case \(plan.name)"
                        + (name == plan.property.name ? "" : " = \(Swift.string(name))")
                )
            }
        }
    }

    private func writeToWire(_ model: String, fields: [FieldPlan], to code: inout CodeWriter) {
        let locals: Set<String> = ["model"]
        let mapping = WireMapping(entity: entity)
        code.document(paragraphs: ["Maps a model. Throws `FieldProblem` when a value has no wire form."])
        code.block(head: "public init(_ model: \(model)) throws") { code in
            for plan in fields {
                let name = plan.member(among: locals)
                if plan.isTracked, !plan.isOptional {
                    code.block(head: "if !model.unknownFields.isAbsent(\(plan.literal))") { code in
                        code.assign(name: name, value: mapping.toWire(plan: plan))
                    }
                } else {
                    code.assign(name: name, value: mapping.toWire(plan: plan))
                }
            }
            code.line(text: "unknownFields = model.unknownFields")
        }
    }

    private func writeDecoding(_ fields: [FieldPlan], to code: inout CodeWriter) {
        let locals: Set<String> = ["wire", "decoder"]
        code.document(paragraphs: ["Reads the wire object. Throws `DecodingError`."])
        code.block(head: "public init(from decoder: any Decoder) throws") { code in
            code.line(text: "let wire = try \(Runtime.wireDecoder)(decoder: decoder, keys: CodingKeys.self)")
            for plan in fields {
                let access = plan.isOptionalOnWire ? "optional" : "value"
                code.assign(
                    name: plan.member(among: locals),
                    value: "try wire.\(access)(key: .\(plan.property.name))"
                )
            }
            let tracked = fields.filter(\.isTracked).map {
                Code.text("\($0.literal): .\($0.property.name)")
            }
            let arguments: [Code.Argument] = tracked.isEmpty ? [] : [.init(label: "tracking", .list(tracked))]
            code.code(prefix: "unknownFields = try ", code: .call("wire.unknownFields", arguments))
        }
    }

    private func writeEncoding(_ fields: [FieldPlan], to code: inout CodeWriter) {
        let locals: Set<String> = ["wire", "encoder"]
        code.document(paragraphs: ["Writes the wire object. Throws `EncodingError`."])
        code.block(head: "public func encode(to encoder: any Encoder) throws") { code in
            code.line(text: "var wire = \(Runtime.wireEncoder)(encoder: encoder, keys: CodingKeys.self)")
            for plan in fields {
                let value = plan.member(among: locals)
                let key = ".\(plan.property.name)"
                let isNullable = plan.isOptionalOnWire && plan.property.isNullable
                var arguments: [Code.Argument] = [
                    .init(label: isNullable ? "nullable" : nil, .text(value)),
                    .init(label: "key", .text(key)),
                ]
                if isNullable, plan.isTracked {
                    arguments.append(
                        .init(label: "isAbsent", .text("unknownFields.isAbsent(\(plan.literal))"))
                    )
                }
                let isLeftOut = plan.isOptionalOnWire && !plan.property.isNullable
                code.code(
                    prefix: "try wire.",
                    code: .call(isLeftOut ? "encodeIfPresent" : "encode", arguments)
                )
            }
            code.line(text: "try wire.encode(unknownFields)")
        }
    }

    /// Writes the mapper from the DTO to the model.
    func writeToModel(type: String, model: String, plans: FieldPlans, to code: inout CodeWriter) {
        let locals: Set<String> = ["dto"]
        let mapping = WireMapping(entity: entity)
        code.block(head: "nonisolated extension \(model)") { code in
            code.document(paragraphs: [
                "Maps a wire object. Throws `FieldProblem` when a text does not fit its field."
            ])
            code.block(head: "public init(_ dto: \(type)) throws") { code in
                for plan in plans.all {
                    let name = plan.member(among: locals)
                    if plan.property.isLocalOnly {
                        code.code(prefix: "\(name) = ", code: plan.initialValue ?? .text("nil"))
                    } else {
                        let hasFallback = plan.isOptionalOnWire && !plan.isOptional
                        code.assign(
                            name: name,
                            value: mapping.toModel(plan: plan),
                            fallback: hasFallback ? plan.initialValue : nil
                        )
                    }
                }
                code.line(text: "unknownFields = dto.unknownFields")
            }
        }
    }

    /// The wire name, or a JSON pointer where the value lies deeper or the name begins with a slash.
    private func pointer(property: Property) -> String {
        let path = property.wirePath
        if path.count == 1, path[0].utf8.first != UInt8(ascii: "/") { return path[0] }
        return path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}
