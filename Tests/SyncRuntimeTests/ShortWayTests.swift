import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// What is told of values without writing them as JSON must be what writing them tells.
@Suite struct ShortWayTests {
    /// Not of every type, as there are some of which nothing is sure.
    private static let entity = Entities.note(
        strategy: .lastWriteWins,
        fields: [
            Entities.tags,
            FieldDescriptor(name: "any", type: .boolean, isNullable: true, merge: .or),
            FieldDescriptor(name: "short", type: .string(minLength: 1, maxLength: 3), isNullable: true),
            FieldDescriptor(name: "count", type: .integer(minimum: 0, maximum: 9)),
            FieldDescriptor(name: "rate", type: .number(minimum: 0)),
            FieldDescriptor(name: "owner", type: .uuid, isNullable: true),
            FieldDescriptor(name: "draft", type: .string(), isLocalOnly: true),
        ]
    )

    private static let wide = Entities.note(
        strategy: .lastWriteWins,
        fields: Entities.rules + [
            FieldDescriptor(name: "day", type: .date), FieldDescriptor(name: "picture", type: .data),
            FieldDescriptor(name: "owner", type: .uuid, isNullable: true),
            FieldDescriptor(name: "draft", type: .string(), isLocalOnly: true),
        ]
    )

    @Test func versionsHaveTheSameContentWhenTheirFingerprintsAreTheSame() {
        var (same, different) = (0, 0)
        for number in 0..<1500 {
            var seed = Seed(UInt64(number))
            let entity = number.isMultiple(of: 2) ? Self.entity : Self.wide
            let (left, right) = (
                Self.version(entity: entity, seed: &seed), Self.version(entity: entity, seed: &seed)
            )
            let isSame = entity.contentDigest(of: left) == entity.contentDigest(of: right)
            if entity.hasSameContent(left: left, right: right) != isSame {
                Issue.record("seed \(number): \(left.record) and \(right.record)")
            }
            if isSame { same += 1 } else { different += 1 }
        }
        #expect(same > 100 && different > 100)
    }

    @Test func whatSurelyFitsASchemaFitsIt() {
        var (sure, unsure) = (0, 0)
        for number in 0..<1500 {
            var seed = Seed(UInt64(number))
            let record = Self.version(entity: Self.entity, seed: &seed).record
            guard Self.entity.surelyFits(record: record) else {
                unsure += 1
                continue
            }
            #expect(
                RecordCheck.problem(record: record, descriptor: Self.entity) == nil,
                "seed \(number): \(record)"
            )
            sure += 1
        }
        #expect(sure > 200 && unsure > 200)
    }

    @Test func whatIsSurelyKeptIsReadBackAsItWas() throws {
        var (sure, unsure) = (0, 0)
        for number in 0..<1500 {
            var seed = Seed(UInt64(number))
            let record = Self.version(entity: Self.entity, seed: &seed).record
            guard Self.entity.surelyKeeps(record: record) else {
                unsure += 1
                continue
            }
            var decoder = RecordDecoder(descriptor: Self.entity, form: .plain)
            let bytes = RecordEncoder(descriptor: Self.entity, form: .plain).bytes(record)
            let back = try decoder.record(bytes)
            #expect(back == record, "seed \(number): \(record)")
            // NB: zeros of either sign are equal values.
            #expect(RecordEncoder(descriptor: Self.entity, form: .plain).bytes(back) == bytes)
            sure += 1
        }
        #expect(sure > 200 && unsure > 200)
    }

    /// A version of one of few records, sometimes with a value that is odd, or none of its field's.
    private static func version(entity: EntityDescriptor, seed: inout Seed) -> SyncRecord {
        var start = Seed(UInt64.random(in: 0..<2, using: &seed))
        var record = RecordGenerator(entity).record(number: 1, seed: &start)
        for index in [entity.layout.created, entity.layout.updated].compactMap({ $0 }) {
            record.values[index] = .timestamp(Timestamp(microseconds: 0))
        }
        if Bool.random(using: &seed), let value = odd.randomElement(using: &seed) {
            record.values[Int.random(in: 0..<record.values.count, using: &seed)] = value
        }
        if Int.random(in: 0..<8, using: &seed) == 0 {
            record.unknown = [UnknownField(path: "short", json: Bool.random(using: &seed) ? "1" : "2")]
        }
        let editTimestamp = EditTimestamp(
            time: Timestamp(microseconds: 1),
            device: DeviceID(bits: 1),
            sequence: 1
        )
        let isDeleted = Int.random(in: 0..<8, using: &seed) == 0
        return SyncRecord(
            entity: entity.name,
            key: RecordKey("a"),
            record: record,
            isDeleted: isDeleted,
            metadata: VersionMetadata(first: editTimestamp)
        )
    }

    private static let odd: [FieldValue?] = [
        nil, .null, .boolean(true), .integer(5), .integer(-1), .integer(10), .number(1.5), .number(-1),
        .number(.nan), .number(-0.0), .number(0), .timestamp(Timestamp(microseconds: 1)),
        .timestamp(Timestamp(microseconds: .max)), .text(""), .text("ab"), .text("abcd"), .text("\u{e9}"),
        .text("e\u{301}"), .text("2024-02-30"), .text("00000000-0000-4000-8000-00000000000g"),
        .text("00000000-0000-4000-8000-00000000000A"), .json("1"), .json("[]"), .json(#"["a","a"]"#),
        .json(#"["b","a"]"#), .json(#"["a", "b"]"#), .json(#"["\u0061"]"#), .json(#"{"a":1}"#),
        .bytes([1, 2]),
    ]
}
