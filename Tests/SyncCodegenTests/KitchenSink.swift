/// Schemas that use every type, keyword and kind of name.
enum KitchenSink {
    static let entity = #"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "$id": "kitchen-sink",
          "title": "KitchenSink",
          "description": "Everything that a schema can say.\n\nA second paragraph with */ a comment's end, /// slashes, \\(interpolation), \u2028 a line separator, \u202e a turn and a very long line that goes on and on until it no longer fits in the width that the formatter allows for a line.",
          "type": "object",
          "$defs": {
            "Place": {
              "description": "A place.",
              "type": "object",
              "properties": {
                "name": { "type": "string", "description": "What people call it" },
                "height": { "type": ["number", "null"] },
                "openedOn": { "type": "string", "format": "date" },
                "kind": { "type": "string", "enum": ["city", "in", "K"] },
                "visits": { "type": "array", "items": { "type": "string", "format": "date-time" }, "default": [] },
                "page": { "title": "Where it is described", "type": "string", "format": "uri", "sync": { "swiftType": "URL" } },
                "owner": {
                  "type": "object",
                  "properties": {
                    "class": { "type": "string", "default": "\"first\"\n" },
                    "cost": { "type": "string", "format": "decimal" }
                  },
                  "required": ["cost"]
                }
              },
              "required": ["name", "height"]
            }
          },
          "properties": {
            "account": { "type": "string", "minLength": 1 },
            "number": { "type": "integer" },
            "day": { "type": "string", "format": "date" },
            "device": { "type": "string", "format": "uuid" },
            "text": { "type": "string", "minLength": 1, "maxLength": 20000, "maxBytes": 65536, "default": "caf\u00e9 \\(1) \"x\"" },
            "code": { "type": ["string", "null"], "pattern": "^[A-Z]{2,8}(-[0-9]{1,4})?$", "default": "AB-1" },
            "longPattern": { "type": "string", "pattern": "^(alpha|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliett|kilo|lima|mike|november|oscar|papa|quebec)$" },
            "count": { "type": "integer", "minimum": -9007199254740993, "maximum": 9223372036854775807, "default": 7, "sync": { "merge": "max" } },
            "ratio": { "type": "number", "minimum": -1.5, "maximum": 1e300, "default": 0.1, "sync": { "merge": "min" } },
            "isOpen": { "type": "boolean", "default": true, "sync": { "merge": "or" } },
            "isOld": { "type": "boolean", "sync": { "merge": "and" } },
            "reference": { "type": ["string", "null"], "format": "uuid", "default": "379066E4-6DD5-4050-8470-004E08DA28BD" },
            "startsAt": { "type": "string", "format": "date-time", "default": "1969-12-31T23:59:59.999999Z" },
            "endsAt": { "type": ["string", "null"], "format": "date-time" },
            "birthday": { "type": "string", "format": "date", "default": "2024-02-29" },
            "link": { "type": "string", "format": "uri", "maxLength": 300, "default": "https://example.org", "sync": { "swiftType": "URL" } },
            "mirrors": { "type": "array", "items": { "type": ["string", "null"], "format": "uri" }, "default": ["urn:a", null], "sync": { "swiftType": "URL" } },
            "owners": { "type": "array", "items": { "type": "string", "format": "uuid" } },
            "price": { "title": "Price of \"one\"", "type": "string", "format": "decimal", "default": "0.10" },
            "photo": { "type": "string", "contentEncoding": "base64", "default": "AQID" },
            "state": { "type": "string", "enum": ["draft", "in-progress", "default", "self", "", "a\"b\\c", "\u00e9t\u00e9", "K", "unknown", "123"], "default": "in-progress" },
            "mood": { "type": ["string", "null"], "enum": ["good", "bad", null], "default": "bad" },
            "level": { "type": ["integer", "null"], "enum": [1, 0, -3, 9007199254740993, null], "default": -3 },
            "home": { "$ref": "#/$defs/Place" },
            "work": { "$ref": "#/$defs/Place", "description": "Where the work is." },
            "places": { "type": "array", "items": { "$ref": "#/$defs/Place" }, "minItems": 0, "maxItems": 50, "default": [ { "name": "here", "height": null } ] },
            "matrix": { "type": "array", "items": { "type": "array", "items": { "type": ["integer", "null"] } } },
            "maybes": { "type": "array", "items": { "type": ["string", "null"], "format": "decimal" }, "default": ["1.5", null] },
            "days": { "type": "array", "items": { "type": "string", "format": "date" }, "uniqueItems": true, "sync": { "merge": "union" } },
            "moods": { "type": "array", "items": { "type": "string", "enum": ["up", "down"] }, "uniqueItems": true, "minItems": 1, "sync": { "ordered": false } },
            "extra": { "type": "object", "description": "Whatever a plug-in keeps." },
            "anything": { "type": ["object", "null"], "default": { "b": [1, null], "a": {} } },
            "scores": { "type": "object", "additionalProperties": { "type": "integer", "minimum": 0 }, "default": {} },
            "times": { "type": "object", "additionalProperties": { "type": ["string", "null"], "format": "date-time" }, "default": { "b": "1970-01-01T00:00:00Z", "a": null } },
            "words": { "type": "object", "additionalProperties": { "enum": ["yes", "no"] } },
            "ranks": { "type": "array", "items": { "enum": [1, 2, 3] }, "uniqueItems": true, "sync": { "merge": "union" } },
            "stops": { "type": "array", "items": { "type": "string" }, "uniqueItems": true, "sync": { "ordered": true } },
            "latitude": { "type": "number", "sync": { "name": "/position/lat" } },
            "longitude": { "type": ["number", "null"], "sync": { "name": "/position/lon" } },
            "floor": { "type": "string", "format": "decimal", "sync": { "name": "/position/building/a~1b~0c" } },
            "german": { "type": "string", "sync": { "name": "gr\u00f6\u00dfe" } },
            "pinned": { "type": "boolean", "default": false, "sync": { "localOnly": true } },
            "draft": { "type": ["string", "null"], "sync": { "localOnly": true } },
            "oldName": { "type": "string", "sync": { "renamedFrom": "olderName" } },
            "class": { "type": "string" },
            "default": { "type": ["string", "null"] },
            "in": { "type": "integer" },
            "fields": { "type": "string" },
            "model": { "type": ["string", "null"] },
            "dto": { "type": "string" },
            "wire": { "type": "string" },
            "encoder": { "type": "string" },
            "decoder": { "type": "string" },
            "key": { "type": "string" },
            "row": { "type": "string" },
            "adapter": { "type": "string" },
            "record": { "type": "string" },
            "recordKey": { "type": "string" },
            "descriptor": { "type": "string" },
            "rawValue": { "type": "string" },
            "stringValue": { "type": "string" },
            "intValue": { "type": "integer" },
            "description": { "type": "string" },
            "oldValue": { "type": ["string", "null"] },
            "createdAt": { "type": "string", "format": "date-time" },
            "updatedAt": { "type": ["string", "null"], "format": "date-time" },
            "isDeleted": { "type": "boolean" }
          },
          "required": ["account", "number", "day", "device", "text", "count", "startsAt", "link", "state", "home", "places", "moods", "longitude", "createdAt"],
          "additionalProperties": false,
          "sync": {
            "version": 3, "key": ["account", "number", "day", "device"], "strategy": "set-union", "granularity": "field",
            "created": "createdAt", "updated": "updatedAt", "deleted": "isDeleted", "remote": "sinks", "naming": "snake_case",
            "unique": [["account", "count"]], "indexes": [["endsAt"], ["state", "price"]], "search": ["text"], "limit": 1000, "tombstoneDays": 90,
            "references": {
              "reference": { "entity": "sink-owner", "onDelete": "nullify" },
              "owners": { "entity": "sink-owner", "onDelete": "nullify" }
            }
          }
        }
        """#

    static let owner = #"""
        {
          "title": "SinkOwner",
          "type": "object",
          "properties": {
            "uuid": { "type": "string", "format": "uuid", "sync": { "swiftType": "ID" } },
            "allCases": { "type": "integer" }
          },
          "required": ["uuid"],
          "sync": { "key": "uuid", "strategy": "last-write-wins" }
        }
        """#
}
