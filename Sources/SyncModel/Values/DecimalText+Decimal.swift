package import Foundation

extension DecimalText {
    /// The value of a text; nil if it is not a decimal number, or has more digits than `Decimal` can hold.
    package static func decimal(text: String) -> Decimal? {
        guard let canonical = canonical(text) else { return nil }
        var digits: [UInt8] = []
        var exponent = 0
        var isNegative = false
        var isFraction = false
        for byte in canonical.utf8 {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            default:
                if !digits.isEmpty || byte != 0x30 { digits.append(byte - 0x30) }
                if isFraction { exponent -= 1 }
            }
        }
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { return Decimal() }
        // 38 digits are two numbers of 19 digits, each of which fits a machine word.
        let significand =
            number(digits: digits.dropLast(19)) * tenToThe19th + number(digits: digits.suffix(19))
        return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    }

    private static let tenToThe19th = Decimal(10_000_000_000_000_000_000 as UInt64)

    private static func number(digits: ArraySlice<UInt8>) -> Decimal {
        Decimal(digits.reduce(0 as UInt64) { $0 * 10 + UInt64($1) })
    }
}
