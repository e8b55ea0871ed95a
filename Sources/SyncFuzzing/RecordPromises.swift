import SyncCore
import SyncDynamic
import SyncSchema

/// Promises of the record reader: a record survives a round trip, has only one written form, and has each
/// member once.
enum RecordPromises {
    static func check(_ bytes: [UInt8], form: RecordForm) throws -> Bool {
        let name = form == .plain ? "a record in plain form" : "a record in wire form"
        return try RoundTrip(
            form: name,
            read: { bytes in
                var decoder = RecordDecoder(descriptor: descriptor, form: form)
                let record = try decoder.record(bytes)
                try promise(
                    !repeatsName(bytes: text(record: record, form: form)),
                    kind: .nameRepeated,
                    of: name
                )
                return record
            },
            write: { text(record: $0, form: form) }
        ).check(bytes)
    }

    static func checkVersion(_ bytes: [UInt8]) throws -> Bool {
        try RoundTrip(
            form: "a version",
            read: { try EntryCodec.decode($0, descriptor: descriptor) },
            write: { EntryCodec.encode($0, descriptor: descriptor) },
            isSame: {
                $0 == $1 && descriptor.contentDigest(of: $0) == descriptor.contentDigest(of: $1)
            }
        ).check(bytes)
    }

    private static func text(record: Record, form: RecordForm) -> [UInt8] {
        var writer = JSONWriter()
        RecordEncoder(descriptor: descriptor, form: form).encode(RecordRow(record), to: &writer)
        return writer.bytes
    }

    /// Whether the record, or an object with its fields, has a repeated name. Unknown members are not searched.
    private static func repeatsName(bytes: [UInt8]) -> Bool {
        guard let record = try? ReadValue(bytes), case .object(let members) = record else { return true }
        let position = members.first { $0.name == Array("position".utf8) }
        return record.repeatsOwnName || position?.value.repeatsOwnName == true
    }

    /// An entity with a field of every type.
    static let descriptor: EntityDescriptor = {
        let source = SchemaSource(path: "sink.schema.json", bytes: Array(schema.utf8))
        let report = SchemaLoader.load([source])
        precondition(
            report.isValid,
            "The schema of the fuzzed records is broken: \(report.rendered(format: .text))"
        )
        return EntityDescriptor(schema: report.schemas[0])
    }()

    private static let schema = #"""
        {
          "title": "Sink", "type": "object",
          "$defs": { "Place": { "type": "object", "properties": {
            "placeName": { "type": "string" }, "height": { "type": ["number", "null"] },
            "visits": { "type": "array", "items": { "type": "string", "format": "date" }, "default": [] }
          }, "required": ["placeName"] } },
          "properties": {
            "id": { "type": "string", "minLength": 1, "maxLength": 40 },
            "code": { "type": ["string", "null"], "pattern": "^[A-Z]{2,8}$" },
            "count": { "type": "integer", "minimum": -9, "maximum": 9223372036854775807 },
            "ratio": { "type": ["number", "null"] },
            "isOpen": { "type": "boolean", "default": true },
            "reference": { "type": "string", "format": "uuid" },
            "startsAt": { "type": "string", "format": "date-time" },
            "birthday": { "type": "string", "format": "date" },
            "link": { "type": "string", "format": "uri", "maxLength": 300 },
            "price": { "type": "string", "format": "decimal" },
            "photo": { "type": "string", "contentEncoding": "base64" },
            "state": { "type": "string", "enum": ["draft", "done"] },
            "home": { "$ref": "#/$defs/Place" },
            "places": { "type": "array", "items": { "$ref": "#/$defs/Place" }, "maxItems": 50 },
            "matrix": { "type": "array", "items": { "type": "array", "items": { "type": ["integer", "null"] } } },
            "days": { "type": "array", "items": { "type": "string" }, "uniqueItems": true, "sync": { "merge": "union" } },
            "latitude": { "type": "number", "sync": { "name": "/position/lat" } },
            "longitude": { "type": ["number", "null"], "sync": { "name": "/position/lon" } },
            "pinned": { "type": "boolean", "default": false, "sync": { "localOnly": true } },
            "createdAt": { "type": "string", "format": "date-time" },
            "updatedAt": { "type": "string", "format": "date-time" }
          },
          "required": ["id", "createdAt", "updatedAt"],
          "sync": {
            "key": "id", "strategy": "set-union", "granularity": "field", "naming": "snake_case",
            "created": "createdAt", "updated": "updatedAt"
          }
        }
        """#
}
