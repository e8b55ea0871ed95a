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
                "word": { "type": "string", "maxLength": 5, "maxBytes": 9 },
                "code": { "type": "string", "maxLength": 5, "pattern": "^a" },
                "count": { "type": "integer", "minimum": 0 },
                "at": { "type": "string", "format": "date-time" },
                "day": { "type": "string", "format": "date" },
                "price": { "type": "string", "format": "decimal" },
                "link": { "type": "string", "format": "uri", "maxLength": 90 },
                "mood": { "type": "string", "enum": ["good", "bad"] },
                "tags": { "type": "array", "items": { "type": "string", "minLength": 1, "maxBytes": 9 }, "uniqueItems": true, "maxItems": 3 },
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
        let sql = try PostgresGenerator.files(for: schemas, options: PostgresOptions())[1].contents
        #expect(sql.contains("octet_length(word) <= 9") || sql.contains("octet_length(\"word\") <= 9"))
        let lines = try Self.rules(schemas)
        #expect(
            lines == [
                "code: pattern", "at: format", "price: format", "link: format", "tags: uniqueItems",
                "tags[]: type, minLength, maxBytes", "scores.*: type, minimum", "place: required",
                "place.lat: type, maximum",
                "place.flag: type", "place.data: type, contentEncoding",
            ]
        )
    }

    @Test func anEntityOfPlainColumnsHasNone() throws {
        let text = """
            {"title":"Thing","type":"object","properties":{"id":{"type":"string","maxLength":9}},"required":["id"],
            "sync":{"key":"id","strategy":"last-write-wins"}}
            """
        let schemas = try Samples.check([SchemaSource(path: "thing.schema.json", bytes: Array(text.utf8))])
        #expect(try Self.rules(schemas).isEmpty)
    }

    /// The list as it stands in the generated SQL.
    private static func rules(_ schemas: [Schema]) throws -> [String] {
        let files = try PostgresGenerator.files(for: schemas, options: PostgresOptions())
        return files[1].contents.split(separator: "\n").filter { $0.hasPrefix("--   ") }.map {
            String($0.dropFirst(5))
        }
    }
}
