/// A JSON number with all its digits. A double would take 1.000000000000000005 for 1.
package struct ExactNumber {
    private let isNegative: Bool
    /// The digits without leading and trailing zeros; empty for 0.
    private let digits: ArraySlice<UInt8>
    /// The power of ten by which the digits, read as an integer, are multiplied.
    private let exponent: Int

    /// Reads the text of a JSON number.
    package init(_ text: String) {
        isNegative = text.utf8.first == UInt8(ascii: "-")
        let parts = Array(text.utf8).split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
        let mantissa = (parts.first ?? []).filter { $0 != UInt8(ascii: "-") }
        let point = mantissa.firstIndex(of: UInt8(ascii: "."))
        var digits = mantissa.filter { $0 != UInt8(ascii: ".") }[...]
        var exponent = point.map { $0 + 1 - mantissa.count } ?? 0
        digits = digits.drop { $0 == 0x30 }
        while digits.last == 0x30 {
            digits = digits.dropLast()
            exponent += 1
        }
        if parts.count == 2 {
            // An exponent with so many digits is out of every range.
            let limit = parts[1].first == UInt8(ascii: "-") ? Int(Int32.min) : Int(Int32.max)
            exponent += Int(Int32(String(decoding: parts[1], as: UTF8.self)) ?? Int32(limit))
        }
        self.digits = digits
        self.exponent = exponent
    }

    package var isZero: Bool { digits.isEmpty }

    /// Whether there are non-zero digits after the point.
    package var isFractional: Bool { !isZero && exponent < 0 }

    /// The number as a 64-bit integer, if it is one.
    package var integer: Int64? {
        guard !isZero else { return 0 }
        guard (0...18).contains(exponent) else { return nil }
        return Self.integer(digits: digits + repeatElement(0x30, count: exponent), isNegative: isNegative)
    }

    /// The nearest 64-bit integer in a direction: up or down; nil if there is none.
    package func rounded(up isUp: Bool) -> Int64? {
        guard isFractional else { return integer }
        let whole = digits.dropLast(min(digits.count, -exponent))
        guard let inner = Self.integer(digits: whole.isEmpty ? [0x30] : whole, isNegative: isNegative) else {
            return nil
        }
        guard isUp != isNegative else { return inner }
        let (bound, overflow) = inner.addingReportingOverflow(isUp ? 1 : -1)
        return overflow ? nil : bound
    }

    private static func integer(digits: ArraySlice<UInt8>, isNegative: Bool) -> Int64? {
        Int64((isNegative ? "-" : "") + String(decoding: digits, as: UTF8.self))
    }
}
