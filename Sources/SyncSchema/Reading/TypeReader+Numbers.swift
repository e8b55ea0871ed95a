extension TypeReader {
    /// Reads an integer type. Exclusive and fractional bounds are rounded to the nearest integer inside.
    func integer(keywords: Keywords) -> SchemaType? {
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
        return .integer(minimum: minimum, maximum: maximum)
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
        return .number(minimum: minimum, maximum: maximum)
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
