import SyncSchema

/// Expressions that turn a model's value into the DTO's and back.
struct WireMapping {
    /// The entity's type, in which nested types lie.
    let entity: String

    /// The DTO's value of a field of `model`.
    func toWire(plan: FieldPlan) -> String {
        let name = plan.property.name
        return map(
            type: plan.property.type,
            value: "model.\(name)",
            isOptional: plan.isOptional,
            plan: plan,
            direction: Direction.toWire
        )
        .code
    }

    /// The model's value of a field of `dto`.
    func toModel(plan: FieldPlan) -> String {
        let name = plan.property.name
        let isOptional = plan.isOptionalOnWire
        return map(
            type: plan.property.type,
            value: "dto.\(name)",
            isOptional: isOptional,
            plan: plan,
            direction: Direction.toModel
        ).code
    }

    private enum Direction {
        case toWire, toModel
    }

    /// An expression and whether it can throw.
    private struct Expression {
        var bare: String
        var isThrowing = false
        var code: String { isThrowing ? "try \(bare)" : bare }
    }

    private func map(
        type: SchemaType,
        value: String,
        isOptional: Bool,
        plan: FieldPlan,
        direction: Direction
    ) -> Expression {
        if case .array(let item, let isSet, _, _) = type {
            return array(
                item: item,
                isSet: isSet,
                value: value,
                isOptional: isOptional,
                plan: plan,
                direction: direction
            )
        }
        guard let convert = conversion(type: type, plan: plan, direction: direction) else {
            return Expression(bare: value)
        }
        if isOptional {
            let inner = convert("$0")
            return Expression(bare: "\(value).map { \(inner.code) }", isThrowing: inner.isThrowing)
        }
        return convert(value)
    }

    private func array(
        item: Property,
        isSet: Bool,
        value: String,
        isOptional: Bool,
        plan: FieldPlan,
        direction: Direction
    ) -> Expression {
        let dot = isOptional ? "?." : "."
        var result = Expression(bare: value)
        var isChained = false
        if isSet, direction == .toWire {
            result = Expression(bare: "\(value)\(dot)canonicalSet()", isThrowing: true)
            isChained = true
        }
        let inner = map(
            type: item.type,
            value: "$0",
            isOptional: item.isNullable,
            plan: plan,
            direction: direction
        )
        guard inner.bare != "$0" else { return result }
        result.bare += "\(isChained ? "." : dot)map { \(inner.code) }"
        result.isThrowing = result.isThrowing || inner.isThrowing
        return result
    }

    /// How a value that is no list is converted; nil when it stays as it is.
    private func conversion(type: SchemaType, plan: FieldPlan, direction: Direction) -> (
        (String) -> Expression
    )? {
        let model = ModelType(entity: entity).name(type: type)
        switch (type, direction) {
        case (.enumeration, .toWire): return { Expression(bare: "\($0).rawValue") }
        case (.enumeration, .toModel): return { Expression(bare: "\(model)(rawValue: \($0))") }
        case (.object, .toWire):
            let wire = WireType(entity: entity).name(type: type)
            return { Expression(bare: "\(wire)(\($0))", isThrowing: true) }
        case (.object, .toModel): return { Expression(bare: "\(model)(\($0))", isThrowing: true) }
        case (_, .toWire) where type.isWireText:
            return { Expression(bare: "\($0).wireText(field: \(plan.literal))", isThrowing: true) }
        case (_, .toModel) where type.isWireText:
            return { Expression(bare: "\(model)(wireText: \($0), field: \(plan.literal))", isThrowing: true) }
        default: return nil
        }
    }
}
