extension JSONNode {
    /// The number as a double, or nil; infinite when it is too great for one.
    var double: Double? {
        if case .number(let text) = value { Double(text) } else { nil }
    }

    /// The number if it is a whole one of 64 bits, also when it is written `1.0` or `1e2`.
    var integer: Int64? {
        guard case .number(let text) = value else { return nil }
        return Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    }

    /// Whether the value is a number with digits behind the point that count.
    var isFractional: Bool {
        guard integer == nil, let double, double.isFinite else { return false }
        return double.rounded() != double
    }
}
