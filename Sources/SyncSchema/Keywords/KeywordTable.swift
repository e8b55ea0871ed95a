/// The keywords allowed at a kind of place in a schema, with their JSON types.
struct KeywordTable: Sendable {
    /// The place in a sentence, for example `a field`.
    var place: String
    var kinds: [String: Kind]
    /// Whether other tools may have keywords of their own here, which mean nothing to this one.
    var takesAnnotations = false

    /// The JSON type that a keyword's value must have.
    enum Kind: Sendable {
        case string, boolean, number, array, object, stringOrArray, booleanOrObject, any
        /// An integer of at least 0.
        case count
        /// An integer of at least 1.
        case positive

        /// The type in a sentence.
        var name: String {
            switch self {
            case .string: "a string"
            case .boolean: "true or false"
            case .number: "a number"
            case .array: "an array"
            case .object: "an object"
            case .stringOrArray: "a string or an array of strings"
            case .booleanOrObject: "true, false or a schema"
            case .any: "any value"
            case .count: "an integer from 0"
            case .positive: "an integer from 1"
            }
        }
    }

    /// Annotations for people and tools, which affect no check.
    private static let annotations: [String: Kind] = [
        "title": .string, "description": .string, "examples": .array, "$comment": .string,
        "deprecated": .boolean,
        "readOnly": .boolean, "writeOnly": .boolean, "default": .any,
    ]

    private static let constraints: [String: Kind] = [
        "type": .stringOrArray, "enum": .array, "const": .any, "nullable": .boolean, "$ref": .string,
        "format": .string, "minLength": .count,
        "maxLength": .count, "maxBytes": .count, "pattern": .string, "contentEncoding": .string,
        "contentMediaType": .string,
        "minimum": .number, "maximum": .number, "exclusiveMinimum": .number, "exclusiveMaximum": .number,
        "items": .object, "uniqueItems": .boolean, "minItems": .count, "maxItems": .count,
        "properties": .object, "required": .array, "additionalProperties": .booleanOrObject,
    ]

    /// The root of a file.
    static let entity = KeywordTable(
        place: "an entity",
        kinds: annotations.merging([
            "$schema": .string, "$id": .string, "$defs": .object, "type": .stringOrArray,
            "properties": .object,
            "required": .array, "additionalProperties": .boolean, "sync": .object,
        ]) { $1 },
        takesAnnotations: true
    )

    /// A field of an entity or of a nested object.
    static let field = KeywordTable(
        place: "a field",
        kinds: annotations.merging(constraints) { $1 }.merging(["sync": .object]) { $1 },
        takesAnnotations: true
    )

    /// The elements of an array.
    static let items = KeywordTable(
        place: "array items",
        kinds: annotations.merging(constraints) { $1 },
        takesAnnotations: true
    )

    /// An entry of `$defs`.
    static let definition = KeywordTable(
        place: "a definition",
        kinds: annotations.merging(constraints) { $1 },
        takesAnnotations: true
    )

    /// `sync` of an entity.
    static let entitySync = KeywordTable(
        place: "'sync' of an entity",
        kinds: [
            "version": .positive, "key": .stringOrArray, "strategy": .string, "granularity": .string,
            "created": .string, "updated": .string, "deleted": .string, "remote": .string, "naming": .string,
            "unique": .array, "indexes": .array, "search": .array, "limit": .positive, "references": .object,
            "tombstoneDays": .positive, "sql": .object, "$comment": .string,
        ]
    )

    /// `sync` of a field.
    static let fieldSync = KeywordTable(
        place: "'sync' of a field",
        kinds: [
            "merge": .string, "name": .string, "renamedFrom": .stringOrArray, "localOnly": .boolean,
            "ordered": .boolean, "swiftType": .string, "$comment": .string,
        ]
    )

    /// `sql` of an entity's `sync`.
    static let sqlTable = KeywordTable(
        place: "'sql' of an entity",
        kinds: [
            "table": .string, "owner": .string, "columns": .object, "onAlter": .string, "$comment": .string,
        ]
    )

    /// One entry of `columns` that is not a type alone.
    static let sqlColumn = KeywordTable(
        place: "a column",
        kinds: ["name": .string, "type": .string, "$comment": .string]
    )

    /// One entry of `references`.
    static let reference = KeywordTable(
        place: "a reference",
        kinds: [
            "entity": .string, "onDelete": .string, "fields": .array, "cyclic": .boolean, "$comment": .string,
        ]
    )

    /// Keywords of JSON Schema 2020-12 and older drafts that this format does not support, each with an
    /// alternative.
    static let unsupported: [String: String] = {
        let lhs =
            "describe the value with one type; for a value or null write \"type\": [\"string\", \"null\"]"
        let nested = "list every field in \"properties\""
        let leave = "remove it"
        let condition =
            "remove it; each field is checked by itself, so let the app check what depends on another"
        return [
            "oneOf": lhs, "anyOf": lhs, "allOf": "write the keywords of its parts in one object",
            "not": "say with an enum, a pattern or bounds what is allowed",
            "if": condition, "then": condition, "else": condition,
            "multipleOf": leave,
            "prefixItems": "use an object with named fields", "contains": leave, "minContains": leave,
            "maxContains": leave, "unevaluatedItems": leave, "additionalItems": leave,
            "patternProperties": nested, "propertyNames": nested, "minProperties": nested,
            "maxProperties": nested,
            "dependentRequired": leave, "dependentSchemas": leave, "dependencies": leave,
            "unevaluatedProperties": "use \"additionalProperties\": false",
            "definitions": "write \"$defs\"", "$anchor": "use \"$ref\": \"#/$defs/Name\"",
            "$dynamicRef": "use \"$ref\": \"#/$defs/Name\"", "$dynamicAnchor": leave, "$recursiveRef": leave,
            "$recursiveAnchor": leave, "$vocabulary": leave, "contentSchema": leave, "id": "write \"$id\"",
            "ownerVia":
                "give the table a column with the owner, fill it from the parent's rows, and name it in \"owner\"",
        ]
    }()
}
