import Foundation
import SyncSchema

/// Schemas that are made rather than written: the same for the same number.
enum GeneratedSchemas {
    /// Schemas of so many fields each: a key, two times, and others of every kind, with descriptions as people write them.
    static func sources(count: Int, fields: Int) -> [SchemaSource] {
        (0..<count).map { number in
            SchemaSource(
                path: "\(name(key: number)).schema.json",
                bytes: Array(text(number: number, fields: fields).utf8)
            )
        }
    }

    /// Writes them into a folder. Returns their paths.
    static func write(_ count: Int, fields: Int, to folder: String) throws -> [String] {
        try sources(count: count, fields: fields).map { source in
            let path = "\(folder)/\(source.path)"
            try Data(source.bytes).write(to: URL(fileURLWithPath: path))
            return path
        }
    }

    /// `item-007`.
    static func name(key number: Int) -> String { "item-\(digits(number: number))" }

    static func digits(number: Int) -> String {
        String(repeating: "0", count: max(0, 3 - String(number).count)) + String(number)
    }

    private static func text(number: Int, fields: Int) -> String {
        var properties = [
            #""id": { "description": "Identifies the item on all devices.", "type": "string", "format": "uuid" }"#,
            #""createdAt": { "description": "When the item was made.", "type": "string", "format": "date-time" }"#,
            #""updatedAt": { "description": "When it last changed.", "type": "string", "format": "date-time" }"#,
        ]
        for index in 0..<max(0, fields - properties.count) {
            let kind = kinds[(index + number) % kinds.count]
            properties.append(
                #""field\#(digits(number: index))": { "description": "What field \#(index) says of item \#(number).", \#(kind) }"#
            )
        }
        let strategy = ["last-write-wins", "preserve-local", "set-union"][number % 3]
        return """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "$id": "\(name(key: number))",
              "title": "Item\(digits(number: number))",
              "description": "An item of kind \(number), with a field of every type.",
              "type": "object",
              "properties": {
                \(properties.joined(separator: ",\n    "))
              },
              "required": ["id", "createdAt", "updatedAt"],
              "sync": {
                "version": 1, "key": "id", "strategy": "\(strategy)", "created": "createdAt",
                "updated": "updatedAt", "naming": "snake_case", "indexes": [["createdAt"]]
              }
            }

            """
    }

    private static let kinds = [
        #""type": "string", "maxLength": 1000"#,
        #""type": ["string", "null"], "maxLength": 1000"#,
        #""type": "integer", "minimum": 0, "maximum": 1000000, "default": 0"#,
        #""type": ["number", "null"]"#,
        #""type": "boolean", "default": false"#,
        #""type": ["string", "null"], "format": "date-time""#,
        #""type": "string", "format": "decimal""#,
        #""type": "string", "enum": ["draft", "planned", "done"], "default": "draft""#,
        #""type": "array", "items": { "type": "string", "maxLength": 100 }, "uniqueItems": true, "default": [], "sync": { "merge": "union" }"#,
        #""type": "array", "items": { "type": "integer" }, "default": []"#,
        #""type": "object", "properties": { "name": { "type": "string" }, "height": { "type": ["number", "null"] } }, "required": ["name"]"#,
        #""type": "string", "format": "date""#,
    ]
}
