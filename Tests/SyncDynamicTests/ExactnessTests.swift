import Foundation
import SyncChecks
import SyncCore
import Testing

@Suite struct ExactnessTests {
    @Test func datesOf1900To2200KeepEveryMicrosecond() throws {
        var seed = Seed(1)
        let range: Range<Int64> = -2_208_988_800_000_000..<7_258_118_400_000_000
        for _ in 0..<20_000 {
            let timestamp = Timestamp(microseconds: Int64.random(in: range, using: &seed))
            #expect(Timestamp(timestamp.date) == timestamp)
            #expect(try timestamp.date.wireText() == timestamp.description)
            #expect(Date(wireText: timestamp.description) == timestamp.date)
        }
    }

    @Test func datesAreRoundedToTheNearestMicrosecond() throws {
        #expect(try Date(timeIntervalSince1970: 0.000_000_4).wireText() == "1970-01-01T00:00:00Z")
        #expect(try Date(timeIntervalSince1970: 0.000_000_6).wireText() == "1970-01-01T00:00:00.000001Z")
        #expect(try Date(timeIntervalSince1970: -0.000_000_6).wireText() == "1969-12-31T23:59:59.999999Z")
    }

    @Test func datesOutsideTheYears1To9999AreRefused() {
        for seconds in [Double.infinity, -.infinity, .nan, 1e18, -62_135_596_801, 253_402_300_800] {
            #expect(throws: FieldError.self) { try Date(timeIntervalSince1970: seconds).wireText() }
        }
        #expect(throws: FieldError.self) { try Date.distantPast.wireText() }
        #expect(throws: Never.self) { try Date.distantFuture.wireText() }
    }

    /// A `Date` is coarser than a microsecond there, and a page that continues after a record asks for its instant.
    @Test(arguments: [
        "9999-12-31T23:59:59.999Z", "2300-01-01T00:00:00.123Z", "0001-01-01T00:00:00.001Z",
        "1500-06-01T12:00:00.5Z", "2273-01-01T00:00:00.007Z", "9999-12-31T23:59:59Z",
    ])
    func datesFarAwayKeepTheirMilliseconds(text: String) throws {
        #expect(try Date(wireText: text)?.wireText() == text)
    }

    @Test func theLastInstantStaysInItsYear() throws {
        let last = try #require(Date(wireText: "9999-12-31T23:59:59.999999Z"))
        #expect(throws: FieldError.self) { try last.addingTimeInterval(1).wireText() }
        let before = Date(timeIntervalSince1970: (253_402_300_800.0).nextDown)
        #expect(try before.wireText().hasPrefix("9999-12-31T23:59:59.9999"))
    }

    @Test func decimalsKeep38Digits() throws {
        for text in [
            "99999999999999999999999999999999999999", "-0.00000000000000000000000000000000000001",
            "12345678901234567890.123456789012345678", "0.1", "0",
            "1000000000000000000000000000000000000000000",
        ] {
            #expect(try Decimal(wireText: text)?.wireText() == text)
        }
        #expect(
            Decimal(wireText: "1e5") == nil && Decimal(wireText: "0x1") == nil && Decimal(wireText: "") == nil
        )
        #expect(try Decimal(wireText: "-0.50")?.wireText() == "-0.5")
        #expect(throws: FieldError.self) { try Decimal.nan.wireText() }
    }

    @Test func decimalsOfArithmeticAreSpelledWithoutTrailingZeros() throws {
        let cent = try #require(Decimal(wireText: "0.01"))
        #expect(try (cent * 100).wireText() == "1")
        #expect(try (cent + cent).wireText() == "0.02")
        #expect(try Decimal(1_000_000).wireText() == "1000000")
    }

    @Test func bytesSurviveBase64() throws {
        let bytes = Data(0...255)
        #expect(Data(wireText: try bytes.wireText()) == bytes)
        #expect(Data(wireText: "no base64!") == nil)
    }

    @Test func openEnumsTellTextsApartByTheirBytes() throws {
        typealias State = KitchenSink.State
        #expect(State(rawValue: "K") == .k)
        #expect(State(rawValue: "\u{212a}") == .unknown("\u{212a}"))
        #expect(State(rawValue: "\u{e9}t\u{e9}") == .ete)
        #expect(State(rawValue: "e\u{301}te\u{301}").rawValue.utf8.count == 7)
        #expect(State.unknown("e\u{301}") != State.unknown("\u{e9}"))
        #expect(State.unknown("draft") == .draft && Set([State.unknown("draft"), .draft]).count == 1)
        for state in State.allCases { #expect(State(rawValue: state.rawValue) == state) }
    }

    @Test func openEnumsOfIntegersKeepNumbersThatTheSchemaDoesNotName() throws {
        typealias Level = KitchenSink.Level
        #expect(Level.allCases.map(\.rawValue) == [1, 0, -3, 9_007_199_254_740_993])
        #expect(Level(rawValue: -3) == .minus3 && Level(rawValue: 9_007_199_254_740_993) != .unknown(0))
        #expect(Level(rawValue: 7) == .unknown(7) && Level.unknown(1) == .value1)
        #expect(Set([Level.unknown(1), .value1, .unknown(.min)]).count == 2)
        let json = try JSONEncoder().encode([Level.value0, .unknown(7)])
        #expect(String(decoding: json, as: UTF8.self) == "[0,7]")
        #expect(try JSONDecoder().decode([Level].self, from: json) == [.value0, .unknown(7)])
    }

    @Test func openEnumsAreTextInCodable() throws {
        let states: [KitchenSink.State] = [.inProgress, .unknown("new")]
        let json = try JSONEncoder().encode(states)
        #expect(String(decoding: json, as: UTF8.self) == #"["in-progress","new"]"#)
        #expect(try JSONDecoder().decode([KitchenSink.State].self, from: json) == states)
    }
}
