import SyncCore

/// Parses HTTP dates in all three forms (RFC 9110, section 5.6.7). The system's formatters are not used
/// because they depend on locale and calendar.
enum HTTPDate {
    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37
    /// 1994`; nil for anything else. `now` determines the century of the second form.
    static func parse(_ text: String, now: Timestamp) -> Timestamp? {
        let words = text.split(separator: " ")
        switch words.count {
        case 6 where words[5] == "GMT" && names.contains(where: { words[0] == $0.prefix(3) + "," }):
            guard let year = number(text: words[3], digits: 4), let day = number(text: words[1], digits: 2)
            else {
                return nil
            }
            return instant(year: year, month: words[2], day: day, time: words[4])
        case 5 where names.contains(where: { words[0] == $0.prefix(3) }):
            guard let year = number(text: words[4], digits: 4),
                let day = number(text: words[2], digits: words[2].count)
            else { return nil }
            return instant(year: year, month: words[1], day: day, time: words[3])
        case 4 where words[3] == "GMT" && names.contains(where: { words[0] == $0 + "," }):
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, let day = number(text: parts[0], digits: 2),
                let short = number(text: parts[2], digits: 2)
            else { return nil }
            return instant(year: year(short: short, now: now), month: parts[1], day: day, time: words[2])
        default: return nil
        }
    }

    private static let names = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func instant(
        year: Int,
        month: Substring,
        day: Int,
        time: Substring
    ) -> Timestamp? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let month = months.firstIndex(where: { month == $0 }),
            let date = CalendarDate(year: year, month: month + 1, day: day),
            let hour = number(text: parts[0], digits: 2), let minute = number(text: parts[1], digits: 2),
            let second = number(text: parts[2], digits: 2),
            // 60 is a leap second.
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        return Timestamp(microseconds: seconds * 1_000_000)
    }

    /// The full year of two digits, at most 50 years in the future.
    private static func year(short: Int, now: Timestamp) -> Int {
        let (days, _) = now.microseconds.flooredQuotientAndRemainder(divisor: 86_400_000_000)
        let present = CalendarDate(daysSince1970: days).year
        let year = present - present % 100 + short
        return year > present + 50 ? year - 100 : year
    }

    private static func number(text: Substring, digits: Int) -> Int? {
        guard text.utf8.count == digits, (1...4).contains(digits),
            text.utf8.allSatisfy({ $0 &- 0x30 < 10 })
        else { return nil }
        return Int(text)
    }
}
