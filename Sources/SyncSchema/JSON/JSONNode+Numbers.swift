extension JSONNode {
    /// The number as a double, or nil; infinite when it is too great for one.
    var double: Double? {
        if case .number(let text) = value { Double(text) } else { nil }
    }

    /// The number if it is a whole one of 64 bits, also when it is written `1.0` or `1e2`.
    var integer: Int64? { exact?.integer }

    /// The number with all its digits; nil for any other value.
    var exact: ExactNumber? {
        if case .number(let text) = value { ExactNumber(text) } else { nil }
    }
}
