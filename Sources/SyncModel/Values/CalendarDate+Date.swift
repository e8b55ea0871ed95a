public import Foundation

/// Days and instants. Both need a time zone: the same moment is another day elsewhere.
extension CalendarDate {
    /// The day of an instant in a time zone; nil outside of the years 1 to 9999.
    public init?(_ date: Date, in timeZone: TimeZone) {
        let seconds = date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))
        let days = (seconds / 86_400).rounded(.down)
        let range = Self.first.daysSince1970...Self.last.daysSince1970
        guard let days = Int64(exactly: days), range.contains(days) else { return nil }
        self.init(daysSince1970: days)
    }

    /// The first instant of the day in a time zone: midnight, or where clocks skip midnight the moment after.
    public func start(in timeZone: TimeZone) -> Date {
        let midnight = Date(timeIntervalSince1970: Double(daysSince1970) * 86_400)
        let nearby = [midnight.addingTimeInterval(-86_400), midnight.addingTimeInterval(86_400)]
        // Clocks may have been changed between these two, so that midnight may have come with either offset.
        let candidates = nearby.map {
            midnight.addingTimeInterval(-Double(timeZone.secondsFromGMT(for: $0)))
        }
        let starts = candidates.filter { CalendarDate($0, in: timeZone) ?? self == self }
        return starts.min() ?? timeZone.nextDaylightSavingTimeTransition(after: nearby[0]) ?? candidates[0]
    }

    private static let first = CalendarDate(daysSince1970: -719_162)
    private static let last = CalendarDate(daysSince1970: 2_932_896)
}
