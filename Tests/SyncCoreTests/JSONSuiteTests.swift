import SyncCore
import SyncFuzzing
import Testing

/// JSON as RFC 8259 has it, by the texts of JSONTestSuite, as a whole text and as a part of records.
@Suite struct JSONSuiteTests {
    /// Takes anything: members without a field, a field of a type with room for what stands in it.
    static let thing = EntityDescriptor(
        name: "thing",
        typeName: "Thing",
        fields: [
            FieldDescriptor(name: "the key", type: .string(), isRequired: true),
            FieldDescriptor(name: "whole", type: .integer()),
            FieldDescriptor(name: "double", type: .number()),
            FieldDescriptor(name: "object", type: .object([])),
            FieldDescriptor(name: "texts", type: .array(element: .string())),
        ],
        key: ["the key"],
        strategy: .lastWriteWins
    )

    /// RFC 8259 lets a name stand twice in an object ("SHOULD be unique"), and the suite with it. Records do not: of two
    /// values one would be lost without a word, and which one differs between programs.
    static let repeatedNames: Set = ["y_object_duplicated_key", "y_object_duplicated_key_and_value"]

    /// What a reader may choose, and what this one does: nil takes the text, else why it is refused.
    static let choices: [String: JSONError.Kind?] = [
        // A number is kept as it was written; a field's type says which numbers it takes.
        "i_number_double_huge_neg_exp": nil, "i_number_huge_exp": nil,
        "i_number_neg_int_huge_exp": nil, "i_number_pos_double_huge_exp": nil,
        "i_number_real_neg_overflow": nil, "i_number_real_pos_overflow": nil,
        "i_number_real_underflow": nil, "i_number_too_big_neg_int": nil,
        "i_number_too_big_pos_int": nil, "i_number_very_big_negative_int": nil,
        // Half of a surrogate pair is no text, and is not replaced by anything.
        "i_object_key_lone_2nd_surrogate": .loneSurrogate,
        "i_string_1st_surrogate_but_2nd_missing": .loneSurrogate,
        "i_string_1st_valid_surrogate_2nd_invalid": .loneSurrogate,
        "i_string_incomplete_surrogate_and_escape_valid": .loneSurrogate,
        "i_string_incomplete_surrogate_pair": .loneSurrogate,
        "i_string_incomplete_surrogates_escape_valid": .loneSurrogate,
        "i_string_invalid_lonely_surrogate": .loneSurrogate, "i_string_invalid_surrogate": .loneSurrogate,
        "i_string_inverted_surrogates_U+1D11E": .loneSurrogate,
        "i_string_lone_second_surrogate": .loneSurrogate,
        // UTF-8 and nothing else, well formed.
        "i_string_UTF-16LE_with_BOM": .invalidUTF8, "i_string_UTF-8_invalid_sequence": .invalidUTF8,
        "i_string_UTF8_surrogate_U+D800": .invalidUTF8, "i_string_invalid_utf-8": .invalidUTF8,
        "i_string_iso_latin_1": .invalidUTF8, "i_string_lone_utf8_continuation_byte": .invalidUTF8,
        "i_string_not_in_unicode_range": .invalidUTF8, "i_string_overlong_sequence_2_bytes": .invalidUTF8,
        "i_string_overlong_sequence_6_bytes": .invalidUTF8,
        "i_string_overlong_sequence_6_bytes_null": .invalidUTF8, "i_string_truncated-utf-8": .invalidUTF8,
        "i_string_utf16BE_no_BOM": .invalidUTF8, "i_string_utf16LE_no_BOM": .invalidUTF8,
        // No byte order mark; 512 levels, of which these are 500.
        "i_structure_UTF-8_BOM_empty_object": .unexpectedByte, "i_structure_500_nested_arrays": nil,
    ]

