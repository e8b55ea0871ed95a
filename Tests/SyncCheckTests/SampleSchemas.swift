/// Small schemas, each with one feature.
enum SampleSchemas {
    static let all = ["note": note, "reading": reading, "seat": seat, "task": task]

    /// A UUID key, a set, a local field, and conflicts.
    static let note = schema(
        title: "Note",
        properties: """
            "id": { "type": "string", "format": "uuid" },
            "title": { "type": "string", "maxLength": 40 },
            "body": { "type": ["string", "null"] },
            "tags": { "type": "array", "items": { "type": "string" }, "uniqueItems": true, "sync": { "merge": "union" } },
            "draft": { "type": "string", "sync": { "localOnly": true } },
            "createdAt": { "type": "string", "format": "date-time" },
            "updatedAt": { "type": "string", "format": "date-time" }
            """,
        required: ["id", "title", "createdAt", "updatedAt"],
        sync:
            #""key": "id", "strategy": "preserve-local", "created": "createdAt", "updated": "updatedAt", "unique": [["title"]]"#
    )

    /// A free text key; both sides are merged.
    static let reading = schema(
        title: "Reading",
        properties: """
            "link": { "type": "string" },
            "isRead": { "type": "boolean" }
            """,
        required: ["link"],
        sync: #""key": "link", "strategy": "set-union""#
    )

    /// A key of two fields.
    static let seat = schema(
        title: "Seat",
        properties: """
            "room": { "type": "string" },
            "number": { "type": "integer" },
            "holder": { "type": "string" }
            """,
        required: ["room", "number"],
        sync: #""key": ["room", "number"], "strategy": "last-write-wins""#
    )

    /// Last-write-wins with a field that marks deletes.
    static let task = schema(
        title: "Task2",
        properties: """
            "id": { "type": "string" },
            "state": { "type": "string" },
            "deletedAt": { "type": ["string", "null"], "format": "date-time" }
            """,
        required: ["id"],
        sync: #""key": "id", "strategy": "last-write-wins", "deleted": "deletedAt""#
    )

    /// A schema file.
    static func schema(title: String, properties: String, required: [String], sync: String) -> String {
        """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "\(title)",
          "type": "object",
          "properties": { \(properties) },
          "required": [\(required.map { "\"\($0)\"" }.joined(separator: ", "))],
          "sync": { \(sync) }
        }

        """
    }
}
