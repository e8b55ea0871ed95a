extension TypeReader {
    /// Reads an integer type from its enum or its bounds. Exclusive and fractional bounds are rounded to the nearest
    /// integer inside.
    func integer(keywords: Keywords, hint: NameHint) -> SchemaType? {
        if keywords.mentions(name: "enum") {
            let bounds = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
            return enumeration(keywords: keywords, hint: hint, isInteger: true, bounds: bounds)
        }
        let minimum = tightest(
            first: integerBound(keywords: keywords, name: "minimum", up: true),
            second: integerBound(keywords: keywords, name: "exclusiveMinimum", up: true, step: 1),
            choose: max
        )
        let maximum = tightest(
            first: integerBound(keywords: keywords, name: "maximum", up: false),
            second: integerBound(keywords: keywords, name: "exclusiveMaximum", up: false, step: -1),
            choose: min
        )
        if let minimum, let maximum, minimum > maximum { reportEmpty(keywords) }
        let width: ClosedRange<Int64>? =
            keywords.string("format") == "int32" ? Int64(Int32.min)...Int64(Int32.max) : nil
        let constant = constant(keywords, expected: "an integer", value: \.integer)
        return .integer(
            minimum: constant ?? tightest(first: minimum, second: width?.lowerBound, choose: max),
            maximum: constant ?? tightest(first: maximum, second: width?.upperBound, choose: min)
        )
    }

    /// Reads a number type. An exclusive bound becomes the next double inside.
    func number(keywords: Keywords) -> SchemaType? {
        let minimum = tightest(
            first: keywords["minimum"]?.double,
            second: keywords["exclusiveMinimum"]?.double.map(\.nextUp),
            choose: max
        )
        let maximum = tightest(
            first: keywords["maximum"]?.double,
            second: keywords["exclusiveMaximum"]?.double.map(\.nextDown),
            choose: min
        )
        if let minimum, let maximum, minimum > maximum { reportEmpty(keywords) }
        let constant = constant(keywords, expected: "a number", value: \.double)
        return .number(minimum: constant ?? minimum, maximum: constant ?? maximum)
    }

    /// The value of `const`: both bounds at once. Nil after reporting a value of another type.
    private func constant<Value>(
        _ keywords: Keywords,
        expected: String,
        value: (JSONNode) -> Value?
    ) -> Value? {
        guard let node = keywords["const"] else { return nil }
        if let value = value(node) { return value }
        diagnostics.add(
            .keywordType(name: "const", expected: expected, found: node.kindName),
            at: node.position
        )
        return nil
    }

    private func tightest<Bound>(first: Bound?, second: Bound?, choose: (Bound, Bound) -> Bound)
        -> Bound?
    {
        guard let first, let second else { return first ?? second }
        return choose(first, second)
    }

    private func integerBound(
        keywords: Keywords,
        name: String,
        up isUp: Bool,
        step: Int64 = 0
    ) -> Int64? {
        guard let node = keywords[name] else { return nil }
        if let whole = node.integer {
            let (bound, overflow) = whole.addingReportingOverflow(step)
            if !overflow { return bound }
        } else if let bound = node.exact?.rounded(up: isUp) {
            return bound
        }
        diagnostics.add(.badBound(name: name), at: node.position)
        return nil
    }

    private func reportEmpty(_ keywords: Keywords) {
        let least = keywords["minimum"] != nil ? "minimum" : "exclusiveMinimum"
        let greatest = keywords["maximum"] != nil ? "maximum" : "exclusiveMaximum"
        diagnostics.add(
            .emptyRange(least, greatest: greatest),
            at: keywords[greatest]?.position ?? keywords.position
        )
    }
}
