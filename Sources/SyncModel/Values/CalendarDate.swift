/// A date without time or zone, `yyyy-mm-dd`, in the proleptic Gregorian calendar, years 0001 to 9999.
public struct CalendarDate: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The year, 1 to 9999.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, 1 to 31.
    public let day: Int

    /// Validates the parts; nil if there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.days(inMonth: month, year: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Reads `yyyy-mm-dd`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        var copy = String(text)
        guard let date = copy.withUTF8({ CalendarDate(bytes: $0) }) else { return nil }
        self = date
    }

    /// `yyyy-mm-dd`.
    public var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    public static func < (left: CalendarDate, right: CalendarDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let date = CalendarDate(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "Expected a date, yyyy-mm-dd."
            )
        }
        self = date
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    private static func days(inMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CalendarDate {
    package init?(bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = bytes.number(start: 0, count: 4), let month = bytes.number(start: 5, count: 2),
            let day = bytes.number(start: 8, count: 2)
        else { return nil }
        self.init(year: Int(year), month: Int(month), day: Int(day))
    }

    /// Days since 1970-01-01, by Howard Hinnant's `days_from_civil`
    /// (https://howardhinnant.github.io/date_algorithms.html).
    package var daysSince1970: Int64 {
        let shifted = Int64(month <= 2 ? year - 1 : year)
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date so many days after 1970-01-01. The caller ensures the range of years.
    package init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.flooredQuotientAndRemainder(divisor: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    package func append(to text: inout [UInt8]) {
        text.appendPadded(Int64(year), width: 4)
        text.append(UInt8(ascii: "-"))
        text.appendPadded(Int64(month), width: 2)
        text.append(UInt8(ascii: "-"))
        text.appendPadded(Int64(day), width: 2)
    }
}

extension Int64 {
    /// Division that rounds down, so that instants before 1970 split into whole seconds and a positive rest.
    package func flooredQuotientAndRemainder(divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Reads exactly `count` decimal digits.
    package func number(start: Int, count: Int) -> Int64? {
        guard start + count <= self.count else { return nil }
        var value: Int64 = 0
        for index in start..<(start + count) {
            let digit = self[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        return value
    }
}
