import Foundation

/// The text forms of values that travel as strings, as records are held to them. Each returns the one spelling that the
/// store keeps, or nil for a text that is no such value.
enum TextForms {
    /// A UUID in small letters.
    static func uuid(text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        let isFit = bytes.indices.allSatisfy { index in
            let isHyphen = [8, 13, 18, 23].contains(index)
            return isHyphen ? bytes[index] == UInt8(ascii: "-") : isHexDigit(bytes[index])
        }
        return isFit ? text.lowercased() : nil
    }

    /// A decimal number without zeros that do not count: at most 38 digits that do, and at most 127 behind the point.
    static func decimal(text: String) -> String? {
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        let parts = rest.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isDigit) }) else { return nil }
        let whole = parts[0].drop { $0 == 0x30 }
        var fraction = parts.count == 2 ? parts[1] : []
        while fraction.last == 0x30 { fraction = fraction.dropLast() }
        var significant = (whole + fraction).drop { $0 == 0x30 }
        if fraction.isEmpty, whole.count <= 128 {
            while significant.last == 0x30 { significant = significant.dropLast() }
        }
        guard significant.count <= 38, fraction.count <= 127 else { return nil }
        let sign = isNegative && !(whole.isEmpty && fraction.isEmpty) ? "-" : ""
        let number = whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self)
        return sign + number + (fraction.isEmpty ? "" : "." + String(decoding: fraction, as: UTF8.self))
    }

    /// Bytes in base64 with padding.
    static func base64(text: String) -> String? {
        Data(base64Encoded: text)?.base64EncodedString()
    }

    /// An absolute or relative URI: anything without white space and control characters.
    static func uri(text: String) -> String? {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } ? text : nil
    }

    /// `yyyy-mm-dd` of a day that exists.
    static func date(text: String) -> String? {
        days(text: Array(text.utf8)) == nil ? nil : text
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}

extension TextForms {
    /// A date-time in UTC with at most six digits of a fraction: `yyyy-mm-ddThh:mm:ss`, an optional fraction, and `Z` or an
    /// offset. Nil also for an instant outside of the years 0001 to 9999.
    static func dateTime(text: String) -> String? {
        let form =
            /([^T]{10})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))/
        guard let match = text.wholeMatch(of: form), let days = days(text: Array(match.1.utf8)) else {
            return nil
        }
        func number(digits: Substring?, below limit: Int) -> Int? {
            guard let digits else { return 0 }
            return Int(digits).flatMap { $0 < limit ? $0 : nil }
        }
        guard let hour = number(digits: match.2, below: 24), let minute = number(digits: match.3, below: 60),
            let second = number(digits: match.4, below: 60), let hours = number(digits: match.7, below: 24),
            let minutes = number(digits: match.8, below: 60)
        else { return nil }
        let offset = (hours * 60 + minutes) * (match.6 == "-" ? -60 : 60)
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset
        guard (0..<secondsOfAllYears).contains(seconds) else { return nil }
        var fraction = match.5.map { String($0.prefix(6)) } ?? ""
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return date(days: seconds / 86_400) + "T" + padded(number: seconds / 3600 % 24) + ":"
            + padded(number: seconds / 60 % 60) + ":" + padded(number: seconds % 60)
            + (fraction.isEmpty ? "" : "." + fraction) + "Z"
    }

    /// The seconds of the years 0001 to 9999.
    private static let secondsOfAllYears = daysBefore(year: 10_000) * 86_400

    /// The days from 0001-01-01 to the day that a text names; nil for a text that is no date.
    private static func days(text: [UInt8]) -> Int? {
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") else { return nil }
        func number(range: Range<Int>) -> Int? {
            text[range].allSatisfy(isDigit) ? Int(String(decoding: text[range], as: UTF8.self)) : nil
        }
        guard let year = number(range: 0..<4), let month = number(range: 5..<7),
            let day = number(range: 8..<10), year > 0,
            (1...12).contains(month), (1...daysInMonth(month: month, year: year)).contains(day)
        else { return nil }
        return daysBefore(year: year) + (1..<month).reduce(0) { $0 + daysInMonth(month: $1, year: year) }
            + day - 1
    }

    /// The date so many days after 0001-01-01.
    private static func date(days: Int) -> String {
        // NB: at most one too late, as no year is longer than 366 days.
        var year = days / 366 + 1
        while daysBefore(year: year + 1) <= days { year += 1 }
        var (month, rest) = (1, days - daysBefore(year: year))
        while rest >= daysInMonth(month: month, year: year) {
            rest -= daysInMonth(month: month, year: year)
            month += 1
        }
        return padded(number: year, width: 4) + "-" + padded(number: month) + "-" + padded(number: rest + 1)
    }

    private static func daysBefore(year: Int) -> Int {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400
    }

    private static func daysInMonth(month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func padded(number: Int, width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
