import Foundation
import SyncChecks
import SyncCore
import SyncDynamic
import SyncEntities
import SyncSchema
import Testing

/// All generated records fit their schema.
@Suite struct RecordGeneratorTests {
    /// Fields with every constraint and little room.
    private static let fields = #"""
        "id": { "type": "string", "pattern": "^[A-Z]{2}-[0-9]{3,5}$" },
        "one": { "type": "string", "maxLength": 1 }, "none": { "type": "string", "maxLength": 0 },
        "long": { "type": "string", "minLength": 70, "maxLength": 70 },
        "code": { "type": ["string", "null"], "pattern": "^[A-Z]{2,8}(-[0-9]{1,4})?$", "default": "AB-1" },
        "word": { "type": "string", "pattern": "^(alpha|bravo|charlie)$" },
        "mail": { "type": "string", "pattern": "^[^\\s@]+@[^\\s@]+\\.[a-z]{2,}$", "minLength": 12, "maxLength": 40 },
        "phone": { "type": "string", "pattern": "^\\+?[0-9 ()\\-]{5,20}$" },
        "mixed": { "type": "string", "pattern": "^(?:a|b)+?\\d\\.\\p{L}*$" },
        "arabic": { "type": "string", "pattern": "[\\u0600-\\u06FF]" },
        "open": { "type": "string", "pattern": "^x", "minLength": 30 },
        "around": { "type": "string", "pattern": "^a^b$" },
        "wanted": { "type": "string", "pattern": "^kilo\\b.{0,2}$" },
        "bit": { "type": "integer", "minimum": 0, "maximum": 1 },
        "only": { "type": "integer", "minimum": 7, "maximum": 7 },
        "cold": { "type": "integer", "minimum": -9, "maximum": -7 },
        "below": { "type": "integer", "maximum": -100 },
        "least": { "type": "integer", "maximum": -9223372036854775807 },
        "most": { "type": "integer", "minimum": 9223372036854775806 },
        "part": { "type": "number", "minimum": -0.25, "maximum": 0.25 },
        "minus": { "type": "number", "maximum": -3 }, "wide": { "type": "number", "minimum": -1.5e308, "maximum": 1.5e308 },
        "link": { "type": "string", "format": "uri", "maxLength": 3 },
        "state": { "type": "string", "enum": ["only"] },
        "flags": { "type": "array", "items": { "type": "boolean" }, "minItems": 5, "maxItems": 6 },
        "many": { "type": "array", "uniqueItems": true, "items": { "type": "string" }, "minItems": 9 },
        "pair": { "type": "array", "uniqueItems": true, "items": { "type": "boolean" }, "minItems": 2, "maxItems": 2 },
        "empty": { "type": "array", "items": { "type": "integer" }, "maxItems": 0 },
        "house": { "type": "object", "required": ["rooms", "sign"], "properties": {
          "rooms": { "type": "array", "items": { "type": "integer", "minimum": 3, "maximum": 4 }, "minItems": 1 },
          "sign": { "type": "string", "pattern": "^[0-9]{2}$" },
          "note": { "type": ["string", "null"], "minLength": 3 } } },
        "when": { "type": "string", "format": "date-time" }, "day": { "type": "string", "format": "date" },
        "price": { "type": "string", "format": "decimal" }
        """#

    private func entities(fields: String, required: [String], key: String) throws -> [EntityDescriptor] {
        let text = """
            { "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Thing", "type": "object",
              "properties": { \(fields) }, "required": [\(required.map { "\"\($0)\"" }.joined(separator: ","))],
              "sync": { "key": \(key), "strategy": "last-write-wins" } }
            """
        let report = SchemaLoader.load([SchemaSource(path: "thing.schema.json", bytes: Array(text.utf8))])
        try #require(report.schemas.count == 1, "\(report.rendered(format: .text))")
        return report.schemas.map { EntityDescriptor(schema: $0) }
    }

    private func check(entity: EntityDescriptor, record: Record, seed: UInt64) {
        var record = record
        for index in [entity.layout.created, entity.layout.updated].compactMap({ $0 }) {
            record.values[index] = .timestamp(Timestamp(microseconds: 0))
        }
        for form in [RecordForm.wire, .plain] {
            let bytes = RecordEncoder(descriptor: entity, form: form).bytes(record)
            var decoder = RecordDecoder(descriptor: entity, form: form)
            do {
                let found = try decoder.record(bytes)
                if form == .plain { #expect(found.values == record.values, "seed \(seed)") }
            } catch {
                Issue.record("seed \(seed): \(error) in \(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    private func check(_ entity: EntityDescriptor) {
        let generator = RecordGenerator(entity)
        #expect(generator.fieldsWithoutValues == [])
        for number in UInt64(0)..<150 {
            var seed = Seed(number)
            let record = generator.record(number: Int(number % 6) + 1, seed: &seed)
            check(entity: entity, record: record, seed: number)
            check(entity: entity, record: generator.edit(record, seed: &seed), seed: number)
        }
        var seed = Seed(0)
        let keys = Set((1...6).compactMap { entity.key(of: generator.record(number: $0, seed: &seed)) })
        #expect(keys.count == 6, "\(keys.map(\.text))")
    }

    @Test func recordsFitEveryConstraint() throws {
        let all = try entities(
            fields: Self.fields,
            required: ["id", "long", "word", "wanted", "house"],
            key: #""id""#
        )
        for entity in all { check(entity) }
    }

    @Test(arguments: [
        #"{ "type": "string" }"#, #"{ "type": "integer" }"#, #"{ "type": "string", "format": "uuid" }"#,
        #"{ "type": "string", "format": "date" }"#, #"{ "type": "string", "format": "uri" }"#,
        #"{ "type": "string", "minLength": 12, "maxLength": 12 }"#, #"{ "type": "integer", "maximum": -5 }"#,
    ])
    func keysOfEveryTypeAreToldApart(type: String) throws {
        for entity in try entities(fields: "\"id\": \(type)", required: ["id"], key: #""id""#) {
            check(entity)
        }
        let fields = "\"room\": { \"type\": \"string\" }, \"place\": \(type)"
        for entity in try entities(fields: fields, required: ["room", "place"], key: #"["room", "place"]"#) {
            check(entity)
        }
    }

    @Test func shippedSchemasAreFitted() {
        for entity in SyncRegistry.descriptors { check(entity) }
    }

    @Test func aRequiredFieldForWhichThereIsNoValueIsNamed() throws {
        let fields = #""id": { "type": "string" }, "word": { "type": "string", "pattern": "^a^b$" }"#
        let all = try entities(fields: fields, required: ["id", "word"], key: #""id""#)
        #expect(all.map { RecordGenerator($0).fieldsWithoutValues } == [["word"]])
    }

    @Test func fewValuesAreDrawnSoThatEditsMeet() throws {
        let fields = #""id": { "type": "string" }, "word": { "type": "string", "pattern": "^[a-z]{4,9}$" }"#
        let entity = try #require(
            try entities(fields: fields, required: ["id", "word"], key: #""id""#).first
        )
        var values: Set<FieldValue?> = []
        for number in UInt64(0)..<100 {
            var seed = Seed(number)
            values.insert(RecordGenerator(entity).record(number: 1, seed: &seed).values[1])
        }
        #expect((2...4).contains(values.count))
    }

    @Test func lawsHoldForEntitiesWithTightConstraints() throws {
        let all = try entities(
            fields: Self.fields,
            required: ["id", "long", "word", "wanted"],
            key: #""id""#
        )
        for entity in all + SyncRegistry.descriptors {
            let among = entity.name == "thing" ? all : SyncRegistry.descriptors
            #expect(EntityLaws(descriptor: entity, among: among).violation(firstSeed: 40, seeds: 6) == nil)
        }
    }
}