    @Test func everyTextOfTheSuiteIsAnsweredAsTheStandardSays() throws {
        let texts = try JSONSuite.parsing()
        #expect(texts.count == 318)
        for text in texts where !text.name.hasPrefix("i_") {
            #expect((refusal(of: text.bytes) == nil) == text.name.hasPrefix("y_"), "\(text.name)")
        }
    }

    @Test func whatTheStandardLeavesOpenIsAnsweredAsWritten() throws {
        let texts = try JSONSuite.parsing().filter { $0.name.hasPrefix("i_") }
        #expect(Set(texts.map(\.name)) == Set(Self.choices.keys))
        for text in texts { #expect(refusal(of: text.bytes) == Self.choices[text.name], "\(text.name)") }
    }

    /// Read value by value it is the same as passed over, written again it is the same value, and so on.
    @Test func everyTextOfTheSuiteKeepsWhatTheReaderPromises() throws {
        for text in try JSONSuite.parsing() + JSONSuite.transform() where text.bytes.count < 10_000 {
            #expect(try FuzzReader.json.check(text.bytes) == (refusal(of: text.bytes) == nil), "\(text.name)")
        }
    }

    @Test func aMemberWithoutAFieldIsTakenLikeAWholeTextAndKeptAsItWasWritten() throws {
        for text in try JSONSuite.parsing() {
            let value = refusal(of: text.bytes) == nil ? minified(text.bytes) : nil
            #expect(try unknown(value: text.bytes) == value, "\(text.name)")
        }
    }

    @Test func anObjectAsARecordAndInOneRefusesANameThatStandsTwice() throws {
        let objects = try JSONSuite.parsing().filter { $0.bytes.first { $0 > 0x20 } == UInt8(ascii: "{") }
        #expect(objects.count > 30)
        #expect(Self.repeatedNames.isSubset(of: objects.map(\.name)))
        for text in objects {
            for bytes in [text.bytes, member(name: "object", value: text.bytes)] {
                let found = errorKind { _ = try record(bytes) }
                if Self.repeatedNames.contains(text.name) {
                    #expect(found == .duplicateMember, "\(text.name)")
                } else {
                    #expect((found == nil) == (refusal(of: text.bytes) == nil), "\(text.name)")
                }
            }
        }
    }

    @Test func aListOfTextsTakesTheStringsOfTheSuite() throws {
        let lists = try JSONSuite.parsing().filter {
            $0.name.contains("_string_") && $0.bytes.first { $0 > 0x20 } == UInt8(ascii: "[")
        }
        #expect(lists.count > 70)
        for text in lists {
            var isTaken = true
            // NB: what begins like no string is refused as one of another type.
            do { _ = try record(member(name: "texts", value: text.bytes)) } catch { isTaken = false }
            #expect(isTaken == (refusal(of: text.bytes) == nil), "\(text.name)")
        }
    }

    @Test func aNumberIsExactOrRefused() throws {
        let numbers = try JSONSuite.parsing().filter { $0.name.hasPrefix("i_number") }
        for text in try numbers + JSONSuite.transform().filter({ $0.name.hasPrefix("number_") }) {
            let number = String(decoding: text.bytes, as: UTF8.self).filter { !"[] \n".contains($0) }
            #expect(try unknown(value: Array(number.utf8)) == Array(number.utf8), "\(text.name)")
            let answer = Self.answers[number]
            #expect(try field(name: "whole", number: number) == answer?.whole, "\(text.name) as an integer")
            #expect(try field(name: "double", number: number) == answer?.double, "\(text.name) as a number")
        }
    }

    /// What fields make of the numbers that some field takes. A number field holds a double: the nearest one, as for
    /// everybody; what has to be exact is an integer or a decimal.
    private static let answers: [String: (whole: FieldValue?, double: FieldValue?)] = [
        "-9223372036854775808": (.integer(.min), .number(-0x1p63)),
        "-9223372036854775809": (nil, .number(-0x1p63)),
        "1.0": (.integer(1), .number(1)),
        "1.000000000000000005": (nil, .number(1)),
        "1000000000000000": (.integer(1_000_000_000_000_000), .number(1e15)),
        "10000000000000000999": (nil, .number(1e19)),
        "1E6": (.integer(1_000_000), .number(1e6)),
        "9223372036854775807": (.integer(.max), .number(0x1p63)),
        "9223372036854775808": (nil, .number(0x1p63)),
        "100000000000000000000": (nil, .number(1e20)),
        "-123123123123123123123123123123": (nil, .number(-1.231_231_231_231_231_2e29)),
        "-237462374673276894279832749832423479823246327846": (nil, .number(-2.374_623_746_732_769e47)),
    ]

    @Test func namesThatDifferOnlyInUnicodeFormAreTwoMembers() throws {
        for text in try JSONSuite.transform() where text.name.hasPrefix("object_key_nf") {
            let record = try record(text.bytes)
            #expect(record.unknown.map(\.json).sorted() == [#""NFC""#, #""NFD""#], "\(text.name)")
            #expect(Set(record.unknown.map { Array($0.path.utf8) }).count == 2, "\(text.name)")
        }
    }

    @Test func whatOtherReadersChangeIsKeptOrRefused() throws {
        for text in try JSONSuite.transform() where !text.name.hasPrefix("number_") {
            let expected: JSONError.Kind? =
                switch text.name {
                case let name where name.hasPrefix("object_same_key"): .duplicateMember
                case let name where name.contains("escaped_invalid"): .loneSurrogate
                case let name where name.contains("invalid_codepoint"): .invalidUTF8
                default: nil
                }
            let field = text.bytes.first == UInt8(ascii: "[") ? "texts" : "object"
            #expect(
                errorKind { _ = try record(member(name: field, value: text.bytes)) } == expected,
                "\(text.name)"
            )
        }
        let null = try #require(try JSONSuite.transform().first { $0.name == "string_with_escaped_NULL" })
        #expect(
            try record(member(name: "texts", value: null.bytes)).values[4] == .json(#"["A\u0000B"]"#)
        )
    }
}

