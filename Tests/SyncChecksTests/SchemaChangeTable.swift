import Foundation
import SyncSchema

/// A schema before and after a change, as JSON.
typealias SchemaEdit = @Sendable (inout SchemaSketch) -> Void

/// A set of schemas that tests change.
struct SchemaSketch {
    /// Properties of the note, by name.
    var properties: [String: [String: Any]] = [
        "id": ["type": "string"], "title": ["type": "string"], "body": ["type": ["string", "null"]],
        "code": ["type": "string"], "rank": ["type": "integer"],
        "labels": ["type": "array", "items": ["type": "string"]],
        "gone": ["type": ["boolean", "null"]], "boxId": ["type": "string"],
        "place": ["type": "object", "title": "Place", "properties": ["x": ["type": "string"]]],
        "made": ["type": "string", "format": "date-time"],
        "changed": ["type": "string", "format": "date-time"],
    ]
    var required = ["id", "title", "made", "changed"]
    var sync: [String: Any] = [
        "version": 1, "key": "id", "strategy": "last-write-wins", "created": "made", "updated": "changed",
    ]
    var forbidsOthers = false
    var name = "note"
    /// Names of further entities.
    var others: [String] = []

    /// The files of the set.
    var sources: [SchemaSource] {
        get throws {
            var note: [String: Any] = [
                "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": name, "title": "Note",
                "type": "object", "properties": properties, "required": required, "sync": sync,
            ]
            if forbidsOthers { note["additionalProperties"] = false }
            return try [SchemaSource(path: "\(name).schema.json", bytes: bytes(note))]
                + others.map { other in
                    let schema: [String: Any] = [
                        "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": other,
                        "title": other.capitalized, "type": "object", "required": ["id"],
                        "properties": ["id": ["type": "string"], "name": ["type": "string"]],
                        "sync": ["version": 1, "key": "id", "strategy": "last-write-wins"],
                    ]
                    return SchemaSource(path: "\(other).schema.json", bytes: try bytes(schema))
                }
        }
    }

    private func bytes(_ object: [String: Any]) throws -> [UInt8] {
        [UInt8](try JSONSerialization.data(withJSONObject: object, options: .sortedKeys))
    }

    /// Adds members to a property.
    mutating func set(_ field: String, _ members: [String: Any]) {
        properties[field, default: [:]].merge(members) { _, new in new }
    }

    /// Adds a member to the property's `sync`.
    mutating func setSync(_ field: String, _ members: [String: Any]) {
        var sync = properties[field]?["sync"] as? [String: Any] ?? [:]
        sync.merge(members) { _, new in new }
        properties[field]?["sync"] = sync
    }

    mutating func refer(to entity: String, onDelete: String) {
        others = [entity]
        sync["references"] = ["boxId": ["entity": entity, "onDelete": onDelete]]
        setSync("boxId", [:])
    }
}

/// A change of a schema: what the rule's world is played with.
struct SchemaChangeCase: Sendable, CustomStringConvertible {
    /// What becomes of a store that the newer schemas open.
    enum Effect { case opens, refuses, leavesTable }

    var rule: String
    var effect = Effect.opens
    var old: SchemaEdit = { _ in }
    var new: SchemaEdit = { _ in }

    var description: String { rule }

    /// The same change the other way round.
    func reversed(_ rule: String) -> Self { Self(rule: rule, effect: effect, old: new, new: old) }
}

/// A case for every rule of `diff`.
enum SchemaChangeTable {
    static let cases: [SchemaChangeCase] = entities + merging + fields + types

    private static let entityAdded = SchemaChangeCase(rule: "entity-added", new: { $0.others = ["tag"] })
    private static let forbidden = SchemaChangeCase(
        rule: "unknown-fields-forbidden",
        new: { $0.forbidsOthers = true }
    )
    private static let limit = SchemaChangeCase(rule: "limit-lowered", new: { $0.sync["limit"] = 1 })
    static let entities: [SchemaChangeCase] = [
        entityAdded, entityAdded.reversed("entity-removed"),
        SchemaChangeCase(rule: "entity-renamed", effect: .leavesTable, new: { $0.name = "memo" }),
        SchemaChangeCase(
            rule: "key-changed",
            effect: .refuses,
            new: {
                $0.properties["id"] = nil
                $0.required = ["code", "title", "made", "changed"]
                $0.sync["key"] = "code"
            }
        ),
        SchemaChangeCase(rule: "remote-changed", new: { $0.sync["remote"] = "memos" }),
        SchemaChangeCase(rule: "version-lowered", effect: .refuses, old: { $0.sync["version"] = 2 }),
        SchemaChangeCase(rule: "version-not-raised", new: { $0.set("extra", ["type": "string"]) }),
        forbidden, forbidden.reversed("unknown-fields-allowed"),
        SchemaChangeCase(rule: "indexes-changed", new: { $0.sync["indexes"] = [["code"]] }),
        limit, limit.reversed("limit-raised"),
    ]

