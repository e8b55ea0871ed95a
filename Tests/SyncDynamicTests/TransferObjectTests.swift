import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// Wire objects go over the codec that sync uses.
@Suite struct TransferObjectTests {
    private let texts = ["code": ["AB"], "longPattern": ["kilo"]]

    @Test func bytesAreThoseOfAPushForEveryEntity() throws {
        try check(entity: BookmarkDTO.self)
        try check(entity: ProjectDTO.self)
        try check(entity: ReadStatusDTO.self)
        try check(entity: TransactionDTO.self)
        try check(entity: KitchenSinkDTO.self)
        try check(entity: SinkOwnerDTO.self)
    }

    @Test func aValueThatAPullRefusesIsRefusedWithFieldAndRule() throws {
        let refused: [(members: String, field: String, rule: String)] = [
            (#""surah_number":115"#, "surahNumber", "maximum"),
            (#""surah_number":1.000000000000000005"#, "surahNumber", "type"),
            (#""surah_number":"2""#, "surahNumber", "type"),
            (#""surah_number":2,"user_id":"""#, "userId", "min-length"),
            (#""surah_number":2,"tags":["a","a"]"#, "tags", "unique-items"),
            (#""surah_number":2,"tags":["a",7]"#, "tags[1]", "type"),
            (#""surah_number":null"#, "surahNumber", "type"),
            (#""verse_translation":"x""#, "surahNumber", "required"),
        ]
        for (members, field, rule) in refused {
            let error = #expect(throws: FieldError.self, "\(members)") {
                try BookmarkDTO(json: bookmark(members: members))
            }
            #expect(error?.field == field && error?.rule == rule, "\(members)")
        }
    }

    @Test func bytesThatAreNoJSONAreRefusedWithTheirPlace() throws {
        for (text, place) in [("", 0), ("{\"id\":1,}", 8), ("{\"a\":1,\"a\":2}", 12), ("{} {}", 3)] {
            let error = #expect(throws: FieldError.self, "\(text)") { try SinkOwnerDTO(json: text.utf8) }
            guard error?.rule == "json" else { continue }
            #expect(error?.message.hasSuffix("at byte \(place).") == true, "\(text): \(error?.message ?? "")")
        }
        #expect(throws: FieldError.self) { try SinkOwnerDTO(json: [0x7b, 0x22, 0xff, 0x22]) }
    }

    @Test func whatTheSchemaDoesNotKnowPassesUntouched() throws {
        // Two names that differ only in the Unicode form of a letter.
        let others = [#""a":1e400"#, #""b":1.10"#, "\"\u{e9}\":[1,{\"x\":null}]", "\"e\u{301}\":-0.0"]
        let members = ([#""surah_number":2"#] + others).joined(separator: ",")
        let dto = try BookmarkDTO(json: bookmark(members: members))
        #expect(dto.unknownFields["a"] == "1e400")
        let json = String(decoding: try dto.json(), as: UTF8.self)
        for member in others { #expect(json.contains(member), "\(member) in \(json)") }
        #expect(try BookmarkDTO(try Bookmark(dto)) == dto)
    }

    @Test func textIsBroughtIntoItsOneSpelling() throws {
        var dto = try BookmarkDTO(json: bookmark(members: #""surah_number":2"#))
        dto.id = dto.id.uppercased()
        dto.createdAt = "2025-12-25T10:21:01.50+01:00"
        dto.tags = ["b", "a"]
        let read = try BookmarkDTO(json: dto.json())
        #expect(read.id == dto.id.lowercased())
        #expect(read.createdAt == "2025-12-25T09:21:01.5Z")
        #expect(read.tags == ["a", "b"])
    }

    @Test func whatAPushWouldRefuseIsNotWritten() throws {
        let draft = try BookmarkDTO(Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255))
        let missing = #expect(throws: FieldError.self) { try draft.json() }
        #expect(missing?.field == "createdAt" && missing?.rule == "required")
        var dto = try BookmarkDTO(json: bookmark(members: #""surah_number":2"#))
        dto.createdAt = "yesterday"
        #expect(throws: FieldError.self) { try dto.json() }
        let wrong = FieldError(field: "createdAt", rule: "type", message: "'createdAt' must be a date-time.")
        #expect(throws: wrong) { try Bookmark(dto) }
    }

    @Test func nestedObjectsHaveWireNamesOfTheirOwn() throws {
        let json = #"{"name":"here","height":null,"extra":1.0}"#
        let place = try KitchenSinkDTO.Place(json: json.utf8)
        #expect(place.name == "here" && place.height == nil)
        #expect(try place.json() == Array(json.utf8))
        #expect(try KitchenSinkDTO.Place(KitchenSink.Place(place)) == place)
        #expect(throws: FieldError.self) { try KitchenSinkDTO.Place(json: #"{"name":"here"}"#.utf8) }
    }

    private func bookmark(members: String) -> Data {
        let text = """
            {"id":"379066e4-6dd5-4050-8470-004e08da28bd","verse_number":255,"created_at":"2025-12-25T09:21:01Z",
            "updated_at":"2025-12-25T09:21:01Z"\(members.contains("user_id") ? "" : #","user_id":"ada""#),\(members)}
            """
        return Data(text.utf8)
    }

    private func check<Object: TransferObject>(entity: Object.Type) throws
    where Object.ModelType: SyncEntity {
        let adapter = Object.ModelType.adapter
        let encoder = RecordEncoder(descriptor: adapter.descriptor, form: .wire)
        for (number, record) in try records(adapter: adapter).enumerated() {
            let story = "\(adapter.descriptor.name), record \(number)"
            let bytes = encoder.bytes(record)
            let dto = try Object(json: bytes)
            #expect(try dto.json() == bytes, "\(story)")
            let model = try adapter.model(record)
            #expect(try Object(model) == dto, "\(story)")
            #expect(try Object.ModelType(Object(model)) == model, "\(story)")
            #expect(try Object(json: Object(model).json()) == dto, "\(story)")
        }
    }

    /// Records at the edges and drawn ones, without what stays on the device.
    private func records<Adapter: EntityAdapter>(adapter: Adapter) throws -> [Record] {
        let descriptor = adapter.descriptor
        let time = FieldValue.timestamp(Timestamp(microseconds: 1_766_654_461_500_000))
        var records: [Record] = []
        for seed in 0..<3 as Range<UInt64> {
            records += try AdapterSuite(adapter: adapter, texts: texts).records(seed: seed)
            var draws = Seed(seed)
            let generator = RecordGenerator(descriptor)
            guard generator.fieldsWithoutValues.isEmpty else { continue }
            for number in 1...40 {
                var record = generator.record(number: number, seed: &draws)
                for index in [descriptor.layout.created, descriptor.layout.updated].compactMap({ $0 }) {
                    record.values[index] = time
                }
                records.append(record)
            }
        }
        return records.map { record in
            var record = record
            for index in descriptor.layout.localOnly { record.values[index] = nil }
            return record
        }
    }
}