extension JSONSuiteTests {
    /// Why a whole text is refused; nil when it is taken.
    private func refusal(of bytes: [UInt8]) -> JSONError.Kind? {
        errorKind {
            try bytes.withUnsafeBufferPointer { buffer in
                var reader = try JSONReader(buffer)
                try reader.skipValue()
                try reader.end()
            }
        }
    }

    private func errorKind(body: () throws -> Void) -> JSONError.Kind? {
        do { try body() } catch let error as JSONError { return error.kind } catch {
            Issue.record("another error than one of JSON: \(error)")
        }
        return nil
    }

    private func record(_ bytes: [UInt8]) throws -> Record {
        var decoder = RecordDecoder(descriptor: Self.thing, form: .wire)
        decoder.requiresAll = false
        return try decoder.record(bytes)
    }

    private func member(name: String, value: [UInt8]) -> [UInt8] {
        Array("{\"\(name)\":".utf8) + value + Array("}".utf8)
    }

    /// What is kept of a member that the schema does not name; nil when the record is refused.
    private func unknown(value: [UInt8]) throws -> [UInt8]? {
        do {
            let unknown = try record(member(name: "unheard-of", value: value)).unknown
            return unknown.count == 1 ? Array(unknown[0].json.utf8) : nil
        } catch is JSONError { return nil }
    }

    /// What a field makes of a number; nil when it is refused.
    private func field(name: String, number: String) throws -> FieldValue? {
        do {
            let record = try record(member(name: name, value: Array(number.utf8)))
            return record.values[Self.thing.fields.firstIndex { $0.name == name } ?? 0]
        } catch is FieldError { return nil }
    }

    private func minified(_ bytes: [UInt8]) -> [UInt8] {
        var writer = JSONWriter()
        bytes.withUnsafeBufferPointer { writer.minified($0) }
        return writer.bytes
    }
}
