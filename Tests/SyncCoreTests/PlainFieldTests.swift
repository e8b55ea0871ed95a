import SyncChecks
import SyncCore
import Testing

/// What is taken as it is written is what a closer look makes of it.
@Suite struct PlainFieldTests {
    private static let entity = EntityDescriptor(
        name: "note",
        typeName: "Note",
        fields: [
            FieldDescriptor(name: "id", type: .uuid, isRequired: true),
            FieldDescriptor(name: "title", type: .string()),
            FieldDescriptor(name: "word", type: .string(minLength: 1, maxLength: 2)),
            FieldDescriptor(name: "at", type: .dateTime),
            FieldDescriptor(name: "place", type: .integer(minimum: -3, maximum: 1_000)),
            FieldDescriptor(name: "list", type: .array(element: .string(), minItems: 1, maxItems: 3)),
            FieldDescriptor(name: "tags", type: .array(element: .string(), isSet: true)),
            FieldDescriptor(name: "short", type: .array(element: .string(maxLength: 2))),
            FieldDescriptor(name: "bytes", type: .string(maxBytes: 3)),
            FieldDescriptor(name: "holes", type: .array(element: .string(), elementIsNullable: true)),
        ],
        key: ["id"],
        strategy: .lastWriteWins
    )

    /// What a decoder makes of a text: the values, or the rule that it breaks.
    private func read(json: String) -> Result<[FieldValue?], ReadError> {
        var decoder = RecordDecoder(descriptor: Self.entity, form: .wire)
        do { return .success(try decoder.record(Array(json.utf8)).values) } catch let error
            as FieldError
        {
            return .failure(ReadError(rule: error.rule))
        } catch {
            return .failure(ReadError(rule: "\(error)"))
        }
    }

    private struct ReadError: Error, Equatable { var rule: String }

    private static let pieces = [
        #""""#, #""a""#, #""a!""#, #""b""#, #""B""#, #""éa""#, #""ééé""#, #""\u0061""#, #""a\nb""#, #""\/""#,
        "null",
        "1", "-4",
        "12", "1e2", "1.0", "1001", "-0", "true", #""2025-12-25T09:21:01.5Z""#,
        #""2025-12-25T10:21:01.5+01:00""#,
        #""379066e4-6dd5-4050-8470-004e08da28bd""#, #""379066E4-6DD5-4050-8470-004E08DA28BD""#, "{}", "[]",
    ]

    @Test(arguments: 0..<400 as Range<UInt64>)
    func aRecordReadsTheSameWithAndWithoutWhiteSpace(seed: UInt64) {
        var draw = Seed(seed)
        func list() -> [String] {
            (0..<Int.random(in: 0...4, using: &draw)).map { _ in Self.pieces.randomElement(using: &draw) ?? ""
            }
        }
        var members: [(String, [String])] = [("id", [#""379066e4-6dd5-4050-8470-004e08da28bd""#])]
        for field in Self.entity.fields.dropFirst() where Bool.random(using: &draw) {
            var isList = false
            if case .array = field.type { isList = Int.random(in: 0..<9, using: &draw) > 0 }
            let value = isList ? ["["] + list() + ["]"] : [Self.pieces.randomElement(using: &draw) ?? ""]
            members.append((field.name, value))
        }
        func text(space: String) -> String {
            let parts = members.map { name, value in
                guard value.count > 1, let first = value.first, let last = value.last else {
                    return "\"\(name)\":\(space)\(value[0])"
                }
                let elements = value.dropFirst().dropLast().map { space + $0 + space }.joined(separator: ",")
                return "\"\(name)\":\(space)\(first)\(elements)\(last)"
            }
            return "{\(parts.joined(separator: ","))}"
        }
        let plain = read(json: text(space: ""))
        #expect(plain == read(json: text(space: " ")), "seed \(seed): \(text(space: ""))")
        // White space somewhere in the middle of a list does not end up in the column.
        if case .success(let values) = plain {
            for case .json(let list)? in values { #expect(!list.contains(" "), "\(list)") }
        }
    }

    @Test func aSetThatIsOutOfOrderIsSortedAndOneWithTwoOfAKindIsRefused() {
        let id = #""id":"379066e4-6dd5-4050-8470-004e08da28bd""#
        #expect(
            read(json: "{\(id),\"tags\":[\"b\",\"a\"]}").map { $0[6] } == .success(.json(#"["a","b"]"#))
        )
        // By the bytes of the quoted texts, of which a quote is greater than an exclamation mark.
        #expect(
            read(json: "{\(id),\"tags\":[\"a\",\"a!\"]}").map { $0[6] } == .success(.json(#"["a!","a"]"#))
        )
        #expect(read(json: "{\(id),\"tags\":[\"a\",\"a\"]}") == .failure(ReadError(rule: "unique-items")))
        #expect(
            read(json: "{\(id),\"list\":[\"a\",\"a\",\"a\",\"a\"]}") == .failure(ReadError(rule: "max-items"))
        )
    }
}
