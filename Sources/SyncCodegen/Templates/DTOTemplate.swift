import SyncSchema

/// The wire form of an entity or nested object: the properties of a DTO, and how it is read from and written to a
/// row.
struct DTOTemplate {
    func write(
        type: String,
        conforming protocols: [String],
        model: String,
        summary: String,
        plans: FieldPlans,
        to code: inout CodeWriter
    ) {
        code.document(paragraphs: [summary])
        let conformances = (protocols + ["Codable", "Hashable", "Sendable"]).joined(separator: ", ")
        code.block(head: "public nonisolated struct \(type): \(conformances)") { code in
            for plan in plans.onWire {
                let format = WireType.format(plan.property.type).map { ", \($0)" } ?? ""
                code.document(paragraphs: ["`\(pointer(property: plan.property))` on the wire\(format)."])
                code.line(text: "public var \(plan.name): \(plan.wireType)")
            }
            code.document(paragraphs: ["Members that the schema does not know."])
            code.line(text: "public var unknownFields: \(Runtime.unknownFields)")
            code.line()
            code.document(paragraphs: ["The model that this is the wire shape of."])
            code.line(text: "public typealias \(Runtime.modelType) = \(model)")
            code.line()
            code.document(paragraphs: ["Reads and writes the wire object, as sync does."])
            code.line(
                text: "public static let codec = \(Runtime.fieldCodec)(wire: \(model).fields)"
            )
            code.line()
            FieldGroupTemplate(plans: plans).writeWireMapping(to: &code)
        }
    }

    /// The wire name, or a JSON pointer if the value is nested or the name starts with a slash.
    private func pointer(property: Property) -> String {
        let path = property.wirePath
        if path.count == 1, path[0].utf8.first != UInt8(ascii: "/") { return path[0] }
        return path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}
