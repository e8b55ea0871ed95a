import Foundation
import SyncCore
import Testing

@testable import SyncUI

/// Values as a person reads them.
@Suite struct FieldWordsTests {
    private func words(_ locale: String = "en_US") -> FieldWords {
        FieldWords(
            texts: ConflictTexts(),
            locale: Locale(identifier: locale),
            timeZone: TimeZone(secondsFromGMT: 3600) ?? .gmt
        )
    }

    /// The words, with ordinary spaces for those that some versions of a format keep narrow or unbroken.
    private func text(_ value: FieldValue, _ type: FieldType, locale: String = "en_US") -> String? {
        words(locale).text(value, type: type)?.replacing("\u{202F}", with: " ").replacing("\u{A0}", with: " ")
    }

    @Test func numbersAreWrittenAsThePersonsCountryDoes() {
        #expect(text(.integer(12_345), .integer()) == "12,345")
        #expect(text(.integer(12_345), .integer(), locale: "de_DE") == "12.345")
        #expect(text(.number(40.7), .number(), locale: "de_DE") == "40,7")
        #expect(text(.number(0.1 + 0.2), .number()) == "0.30000000000000004")
        let exact = "1173.150000000000000000001"
        #expect(text(.text(exact), .decimal, locale: "de_DE") == "1.173,150000000000000000001")
        let tooLong = String(repeating: "9", count: 60)
        #expect(text(.text(tooLong), .decimal) == tooLong)
    }

    @Test func instantsAreInTheTimeZoneAndDatesAreInNone() {
        // 2026-03-01T23:30:00Z is the next day an hour further east.
        let time = FieldValue.timestamp(Timestamp(microseconds: 1_772_407_800_000_000))
        #expect(text(time, .dateTime) == "March 2, 2026 at 12:30:00 AM")
        #expect(text(time, .dateTime, locale: "de_DE")?.hasPrefix("2. März 2026") == true)
        #expect(text(.text("2026-03-01"), .date) == "March 1, 2026")
        #expect(text(.text("2026-03-01"), .date, locale: "de_DE") == "1. März 2026")
        #expect(text(.text("1582-10-04"), .date)?.contains("1582") == true)
        #expect(text(.text("2026-03-01"), .date, locale: "fa_IR") == "۱۰ اسفند ۱۴۰۴")
    }

    @Test func booleansEnumsAndNothingAreWords() {
        #expect(text(.boolean(true), .boolean) == "Yes" && text(.boolean(false), .boolean) == "No")
        #expect(text(.text("inProgress"), .enumeration(["inProgress"])) == "In progress")
        #expect(text(.text("from a newer app"), .enumeration(["inProgress"])) == "from a newer app")
        #expect(text(.text(""), .string()) == "Empty text")
        #expect(text(.null, .string()) == nil)
        #expect(text(.bytes([1, 2, 3]), .data) == "3 bytes")
    }

    @Test func listsSetsObjectsAndMapsAreNoJSON() {
        let tags = FieldType.array(element: .string(), isSet: true)
        #expect(text(.json(#"["study","patience"]"#), tags) == "study, patience")
        #expect(text(.json(#"["a","b"]"#), tags, locale: "de_DE") == "a und b")
        #expect(text(.json("[]"), tags) == "None")
        let share = FieldType.object([
            FieldDescriptor(name: "person", type: .string(), isRequired: true),
            FieldDescriptor(name: "paidAmount", type: .decimal, isNullable: true),
        ])
        let shares = #"[{"person":"Anna","paidAmount":"1200.5"},{"person":"Ben","paidAmount":null}]"#
        #expect(
            text(.json(shares), .array(element: share)) == "Person: Anna, Paid amount: 1,200.5\nPerson: Ben"
        )
        let prices = FieldType.map(value: .decimal)
        #expect(text(.json(#"{"inEuro":"1.5"}"#), prices) == "In euro: 1.5")
        let free = #"{"deep":{"isOn":true,"list":[1,"two",null]},"none":null}"#
        let shown = text(.json(free), .object([]))
        #expect(shown == "Deep: Is on: Yes, List: 1\ntwo\nNot set")
        for mark in ["{", "}", "[", "]", "\""] { #expect(shown?.contains(mark) == false) }
    }

    @Test func twoValuesThatWouldReadTheSameAreTold() {
        let field = FieldDescriptor(name: "readAt", type: .dateTime)
        let times = [0, 5].map { FieldValue.timestamp(Timestamp(microseconds: 1_772_407_800_000_000 + $0)) }
        let conflict = ConflictField(
            field: field,
            values: [(.local, times[0]), (.remote, times[1]), (.base, .null)]
        )
        let gmt = TimeZone.gmt
        let english = Locale(identifier: "en_US")
        let remote = conflict.words(of: .remote, locale: english, timeZone: gmt)
        #expect(remote?.hasSuffix("(2026-03-01T23:30:00.000005Z)") == true)
        #expect(conflict.words(of: .local, locale: english, timeZone: gmt) != remote)
        #expect(conflict.words(of: .base, locale: english, timeZone: gmt) == nil)
        let apart = ConflictField(field: field, values: [(.local, times[0])])
        #expect(apart.words(of: .local, locale: english, timeZone: gmt)?.contains("(") == false)
    }
}
