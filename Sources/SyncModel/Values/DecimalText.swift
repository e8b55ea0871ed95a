/// Exact decimal numbers as text: an optional minus, digits, and an optional fraction. No exponent, never a Double.
///
/// The limit is that of Foundation's `Decimal`: 38 significant digits, and at most 127 digits after the point.
public enum DecimalText {
    /// The number of significant digits that `Decimal` holds exactly.
    public static let maxSignificantDigits = 38
    /// The number of digits after the point that `Decimal` can hold.
    public static let maxFractionDigits = 127

    /// The canonical spelling of a number: no leading or trailing zeros, no `-0`. Nil for text that is not a decimal
    /// number, or has more digits than `Decimal` can hold.
    public static func canonical(_ text: some StringProtocol) -> String? {
        var copy = String(text)
        return copy.withUTF8 { canonical(bytes: $0) }
    }

    package static func canonical(bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard let parts = Parts(bytes) else { return nil }
        guard parts.significantDigits <= maxSignificantDigits, parts.fraction.count <= maxFractionDigits
        else {
            return nil
        }
        return parts.text
    }

    /// Compares two canonical numbers by value.
    public static func isLess(left: String, right: String) -> Bool {
        var (left, right) = (left, right)
        guard let left = left.withUTF8({ Parts($0) }), let right = right.withUTF8({ Parts($0) }) else {
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        }
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.magnitudeIsLess(than: left) : left.magnitudeIsLess(than: right)
    }

    /// A number split into sign, whole digits without leading zeros, and fraction digits without trailing zeros.
    private struct Parts {
        var isNegative = false
        var whole: ArraySlice<UInt8> = []
        var fraction: ArraySlice<UInt8> = []

        init?(_ bytes: UnsafeBufferPointer<UInt8>) {
            var rest = Array(bytes)[...]
            if rest.first == UInt8(ascii: "-") {
                isNegative = true
                rest = rest.dropFirst()
            }
            whole = rest.prefix { $0 &- 0x30 < 10 }
            guard !whole.isEmpty else { return nil }
            rest = rest.dropFirst(whole.count)
            if !rest.isEmpty {
                guard rest.first == UInt8(ascii: ".") else { return nil }
                fraction = rest.dropFirst()
                guard !fraction.isEmpty, fraction.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
            }
            whole = whole.drop { $0 == 0x30 }
            while fraction.last == 0x30 { fraction = fraction.dropLast() }
            if whole.isEmpty, fraction.isEmpty { isNegative = false }
        }

        var significantDigits: Int {
            if fraction.isEmpty {
                var digits = whole
                while digits.last == 0x30 { digits = digits.dropLast() }
                return max(digits.count, whole.count > 128 ? whole.count : 0)
            }
            return whole.isEmpty ? fraction.drop { $0 == 0x30 }.count : whole.count + fraction.count
        }

        var text: String {
            var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
            text += whole.isEmpty ? [0x30] : Array(whole)
            if !fraction.isEmpty {
                text.append(UInt8(ascii: "."))
                text += fraction
            }
            return String(decoding: text, as: UTF8.self)
        }

        func magnitudeIsLess(than other: Parts) -> Bool {
            if whole.count != other.whole.count { return whole.count < other.whole.count }
            if !whole.elementsEqual(other.whole) { return whole.lexicographicallyPrecedes(other.whole) }
            return fraction.lexicographicallyPrecedes(other.fraction)
        }
    }
}
