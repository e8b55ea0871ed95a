import Foundation
import SyncCore
import Testing

/// Days and instants are the same in both directions, wherever clocks are changed.
@Suite struct CalendarDateTests {
    @Test(arguments: [
        "UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Beirut", "Pacific/Apia", "Asia/Kathmandu",
    ])
    func theStartOfADayIsItsFirstInstant(name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        // Pacific/Apia had no 2011-12-30.
        for day in 14_000..<19_000 where !(name == "Pacific/Apia" && day == 15_338) {
            let date = try #require(
                CalendarDate(Date(timeIntervalSince1970: Double(day) * 86_400 + 43_200), in: .gmt)
            )
            let start = date.start(in: zone)
            #expect(CalendarDate(start, in: zone) == date, "\(date)")
            #expect(CalendarDate(start.addingTimeInterval(-1), in: zone) != date, "\(date)")
        }
    }

    @Test func aDayThatWasSkippedStartsWithTheNext() throws {
        let zone = try #require(TimeZone(identifier: "Pacific/Apia"))
        let skipped = try #require(CalendarDate("2011-12-30"))
        let next = try #require(CalendarDate("2011-12-31"))
        #expect(skipped.start(in: zone) == next.start(in: zone))
    }

    @Test func anInstantOutsideOfTheYearsHasNoDay() throws {
        let first = try #require(CalendarDate("0001-01-01")).start(in: .gmt)
        let last = try #require(CalendarDate("9999-12-31")).start(in: .gmt)
        #expect(CalendarDate(first, in: .gmt)?.description == "0001-01-01")
        #expect(CalendarDate(first.addingTimeInterval(-1), in: .gmt) == nil)
        #expect(CalendarDate(last.addingTimeInterval(86_399), in: .gmt)?.description == "9999-12-31")
        #expect(CalendarDate(last.addingTimeInterval(86_400), in: .gmt) == nil)
        #expect(CalendarDate(Date(timeIntervalSince1970: .infinity), in: .gmt) == nil)
    }
}
