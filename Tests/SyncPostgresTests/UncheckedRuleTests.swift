import Foundation
import SyncPostgres
import SyncSchema
import Testing

/// The list of what the SQL alone does not check.
@Suite struct UncheckedRuleTests {
    @Test func patternsFormatsAndEverythingInsideAColumnAreNamed() throws {
        let text = """
            {
              "title": "Thing", "type": "object",
              "properties": {
                "id": { "type": "string", "format": "uuid" },
                "word": { "type": "string", "maxLength": 5 },
                "code": { "type": "string", "maxLength": 5, "pattern": "^a" },
                "count": { "type": "integer", "minimum": 0 },
                "at": { "type": "string", "format": "date-time" },
                "day": { "type": "string", "format": "date" },
                "price": { "type": "string", "format": "decimal" },
                "link": { "type": "string", "format": "uri", "maxLength": 90 },
                "mood": { "type": "string", "enum": ["good", "bad"] },
                "tags": { "type": "array", "items": { "type": "string", "minLength": 1 }, "uniqueItems": true, "maxItems": 3 },
                "scores": { "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 } },
                "draft": { "type": "string", "pattern": "^a", "sync": { "localOnly": true } },
                "place": {
                  "title": "Place", "type": "object",
                  "properties": {
                    "lat": { "type": "number", "maximum": 90 }, "flag": { "type": "boolean" },
                    "data": { "type": "string", "contentEncoding": "base64" }
                  },
                  "required": ["lat"]
                }
              },
              "required": ["id"],
              "sync": { "key": "id", "strategy": "last-write-wins" }
            }
            """
        let schemas = try Samples.check([SchemaSource(path: "thing.schema.json", bytes: Array(text.utf8))])
        let lines = PostgresGenerator.uncheckedRules(of: schemas).map {
            "\($0.entity) \($0.field): \($0.keywords.joined(separator: ", "))"
        }
        #expect(
            lines == [
                "thing code: pattern", "thing at: format", "thing price: format", "thing link: format",
                "thing tags: uniqueItems", "thing tags[]: type, minLength", "thing scores.*: type, minimum",
                "thing place: required", "thing place.lat: type, maximum", "thing place.flag: type",
                "thing place.data: type, contentEncoding",
            ]
        )
    }

    @Test func anEntityOfPlainColumnsHasNone() throws {
        let text = """
            {"title":"Thing","type":"object","properties":{"id":{"type":"string","maxLength":9}},"required":["id"],
            "sync":{"key":"id","strategy":"last-write-wins"}}
            """
        let schemas = try Samples.check([SchemaSource(path: "thing.schema.json", bytes: Array(text.utf8))])
        #expect(PostgresGenerator.uncheckedRules(of: schemas).isEmpty)
    }
}
