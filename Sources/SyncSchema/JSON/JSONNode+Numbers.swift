extension JSONNode {
    /// The number as a double, infinite on overflow; nil for any other value.
    var double: Double? {
        if case .number(let text) = value { Double(text) } else { nil }
    }

    /// The number as a 64-bit integer if it is whole, even if written `1.0` or `1e2`.
    var integer: Int64? { exact?.integer }

    /// The number with all its digits; nil for any other value.
    var exact: ExactNumber? {
        if case .number(let text) = value { ExactNumber(text) } else { nil }
    }
}