    private static let rule = SchemaChangeCase(
        rule: "merge-rule-added",
        new: { $0.setSync("code", ["merge": "last-write-wins"]) }
    )
    private static let mirror = SchemaChangeCase(
        rule: "deleted-changed",
        new: { $0.sync["deleted"] = "gone" }
    )
    private static let unique = SchemaChangeCase(
        rule: "unique-added",
        old: { $0.sync["unique"] = [["boxId", "rank"]] },
        new: { $0.sync["unique"] = [["boxId", "rank"], ["code"]] }
    )
    private static let reference = SchemaChangeCase(
        rule: "reference-added",
        old: { $0.others = ["box"] },
        new: { $0.refer(to: "box", onDelete: "nullify") }
    )
    private static let circles = SchemaChangeCase(
        rule: "tree-changed",
        old: { $0.sync["references"] = ["boxId": ["entity": "note", "onDelete": "nullify"]] },
        new: {
            $0.sync["references"] = [
                "boxId": ["entity": "note", "onDelete": "nullify", "cyclic": true] as [String: Any]
            ]
        }
    )
    private static let order = SchemaChangeCase(
        rule: "set-changed",
        old: { $0.set("labels", ["uniqueItems": true]) },
        new: { $0.set("labels", ["uniqueItems": true, "sync": ["ordered": true]]) }
    )
    private static let tombstones = SchemaChangeCase(
        rule: "tombstones-shortened",
        new: { $0.sync["tombstoneDays"] = 30 }
    )
    static let merging: [SchemaChangeCase] = [
        SchemaChangeCase(rule: "strategy-changed", new: { $0.sync["strategy"] = "set-union" }),
        SchemaChangeCase(rule: "strategy-changed", new: { $0.sync["strategy"] = "preserve-local" }),
        SchemaChangeCase(rule: "granularity-changed", new: { $0.sync["granularity"] = "field" }),
        rule, rule.reversed("merge-rule-removed"),
        SchemaChangeCase(
            rule: "merge-rule-changed",
            old: { $0.setSync("rank", ["merge": "max"]) },
            new: { $0.setSync("rank", ["merge": "min"]) }
        ),
        SchemaChangeCase(rule: "created-changed", new: { $0.sync["created"] = nil }),
        SchemaChangeCase(rule: "updated-changed", new: { $0.sync["updated"] = nil }),
        mirror, mirror.reversed("deleted-changed"),
        SchemaChangeCase(rule: "settling-changed", new: { $0.sync["unique"] = [["code"]] }),
        unique, unique.reversed("unique-removed"),
        reference, reference.reversed("reference-removed"),
        SchemaChangeCase(
            rule: "reference-changed",
            old: {
                $0.refer(to: "box", onDelete: "nullify")
                $0.others = ["box", "crate"]
            },
            new: {
                $0.refer(to: "crate", onDelete: "nullify")
                $0.others = ["box", "crate"]
            }
        ),
        SchemaChangeCase(
            rule: "delete-rule-changed",
            old: { $0.refer(to: "box", onDelete: "nullify") },
            new: { $0.refer(to: "box", onDelete: "keep") }
        ),
        circles, circles.reversed("tree-changed"),
        tombstones, tombstones.reversed("tombstones-lengthened"),
        SchemaChangeCase(rule: "set-changed", new: { $0.set("labels", ["uniqueItems": true]) }),
        order, order.reversed("set-changed"),
    ]

    private static let added = SchemaChangeCase(
        rule: "field-added",
        new: {
            $0.set("extra", ["type": "string"])
            $0.sync["version"] = 2
        }
    )
    static let local = SchemaChangeCase(
        rule: "local-only-changed",
        new: { $0.setSync("code", ["localOnly": true]) }
    )
    static let renamed = SchemaChangeCase(
        rule: "wire-name-changed",
        new: {
            $0.properties["code"] = nil
            $0.set("token", ["type": "string", "sync": ["renamedFrom": "code"]])
        }
    )
    static let extraRequired = SchemaChangeCase(
        rule: "required-added",
        new: {
            $0.set("extra", ["type": "string"])
            $0.required.append("extra")
        }
    )
    private static let codeRequired = SchemaChangeCase(
        rule: "required-added",
        new: { $0.required.append("code") }
    )
    private static let nullable = SchemaChangeCase(
        rule: "null-allowed",
        new: { $0.set("code", ["type": ["string", "null"]]) }
    )
    static let fields: [SchemaChangeCase] = [
        added, SchemaChangeCase(rule: "field-removed", new: { $0.properties["code"] = nil }),
        SchemaChangeCase(
            rule: "field-renamed",
            new: {
                $0.properties["code"] = nil
                $0.set("token", ["type": "string", "sync": ["renamedFrom": "code", "name": "code"]])
            }
        ),
        renamed,
        SchemaChangeCase(
            rule: "wire-name-changed",
            new: { $0.setSync("code", ["name": "kode", "renamedFrom": "code"]) }
        ),
        local, local.reversed("local-only-changed"),
        codeRequired, codeRequired.reversed("required-removed"),
        extraRequired,
        nullable, nullable.reversed("null-forbidden"),
        SchemaChangeCase(
            rule: "default-changed",
            old: {
                $0.set("extra", ["type": "string", "default": "one"])
                $0.required.append("extra")
            },
            new: {
                $0.set("extra", ["type": "string", "default": "two"])
                $0.required.append("extra")
            }
        ),
    ]

    private static let bound = SchemaChangeCase(
        rule: "constraint-tightened",
        new: { $0.set("code", ["maxLength": 3]) }
    )
    static let types: [SchemaChangeCase] = [
        SchemaChangeCase(
            rule: "type-changed",
            effect: .refuses,
            new: { $0.properties["code"] = ["type": "integer"] }
        ),
        SchemaChangeCase(
            rule: "member-type-changed",
            new: { $0.set("place", ["properties": ["x": ["type": "integer"]]]) }
        ),
        SchemaChangeCase(rule: "type-widened", new: { $0.properties["rank"] = ["type": "number"] }),
        SchemaChangeCase(rule: "type-narrowed", new: { $0.set("code", ["format": "uuid"]) }),
        SchemaChangeCase(
            rule: "enum-changed",
            old: { $0.set("code", ["enum": ["a"]]) },
            new: { $0.set("code", ["enum": ["a", "b"]]) }
        ),
        bound, bound.reversed("constraint-loosened"),
    ]
}
