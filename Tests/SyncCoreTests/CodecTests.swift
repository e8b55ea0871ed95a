import SyncChecks
import SyncCore
import Testing

@Suite struct CodecTests {
    static let thing = EntityDescriptor(
        name: "thing",
        typeName: "Thing",
        fields: [
            FieldDescriptor(name: "id", type: .string(minLength: 1), isRequired: true),
            FieldDescriptor(name: "count", wirePath: ["item_count"], type: .integer(minimum: 0, maximum: 10)),
            FieldDescriptor(name: "note", type: .string(maxLength: 8), isNullable: true),
            FieldDescriptor(
                name: "tags",
                type: .array(element: .string(), isSet: true, maxItems: 4),
                merge: .union
            ),
            FieldDescriptor(name: "floor", wirePath: ["address", "floor"], type: .number()),
            FieldDescriptor(
                name: "parts",
                type: .array(
                    element: .object([
                        FieldDescriptor(name: "who", wirePath: ["who_is"], type: .string(), isRequired: true),
                        FieldDescriptor(name: "amount", type: .decimal),
                    ])
                )
            ),
            FieldDescriptor(name: "here", type: .boolean, isLocalOnly: true),
        ],
        key: ["id"],
        strategy: .lastWriteWins
    )

    @Test func aTextMayBeFewCharactersAndTooManyBytes() throws {
        let entity = EntityDescriptor(
            name: "thing",
            typeName: "Thing",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "text", type: .string(maxLength: 4, maxBytes: 5)),
                FieldDescriptor(name: "list", type: .array(element: .string(maxBytes: 5))),
            ],
            key: ["id"],
            strategy: .lastWriteWins
        )
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        for (text, rule) in [
            ("éé", nil), (#"\u00e9\u00e9a"#, nil), ("😀a", nil), ("abcde", "max-length"), ("ééé", "max-bytes"),
            (#"\ud83d\ude00éb"#, "max-bytes"),
        ] as [(String, String?)] {
            for json in [#"{"id":"a","text":"\#(text)"}"#, #"{"id":"a","list":["\#(text)"]}"#] {
                let isList = json.contains("list")
                do {
                    _ = try decoder.record(Array(json.utf8))
                    #expect(rule == nil || isList && rule == "max-length", "\(json)")
                } catch let error as FieldError {
                    #expect(error.rule == rule, "\(json)")
                    #expect(!error.message.contains("é"))
                }
            }
        }
    }

    /// A default is written in the names of the schema, whatever the names on the wire.
    @Test func aMissingFieldGetsItsNestedDefaultAlsoWhereTheWireHasOtherNames() throws {
        let limits = FieldType.object([
            FieldDescriptor(name: "maxCount", wirePath: ["max_count"], type: .integer(), isRequired: true),
            FieldDescriptor(
                name: "innerPart",
                wirePath: ["inner_part"],
                type: .object([FieldDescriptor(name: "minCount", wirePath: ["min_count"], type: .integer())])
            ),
        ])
        let json = #"{"maxCount":3,"innerPart":{"minCount":1}}"#
        let entity = EntityDescriptor(
            name: "thing",
            typeName: "Thing",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(
                    name: "limits",
                    wirePath: ["the_limits"],
                    type: limits,
                    isRequired: true,
                    defaultJSON: json
                ),
            ],
            key: ["id"],
            strategy: .lastWriteWins
        )
        for form in [RecordForm.wire, .plain] {
            var decoder = RecordDecoder(descriptor: entity, form: form)
            let record = try decoder.record(Array(#"{"id":"x"}"#.utf8))
            let plain = RecordEncoder(descriptor: entity, form: .plain).bytes(record)
            #expect(String(decoding: plain, as: UTF8.self) == #"{"id":"x","limits":\#(json)}"#)
            let wire = RecordEncoder(descriptor: entity, form: .wire).bytes(record)
            var back = RecordDecoder(descriptor: entity, form: .wire)
            #expect(try back.record(wire) == record)
        }
    }

    private func plain(json: String) throws -> Record {
        var decoder = RecordDecoder(descriptor: Self.thing, form: .plain)
        return try decoder.record(Array(json.utf8))
    }

    private func text(record: Record, form: RecordForm) -> String {
        String(
            decoding: RecordEncoder(descriptor: Self.thing, form: form).bytes(record),
            as: UTF8.self
        )
    }

    @Test func aRecordHasOneCanonicalForm() throws {
        let record = try plain(
            json:
                #"{ "zeta":[ 1, 2.50 ],"tags":["b","a"], "count":3.0,"id":"x","parts":[{"extra":{"k" : 1e2},"amount":"1.50","who":"me"}],"note":null,"floor":2.0,"alpha":"é\n"}"#
        )
        #expect(
            text(record: record, form: .plain)
                == #"{"id":"x","count":3,"note":null,"tags":["a","b"],"floor":2,"parts":[{"who":"me","amount":"1.5","extra":{"k":1e2}}],"alpha":"é\n","zeta":[1,2.50]}"#
        )
        #expect(try plain(json: text(record: record, form: .plain)) == record)
    }

    @Test func theWireFormRenamesNestsAndLeavesLocalOnlyFieldsOut() throws {
        let record = try plain(
            json: #"{"id":"x","count":1,"floor":0.5,"here":true,"parts":[{"who":"me"}],"more":1}"#
        )
        let wire = text(record: record, form: .wire)
        #expect(
            wire == #"{"id":"x","item_count":1,"address":{"floor":0.5},"parts":[{"who_is":"me"}],"more":1}"#
        )
        var decoder = RecordDecoder(descriptor: Self.thing, form: .wire)
        var back = try decoder.record(Array(wire.utf8))
        back.values[6] = .boolean(true)
        #expect(back == record)
    }

    @Test func unknownMembersSurviveWhereverTheyStand() throws {
        let wire = #"{"id":"x","address":{"floor":1,"a/b~":[1]},"/etc/passwd":{"x":"\u00e9"},"zz":-0.10}"#
        var decoder = RecordDecoder(descriptor: Self.thing, form: .wire)
        let record = try decoder.record(Array(wire.utf8))
        #expect(record.unknown.count == 3)
        let again = try decoder.record(Array(text(record: record, form: .wire).utf8))
        #expect(again == record)
        #expect(try plain(json: text(record: record, form: .plain)) == record)
        #expect(
            text(record: record, form: .wire).contains(#""zz":-0.10"#)
                && text(record: record, form: .wire).contains(#"{"x":"\u00e9"}"#)
        )
    }

    @Test func noNameStandsTwiceWhenASchemaLearnsAFieldThatWasUnknown() throws {
        var record = try plain(json: #"{"id":"x","note":"mine"}"#)
        record.unknown = [UnknownField(path: "note", json: "5"), UnknownField(path: "zz", json: "1")]
        #expect(text(record: record, form: .plain) == #"{"id":"x","note":"mine","zz":1}"#)
        #expect(text(record: record, form: .wire) == #"{"id":"x","note":"mine","zz":1}"#)
        record.values[2] = nil
        #expect(text(record: record, form: .plain) == #"{"id":"x","note":5,"zz":1}"#)
    }

    @Test(arguments: [
        #"{"id":"x","address":5,"address":{"floor":1}}"#, #"{"id":"x","address":{"floor":1},"address":null}"#,
        #"{"id":"x","address":{},"address":{}}"#,
    ])
    func aFlattenedObjectStandsOnce(json: String) {
        #expect(throws: JSONError.self) {
            var decoder = RecordDecoder(descriptor: Self.thing, form: .wire)
            _ = try decoder.record(Array(json.utf8))
        }
    }

    @Test func noNameStandsTwiceWhenAFieldIsWrittenWhereAStrangerPutNoObject() throws {
        var decoder = RecordDecoder(descriptor: Self.thing, form: .wire)
        var record = try decoder.record(Array(#"{"id":"x","address":null}"#.utf8))
        #expect(text(record: record, form: .wire) == #"{"id":"x","address":null}"#)
        record.values[4] = .number(0.5)
        #expect(text(record: record, form: .wire) == #"{"id":"x","address":{"floor":0.5}}"#)
    }

    @Test(arguments: [
        #""units":{"tags":[["5.0000000000000abc.1","json","[1"]]}"#,
        #""units":{"tags":[["5.0000000000000abc.1","json","[] []"]]}"#,
        #""elements":{"tags":{"a":["5.0000000000000abc.1"]}}"#,
        #""elements":{"tags":{"\"a\\":["5.0000000000000abc.1"]}}"#,
    ])
    func finerMarksWhoseTextIsNoJSONAreRefused(members: String) {
        #expect(throws: JSONError.self) {
            _ = try FieldTimestampsCodec.decode("{\"origin\":\"5.0000000000000abc.1\",\(members)}")
        }
    }

    @Test(arguments: [
        (#"{"count":1}"#, "required"), (#"{"id":""}"#, "min-length"), (#"{"id":"x","count":11}"#, "maximum"),
        (#"{"id":"x","count":1.5}"#, "type"), (#"{"id":"x","note":"123456789"}"#, "max-length"),
        (#"{"id":null}"#, "type"), (#"{"id":"x","tags":["a","a"]}"#, "unique-items"),
        (#"{"id":"x","tags":["a","b","c","d","e"]}"#, "max-items"), (#"{"id":"x","parts":[{}]}"#, "required"),
        (#"{"id":"x","parts":[{"who":"a","amount":"1e5"}]}"#, "decimal"), (#"[]"#, "type"),
        (#"{"id":"x","floor":1e999}"#, "number-range"), (#"{"id":"x","floor":1e-999}"#, "number-range"),
        (#"{"id":"x","count":9223372036854775808}"#, "type"),
    ])
    func aValueThatDoesNotFitNamesItsFieldAndRule(json: String, rule: String) {
        do {
            _ = try plain(json: json)
            Issue.record("accepted")
        } catch let error as FieldError {
            #expect(error.rule == rule)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test(arguments: [
        (#"{"id":"\ud800"}"#, JSONError.Kind.loneSurrogate), (#"{"id":"x","id":"y"}"#, .duplicateMember),
        (#"{"id":"x","q":1,"q":2}"#, .duplicateMember), (#"{"id":"x"} x"#, .trailingBytes),
        (#"{"id":"x""#, .unexpectedEnd), ("{\"id\":\"a\u{1}b\"}", .controlCharacter),
        (#"{"id":"\x"}"#, .invalidEscape), (#"{"id":"x","q":01}"#, .unexpectedByte),
        (#"{"id":"x","q":"# + String(repeating: "[", count: 600), .tooDeep),
    ])
    func malformedJSONIsRefusedWithItsReason(json: String, kind: JSONError.Kind) {
        do {
            _ = try plain(json: json)
            Issue.record("accepted")
        } catch let error as JSONError {
            #expect(error.kind == kind)
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        for bytes: [UInt8] in [
            [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82],
        ] {
            var decoder = RecordDecoder(descriptor: Self.thing, form: .plain)
            let json = Array(#"{"id":""#.utf8) + bytes + Array(#""}"#.utf8)
            #expect(throws: JSONError.self) { try decoder.record(json) }
        }
    }

    @Test func anEntryKeepsEveryMark() throws {
        for number in 0..<200 as Range<UInt64> {
            var seed = Seed(number)
            let record = RecordGenerator(Self.thing).record(key: "k", seed: &seed)
            func editTimestamp() -> EditTimestamp {
                EditTimestamp(
                    time: Timestamp(microseconds: Int64.random(in: -9...9, using: &seed)),
                    device: DeviceID(bits: seed.next()),
                    sequence: Int64.random(in: 1...9, using: &seed)
                )
            }
            var metadata = VersionMetadata(first: editTimestamp())
            metadata.vector.insert(editTimestamp())
            var detail = FieldTimestamps(origin: editTimestamp())
            detail.units["count"] = [
                Sibling(editTimestamp: editTimestamp()),
                Sibling(editTimestamp: editTimestamp(), value: .absent),
                Sibling(editTimestamp: editTimestamp(), value: .value(.integer(-5))),
                Sibling(editTimestamp: editTimestamp(), value: .value(.text("\u{0}\"é"))),
            ]
            detail.elements["tags"] = [
                ElementKey("\"a\""): [editTimestamp(), editTimestamp()],
                ElementKey("\"e\u{301}\""): [editTimestamp()],
            ]
            detail.life = [editTimestamp()]
            let cause = DeleteCause(
                entity: "label",
                key: RecordKey("l\(number)"),
                editTimestamp: editTimestamp()
            )
            detail.cleared = [
                ClearedReference(field: "labelId", cause: cause),
                ClearedReference(field: "tags", cause: cause, edits: [editTimestamp(), editTimestamp()]),
            ]
            detail.moved = [
                "parentId": Move(edit: editTimestamp(), from: number % 2 == 0 ? nil : RecordKey("\""))
            ]
            metadata.detail = number % 3 == 0 ? nil : detail
            var version = SyncRecord(
                entity: "thing",
                key: RecordKey("k"),
                record: record,
                isDeleted: number % 2 == 0,
                mergedInto: number % 5 == 0 ? RecordKey("j") : nil,
                metadata: metadata
            )
            version.record.values[6] = nil
            let bytes = EntryCodec.encode(version, descriptor: Self.thing)
            #expect(try EntryCodec.decode(bytes, descriptor: Self.thing) == version, "seed \(number)")
        }
    }
}
