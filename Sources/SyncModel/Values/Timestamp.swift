public import Foundation

/// An instant in microseconds since 1970-01-01T00:00:00Z; negative before. Exact, unlike `Date`.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Microseconds since 1970.
    public var microseconds: Int64

    /// The smallest step by which one edit comes after another.
    public static let tickMicroseconds: Int64 = 1

    /// Wraps microseconds since 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The instant of a `Date`, rounded to the nearest microsecond. Where a `Date` is coarser, the millisecond that it is
    /// nearest to, if there is one: it may have been made from that.
    public init(_ date: Date) {
        // The two parts are rounded separately, because their sum would lose microseconds in a `Double`.
        let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
        let fraction = date.timeIntervalSinceReferenceDate - seconds
        let whole = Int64(seconds) + 978_307_200
        microseconds = whole * 1_000_000 + Int64((fraction * 1_000_000).rounded())
        guard date.timeIntervalSinceReferenceDate.ulp > 1e-6 else { return }
        let (milliseconds, _) = (microseconds + 500).flooredQuotientAndRemainder(divisor: 1_000)
        let rounded = Timestamp(microseconds: milliseconds * 1_000)
        if rounded.date == date { self = rounded }
    }

    /// The nearest `Date`.
    public var date: Date {
        let (seconds, fraction) = microseconds.flooredQuotientAndRemainder(divisor: 1_000_000)
        return Date(
            timeIntervalSinceReferenceDate: Double(seconds - 978_307_200) + Double(fraction) / 1_000_000
        )
    }

    /// The instant one tick later.
    public var next: Timestamp { Timestamp(microseconds: microseconds &+ Self.tickMicroseconds) }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with `Z`, and up to 6 fraction digits without trailing zeros.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(27)
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends `description`.
    package func append(to text: inout [UInt8]) {
        if Self.written.contains(self) { return appendWritten(to: &text) }
        let (seconds, fraction) = microseconds.flooredQuotientAndRemainder(divisor: 1_000_000)
        let (days, secondOfDay) = seconds.flooredQuotientAndRemainder(divisor: 86_400)
        let date = CalendarDate(daysSince1970: days)
        date.append(to: &text)
        text.append(UInt8(ascii: "T"))
        text.appendPadded(secondOfDay / 3600, width: 2)
        text.append(UInt8(ascii: ":"))
        text.appendPadded(secondOfDay / 60 % 60, width: 2)
        text.append(UInt8(ascii: ":"))
        text.appendPadded(secondOfDay % 60, width: 2)
        if fraction != 0 {
            text.append(UInt8(ascii: "."))
            text.appendPadded(fraction, width: 6)
            while text.last == UInt8(ascii: "0") { text.removeLast() }
        }
        text.append(UInt8(ascii: "Z"))
    }

    /// The same for an instant in the readable range, written in one piece.
    private func appendWritten(to text: inout [UInt8]) {
        let (seconds, fraction) = microseconds.flooredQuotientAndRemainder(divisor: 1_000_000)
        let (days, secondOfDay) = seconds.flooredQuotientAndRemainder(divisor: 86_400)
        let date = CalendarDate(daysSince1970: days)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 27) { bytes in
            bytes.initialize(repeating: UInt8(ascii: "0"))
            bytes.write(Int64(date.year), endingAt: 4)
            bytes[4] = UInt8(ascii: "-")
            bytes.write(Int64(date.month), endingAt: 7)
            bytes[7] = UInt8(ascii: "-")
            bytes.write(Int64(date.day), endingAt: 10)
            bytes[10] = UInt8(ascii: "T")
            bytes.write(secondOfDay / 3600, endingAt: 13)
            bytes[13] = UInt8(ascii: ":")
            bytes.write(secondOfDay / 60 % 60, endingAt: 16)
            bytes[16] = UInt8(ascii: ":")
            bytes.write(secondOfDay % 60, endingAt: 19)
            var end = 19
            if fraction != 0 {
                bytes[19] = UInt8(ascii: ".")
                bytes.write(fraction, endingAt: 26)
                end = 26
                while bytes[end - 1] == UInt8(ascii: "0") { end -= 1 }
            }
            bytes[end] = UInt8(ascii: "Z")
            text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[...end]))
        }
    }

    /// Reads an RFC 3339 date-time with `Z` or an offset; nil for anything else, for a year outside 0001 to 9999, and
    /// for a leap second. Fraction digits after the sixth are ignored.
    public init?(_ text: some StringProtocol) {
        var copy = String(text)
        let result = copy.withUTF8 { Timestamp(rfc3339: $0) }
        guard let result else { return nil }
        self = result
    }

    /// Reads an RFC 3339 date-time from bytes. See `init(_:)`.
    package init?(rfc3339 bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 20, let date = CalendarDate(bytes: UnsafeBufferPointer(rebasing: bytes[0..<10])),
            bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"),
            let hour = bytes.number(start: 11, count: 2), let minute = bytes.number(start: 14, count: 2),
            let second = bytes.number(start: 17, count: 2),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var position = 19
        guard let fraction = Self.fraction(bytes: bytes, position: &position),
            let offset = Self.offset(bytes: bytes, position: &position),
            position == bytes.count
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
        guard (Self.firstSecond...Self.lastSecond).contains(seconds) else { return nil }
        microseconds = seconds * 1_000_000 + fraction
    }

    private static let firstSecond: Int64 = -62_135_596_800  // 0001-01-01T00:00:00Z
    private static let lastSecond: Int64 = 253_402_300_799  // 9999-12-31T23:59:59Z

    /// The instants that can be written and read.
    package static let written =
        Timestamp(
            microseconds: firstSecond * 1_000_000
        )...Timestamp(
            microseconds: lastSecond * 1_000_000 + 999_999
        )

    private static func fraction(bytes: UnsafeBufferPointer<UInt8>, position: inout Int) -> Int64? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: ".") else { return 0 }
        position += 1
        var value: Int64 = 0
        var digits = 0
        while position < bytes.count, bytes[position] &- 0x30 < 10 {
            if digits < 6 { value = value * 10 + Int64(bytes[position] - 0x30) }
            digits += 1
            position += 1
        }
        guard digits > 0 else { return nil }
        for _ in stride(from: digits, to: 6, by: 1) { value *= 10 }
        return value
    }

    private static func offset(bytes: UnsafeBufferPointer<UInt8>, position: inout Int) -> Int64? {
        guard position < bytes.count else { return nil }
        let sign = bytes[position]
        position += 1
        if sign | 0x20 == UInt8(ascii: "z") { return 0 }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), position + 5 <= bytes.count,
            bytes[position + 2] == UInt8(ascii: ":"), let hours = bytes.number(start: position, count: 2),
            let minutes = bytes.number(start: position + 3, count: 2), hours < 24, minutes < 60
        else { return nil }
        position += 5
        let seconds = hours * 3600 + minutes * 60
        return sign == UInt8(ascii: "-") ? -seconds : seconds
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes the digits of a positive number over existing zeros.
    fileprivate func write(_ number: Int64, endingAt end: Int) {
        var (rest, place) = (number, end)
        while rest > 0 {
            place -= 1
            self[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
