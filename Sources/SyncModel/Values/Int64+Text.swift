extension Int64 {
    /// Reads decimal digits after an optional minus; nil for anything else, and for overflow.
    package init?(decimal bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = isNegative ? bytes.dropFirst() : bytes
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0  // kept negative, as the negative range is one wider
        for byte in digits {
            guard byte &- 0x30 < 10 else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.subtractingReportingOverflow(Int64(byte - 0x30))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        if isNegative {
            self = value
        } else {
            guard value != .min else { return nil }
            self = -value
        }
    }
}

extension [UInt8] {
    /// Appends an integer in decimal.
    package mutating func append(decimal value: Int64) {
        var magnitude = value.magnitude
        if value < 0 { append(UInt8(ascii: "-")) }
        var digits = 1
        var rest = magnitude / 10
        while rest > 0 {
            digits += 1
            rest /= 10
        }
        append(contentsOf: repeatElement(0x30, count: digits))
        var index = count - 1
        while magnitude > 0 {
            self[index] = UInt8(truncatingIfNeeded: 0x30 + magnitude % 10)
            magnitude /= 10
            index -= 1
        }
    }

    /// Appends a non-negative integer, padded with zeros to a width.
    package mutating func appendPadded(_ value: Int64, width: Int) {
        var (limit, zeros) = (10 as Int64, width - 1)
        while zeros > 0, value >= limit {
            limit *= 10
            zeros -= 1
        }
        append(contentsOf: repeatElement(0x30, count: Swift.max(0, zeros)))
        append(decimal: value)
    }
}
