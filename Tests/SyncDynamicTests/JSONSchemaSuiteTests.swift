import SyncCore
import Testing

/// What JSON Schema 2020-12 says of records, as far as this format can say it.
@Suite struct JSONSchemaSuiteTests {
    private static let open = "an enum is open, so that apps keep values that only newer ones know"
    private static let bytes = "an encoding is no constraint in JSON Schema; here the value is bytes"
    private static let leap = "no clock that records are compared by shows a leap second"

    /// The cases that are answered otherwise than the suite asks, and why.
    static let disagreements: [String: String] = [
        "enum: simple enum validation: something else is invalid": open,
        "enum: enums in properties: wrong foo value": open,
        "enum: enums in properties: wrong bar value": open,
        "enum: enum with escaped characters: another string is invalid": open,
        "enum: nul characters in strings: do not match string lacking nul": open,
        "const: nul characters in strings: do not match string lacking nul":
            "the constant of a string is an enum of one, which is open",
        "content: validation of binary string-encoding: "
            + "an invalid base64 string (% is not a valid character); validates true": bytes,
        "content: validation of binary-encoded media type documents: "
            + "an invalid base64 string that is valid JSON; validates true": bytes,
        "optional/format/date-time: validation of date-time strings: "
            + "a valid date-time with a leap second, UTC": leap,
        "optional/format/date-time: validation of date-time strings: "
            + "a valid date-time with a leap second, with minus offset": leap,
    ]

    @Test func everyCaseIsAnsweredAsTheSuiteAsksOrForAReason() throws {
        let cases = try JSONSchemaSuite.cases()
        #expect(cases.count == 352)
        #expect(Set(cases.map(\.name)).count == cases.count)
        var others: Set<String> = []
        for item in cases {
            let refusal = try item.refusal()
            if (refusal == nil) == item.isValid { continue }
            others.insert(item.name)
            #expect(Self.disagreements[item.name] != nil, "\(item.name): \(refusal?.message ?? "taken")")
        }
        #expect(Set(Self.disagreements.keys).subtracting(others) == [], "these are answered as asked by now")
        #expect(cases.count - others.count == 342)
    }
}
