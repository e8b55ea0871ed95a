import SyncCore
import SyncDynamic
import SyncSchema

/// The schema of the input's entity as text, for what reads schemas at run time. Descriptions are left out.
enum BenchSchema {
    /// The entity as the schema's text describes it. Throws when it is another one than the generated.
    static func descriptor() throws -> EntityDescriptor {
        let source = SchemaSource(path: "bookmark.schema.json", bytes: Array(text.utf8))
        guard let schema = SchemaLoader.load([source]).schemas.first else {
            throw Unmeasured(reason: "the schema cannot be read")
        }
        let descriptor = EntityDescriptor(schema: schema)
        guard descriptor == Bookmark.adapter.descriptor else {
            throw Unmeasured(reason: "the schema is not that of the generated code")
        }
        return descriptor
    }

    static let text = """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "bookmark",
          "title": "Bookmark",
          "type": "object",
          "properties": {
            "id": { "type": "string", "format": "uuid" },
            "userId": { "type": "string", "minLength": 1, "maxLength": 200 },
            "surahNumber": { "type": "integer", "minimum": 1, "maximum": 114 },
            "verseNumber": { "type": "integer", "minimum": 1 },
            "surahName": { "type": "string", "maxLength": 200 },
            "verseText": { "type": "string", "maxLength": 10000 },
            "verseTranslation": { "type": "string", "maxLength": 10000 },
            "notes": { "type": ["string", "null"], "maxLength": 100000 },
            "tags": {
              "type": "array",
              "items": { "type": "string", "minLength": 1, "maxLength": 200 },
              "uniqueItems": true,
              "default": [],
              "sync": { "merge": "union" }
            },
            "createdAt": { "type": "string", "format": "date-time" },
            "updatedAt": { "type": "string", "format": "date-time" }
          },
          "required": ["id", "userId", "surahNumber", "verseNumber", "createdAt", "updatedAt"],
          "sync": {
            "version": 1,
            "key": "id",
            "strategy": "preserve-local",
            "created": "createdAt",
            "updated": "updatedAt",
            "remote": "bookmarks",
            "naming": "snake_case",
            "unique": [["userId", "surahNumber", "verseNumber"]],
            "indexes": [["createdAt"]]
          }
        }
        """
}
