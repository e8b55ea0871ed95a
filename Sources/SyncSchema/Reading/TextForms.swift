/// The text forms of values that travel as strings, as records are held to them.
enum TextForms {
    static var uuid: Regex<Substring> {
        /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/
    }

    /// At most 38 digits, the precision of Foundation's `Decimal`.
    static var decimal: Regex<Substring> {
        /-?(?=[0-9.]{1,39}$)[0-9]+(?:\.[0-9]+)?/
    }

    /// An absolute or relative URI: anything without white space and control characters.
    static func isURI(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// `yyyy-mm-dd` of a day that exists.
    static func isDate(_ text: String) -> Bool {
        guard text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil else { return false }
        let parts = text.split(separator: "-").compactMap { Int($0) }
        return parts.count == 3 && parts[0] > 0 && (1...12).contains(parts[1])
            && (1...daysInMonth(parts[1], year: parts[0])).contains(parts[2])
    }

    /// `yyyy-mm-ddThh:mm:ss`, an optional fraction, and `Z` or an offset.
    static func isDateTime(_ text: String) -> Bool {
        let form =
            /([0-9-]{10})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|[+-]([0-9]{2}):([0-9]{2}))/
        guard let match = text.wholeMatch(of: form), isDate(String(match.1)) else { return false }
        func isBelow(_ digits: Substring?, _ limit: Int) -> Bool {
            digits.map { (Int($0) ?? limit) < limit } ?? true
        }
        return isBelow(match.2, 24) && isBelow(match.3, 60) && isBelow(match.4, 60)
            && isBelow(match.5, 24) && isBelow(match.6, 60)
    }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
