extension TypeReader {
    /// An integer with its bounds; exclusive and fractional bounds become the nearest integer inside.
    func integer(_ keywords: Keywords) -> SchemaType? {
        let minimum = tightest(
            integerBound(keywords, "minimum", up: true),
            integerBound(keywords, "exclusiveMinimum", up: true, step: 1),
            max
        )
        let maximum = tightest(
            integerBound(keywords, "maximum", up: false),
            integerBound(keywords, "exclusiveMaximum", up: false, step: -1),
            min
        )
        if let minimum, let maximum, minimum > maximum { reportEmpty(keywords) }
        return .integer(minimum: minimum, maximum: maximum)
    }

    /// A number with its bounds; an exclusive bound becomes the next double inside.
    func number(_ keywords: Keywords) -> SchemaType? {
        let minimum = tightest(
            keywords["minimum"]?.double,
            keywords["exclusiveMinimum"]?.double.map(\.nextUp),
            max
        )
        let maximum = tightest(
            keywords["maximum"]?.double,
            keywords["exclusiveMaximum"]?.double.map(\.nextDown),
            min
        )
        if let minimum, let maximum, minimum > maximum { reportEmpty(keywords) }
        return .number(minimum: minimum, maximum: maximum)
    }

    private func tightest<Bound>(_ first: Bound?, _ second: Bound?, _ choose: (Bound, Bound) -> Bound)
        -> Bound?
    {
        guard let first, let second else { return first ?? second }
        return choose(first, second)
    }

    private func integerBound(
        _ keywords: Keywords,
        _ name: String,
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
        problems.add(.badBound(name), at: node.position)
        return nil
    }

    private func reportEmpty(_ keywords: Keywords) {
        let least = keywords["minimum"] != nil ? "minimum" : "exclusiveMinimum"
        let greatest = keywords["maximum"] != nil ? "maximum" : "exclusiveMaximum"
        problems.add(.emptyRange(least, greatest), at: keywords[greatest]?.position ?? keywords.position)
    }
}
