import SyncSchema

/// The common parts of models and nested objects: properties, memberwise initialiser, and row mapping.
struct FieldGroupTemplate {
    let plans: FieldPlans
    /// Whether the group is an entity, whose properties note what they were when the record was read.
    var isEntity = false

    func writeProperties(to code: inout CodeWriter) {
        for plan in plans.all {
            code.document(paragraphs: FieldNotes(plan: plan).paragraphs)
            let declaration = "public var \(plan.name): \(plan.modelType)"
            guard let note = observer(of: plan) else {
                code.line(text: declaration)
                continue
            }
            code.block(head: declaration) { $0.shortBlock(head: "didSet", body: note) }
        }
        code.document(paragraphs: [
            plans.all.isEmpty
                ? "The members as JSON, by name: the object is free in form."
                : "What the record holds beside these fields, for example fields of a newer version of the app."
        ])
        code.line(text: "public var unknownFields = \(Runtime.unknownFields)()")
    }

    /// What notes each change of a property; nil if nothing does.
    private func observer(of plan: FieldPlan) -> String? {
        let value = plan.member(among: ["oldValue"])
        if isEntity {
            return "unknownFields.noteChange(of: \(plan.literal), from: oldValue, to: \(value))"
        }
        return plan.isTracked
            ? "if \(value) != oldValue { unknownFields.markPresent(\(plan.literal)) }" : nil
    }

    func writeInitialiser(_ summary: String, to code: inout CodeWriter) {
        let omissible = isEntity ? plans.all.filter(\.isOmissible) : []
        let names = Set(omissible.map(\.property.name))
        code.document(paragraphs: [summary])
        if plans.all.isEmpty { return writeFreeInitialiser(to: &code) }
        let parameters = plans.all.map { plan in
            names.contains(plan.property.name) ? plan.omissibleParameter : plan.parameter
        }
        code.function(head: "public init", parameters: parameters) { code in
            for plan in plans.all {
                let property = "self.\(plan.property.name)"
                if names.contains(plan.property.name), let value = plan.initialValue {
                    code.assign(name: property, value: plan.name, orElse: value)
                } else {
                    code.line(text: "\(property) = \(plan.name)")
                }
            }
            for plan in omissible {
                code.line(text: "unknownFields.omit(\(plan.literal), if: \(plan.name) == nil)")
            }
        }
    }

    /// The initialiser of an object that is free in form.
    private func writeFreeInitialiser(to code: inout CodeWriter) {
        let type = Runtime.unknownFields
        code.block(head: "public init(unknownFields: \(type) = \(type)())") {
            $0.line(text: "self.unknownFields = unknownFields")
        }
    }

    /// `==` and `hash` where Swift's own would compare the order of sets.
    func writeEquality(of type: String, to code: inout CodeWriter) {
        guard plans.all.contains(where: { $0.property.type.isSet }) else { return }
        func set(_ plan: FieldPlan, _ value: String) -> String {
            plan.isOptional ? "\(value).map(Set.init)" : "Set(\(value))"
        }
        code.line()
        code.document(paragraphs: ["Whether two look the same: the order of a set has no meaning."])
        code.block(head: "public static func == (left: \(type), right: \(type)) -> Bool") { code in
            for plan in plans.all {
                let name = plan.property.name
                let (left, right) = ("left.\(name)", "right.\(name)")
                var pairs = [(left: left, right: right)]
                // Lists are compared first, which is faster: records that were read have them in one order.
                if plan.property.type.isSet { pairs.append((set(plan, left), set(plan, right))) }
                code.returnFalse(where: pairs)
            }
            code.line(text: "return left.unknownFields == right.unknownFields")
        }
        code.line()
        code.document(paragraphs: ["Hashes what `==` compares."])
        code.block(head: "public func hash(into hasher: inout Hasher)") { code in
            for plan in plans.all {
                let value = plan.member(among: ["hasher"])
                code.line(text: "hasher.combine(\(plan.property.type.isSet ? set(plan, value) : value))")
            }
            code.line(text: "hasher.combine(unknownFields)")
        }
    }

    /// How a model is read from and written to a row.
    func writeRowMapping(to code: inout CodeWriter) {
        writeMapping(
            summaries: (
                read: "Takes the values of a row. Throws `FieldError` when one is missing or does not fit.",
                write: "Gives the values to a row. Throws `FieldError` when one cannot be kept."
            ),
            isIncluded: { _ in true },
            isOptional: \.isOptional,
            to: &code
        )
    }

    /// How a DTO is read from and written to a wire object's values.
    func writeWireMapping(to code: inout CodeWriter) {
        writeMapping(
            summaries: (
                read:
                    "Takes the values of a wire object. Throws `FieldError` when one is missing or does not fit.",
                write: "Gives the values to a wire object. Throws `FieldError` when one has no wire form."
            ),
            isIncluded: { !$0.property.isLocalOnly },
            isOptional: \.isOptionalOnWire,
            to: &code
        )
    }

    private func writeMapping(
        summaries: (read: String, write: String),
        isIncluded: (FieldPlan) -> Bool,
        isOptional: (FieldPlan) -> Bool,
        to code: inout CodeWriter
    ) {
        let locals: Set<String> = ["fields"]
        code.document(paragraphs: [summaries.read])
        code.block(head: "public init(_ fields: \(Runtime.fieldReader)) throws") { code in
            // The descriptor lists the fields in the same order.
            for (index, plan) in plans.all.enumerated() where isIncluded(plan) {
                let access = isOptional(plan) ? "optional" : "value"
                code.assign(name: plan.member(among: locals), value: "try fields.\(access)(at: \(index))")
            }
            code.line(text: "unknownFields = fields.unknownFields")
        }
        code.line()
        code.document(paragraphs: [summaries.write])
        code.block(head: "public func write(to fields: inout \(Runtime.fieldWriter)) throws") { code in
            for plan in plans.all where isIncluded(plan) {
                let value = plan.member(among: locals)
                var arguments: [Code.Argument] = [
                    .init(label: isOptional(plan) ? "optional" : nil, .text(value)),
                    .init(label: "name", .text(plan.literal)),
                ]
                if plan.isTracked { arguments.append(.init(label: "unknownFields", .text("unknownFields"))) }
                code.code(prefix: "try ", code: .call("fields.write", arguments))
            }
            code.line(text: "fields.write(unknownFields)")
        }
    }
}
