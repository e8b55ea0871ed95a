import SyncSchema

/// The documentation of a property, in addition to the schema's description.
struct FieldNotes {
    let plan: FieldPlan

    /// Paragraphs: the description, then the constraints in one line; none where the schema says nothing.
    var paragraphs: [String] { [summary, notes.joined(separator: " ")].filter { !$0.isEmpty } }

    /// The description; empty if there is none.
    var summary: String {
        plan.property.summary.isEmpty ? "" : FieldNotes.sentence(text: plan.property.summary)
    }

    /// The text with a full stop, unless it ends in punctuation.
    static func sentence(text: String) -> String {
        guard let last = text.last(where: { !$0.isWhitespace }) else { return text }
        return last.isPunctuation || last.isSymbol ? text : text + "."
    }

    private var notes: [String] {
        var notes: [String] = []
        if plan.property.hasUniqueItems { notes.append("An element counts once, and the order is kept.") }
        notes += constraint(type: plan.property.type)
        if plan.isFilled { notes.append("Nil until the record is written for the first time.") }
        if plan.property.isLocalOnly { notes.append("Stays on this device.") }
        return notes
    }

    private func constraint(type: SchemaType) -> [String] {
        switch type {
        case .string(let minLength, let maxLength, _, let maxBytes):
            range(low: minLength, high: maxLength, unit: "character")
                + range(low: nil as Int?, high: maxBytes, unit: "byte")
        case .uri(let maxLength): range(low: nil as Int?, high: maxLength, unit: "character")
        case .integer(let minimum, let maximum): range(low: minimum, high: maximum, unit: nil)
        case .number(let minimum, let maximum): range(low: minimum, high: maximum, unit: nil)
        case .array(_, let isSet, let minItems, let maxItems):
            (isSet ? ["A set: order has no meaning, and an element counts once."] : [])
                + range(low: minItems, high: maxItems, unit: "element")
        default: []
        }
    }

    private func range<Bound: CustomStringConvertible>(low: Bound?, high: Bound?, unit: String?)
        -> [String]
    {
        let count = (high ?? low)?.description
        let tail = unit.map { count == "1" ? " \($0)." : " \($0)s." } ?? "."
        switch (low, high) {
        case (nil, nil): return []
        case (let low?, nil): return ["At least \(low)\(tail)"]
        case (nil, let high?): return ["At most \(high)\(tail)"]
        case (let low?, let high?): return ["From \(low) to \(high)\(tail)"]
        }
    }
}
