import SyncSchema

/// Expressions that turn a model's value into the DTO's and back.
struct WireMapping {
    /// The entity's type, in which nested types lie.
    let entity: String

    /// The DTO's value of a field of `model`.
    func toWire(_ plan: FieldPlan) -> String {
        let name = plan.property.name
        return map(plan.property.type, "model.\(name)", isOptional: plan.isOptional, plan, Direction.toWire)
            .code
    }

    /// The model's value of a field of `dto`.
    func toModel(_ plan: FieldPlan) -> String {
        let name = plan.property.name
        let isOptional = plan.isOptionalOnWire
        return map(plan.property.type, "dto.\(name)", isOptional: isOptional, plan, Direction.toModel).code
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
        _ type: SchemaType,
        _ value: String,
        isOptional: Bool,
        _ plan: FieldPlan,
        _ direction: Direction
    ) -> Expression {
        if case .array(let item, let isSet, _, _) = type {
            return array(item, isSet, value, isOptional: isOptional, plan, direction)
        }
        guard let convert = conversion(type, plan, direction) else { return Expression(bare: value) }
        if isOptional {
            let inner = convert("$0")
            return Expression(bare: "\(value).map { \(inner.code) }", isThrowing: inner.isThrowing)
        }
        return convert(value)
    }

    private func array(
        _ item: Property,
        _ isSet: Bool,
        _ value: String,
        isOptional: Bool,
        _ plan: FieldPlan,
        _ direction: Direction
    ) -> Expression {
        let dot = isOptional ? "?." : "."
        var result = Expression(bare: value)
        var isChained = false
        if isSet, direction == .toWire {
            result = Expression(bare: "\(value)\(dot)canonicalSet()", isThrowing: true)
            isChained = true
        }
        let inner = map(item.type, "$0", isOptional: item.isNullable, plan, direction)
        guard inner.bare != "$0" else { return result }
        result.bare += "\(isChained ? "." : dot)map { \(inner.code) }"
        result.isThrowing = result.isThrowing || inner.isThrowing
        return result
    }

    /// How a value that is no list is converted; nil when it stays as it is.
    private func conversion(_ type: SchemaType, _ plan: FieldPlan, _ direction: Direction) -> (
        (String) -> Expression
    )? {
        let model = ModelType(entity: entity).name(type)
        switch (type, direction) {
        case (.enumeration, .toWire): return { Expression(bare: "\($0).rawValue") }
        case (.enumeration, .toModel): return { Expression(bare: "\(model)(rawValue: \($0))") }
        case (.object, .toWire):
            let wire = WireType(entity: entity).name(type)
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
