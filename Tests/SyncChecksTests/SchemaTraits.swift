import Foundation
import SyncChecks

/// What a schema text says of its fields and of itself, as words to count pairs of. It is read from the JSON alone.
struct SchemaTraits {
    /// The traits of the entity.
    var entity: Set<String> = []
    /// The traits of each field.
    var fields: [Set<String>] = []
    /// Every keyword, by the kind of its place.
    var keywords: Set<String> = []

    private typealias Object = [String: Any]

    init(_ schema: SchemaText) throws {
        let root = try JSONSerialization.jsonObject(with: Data(schema.text.utf8)) as? Object ?? [:]
        keywords = Set(root.keys.map { "entity \($0)" })
        let sync = root["sync"] as? Object ?? [:]
        keywords.formUnion(sync.keys.map { "sync \($0)" })
        entity = Set(sync.keys.map { "sync \($0)" })
        for name in ["strategy", "granularity", "naming"] {
            guard let value = sync[name] as? String else { continue }
            entity.remove("sync \(name)")
            entity.insert("\(name) \(value)")
        }
        if root["$defs"] != nil { entity.insert("$defs") }
        if root["additionalProperties"] != nil { entity.insert("closed") }
        if let key = sync["key"] as? [String], key.count > 1 { entity.insert("key of several fields") }
        let required = Set(root["required"] as? [String] ?? [])
        for (name, value) in root["properties"] as? Object ?? [:] {
            var traits = field(value as? Object ?? [:])
            if required.contains(name) { traits.insert("required") }
            traits.formUnion(Self.roles(of: name, sync: sync, entity: schema.name))
            fields.append(traits)
        }
    }

    /// The traits of a field's type and of its `sync`.
    private mutating func field(_ value: Object) -> Set<String> {
        note(type: value)
        var traits: Set<String> = []
        if value["$ref"] != nil { traits.insert("$ref") }
        let words = value["type"] as? [String] ?? [value["type"] as? String].compactMap(\.self)
        if words.contains("null") { traits.insert("nullable") }
        for word in words where word != "null" {
            let isPlain = ["format", "enum", "contentEncoding"].allSatisfy { value[$0] == nil }
            if isPlain { traits.insert(value["uniqueItems"] == nil ? word : "set") }
        }
        if let format = value["format"] as? String { traits.insert(format) }
        for name in ["enum", "contentEncoding", "pattern", "default"] where value[name] != nil {
            traits.insert(name)
        }
        let bounds = [
            "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
            "minItems", "maxItems",
        ]
        if bounds.contains(where: { value[$0] != nil }) { traits.insert("bounds") }
        let sync = value["sync"] as? Object ?? [:]
        keywords.formUnion(sync.keys.map { "field sync \($0)" })
        if let rule = sync["merge"] as? String { traits.insert("merge \(rule)") }
        if let name = sync["name"] as? String { traits.insert(name.hasPrefix("/") ? "pointer" : "name") }
        for name in ["renamedFrom", "localOnly", "ordered"] where sync[name] != nil { traits.insert(name) }
        return traits
    }

    private mutating func note(type: Object) {
        keywords.formUnion(type.keys.map { "type \($0)" })
        if let items = type["items"] as? Object { note(type: items) }
        for (_, value) in type["properties"] as? Object ?? [:] { note(type: value as? Object ?? [:]) }
    }

    /// The parts that a field plays in `sync` of its entity.
    private static func roles(of name: String, sync: Object, entity: String) -> Set<String> {
        var roles: Set<String> = []
        let key = sync["key"] as? [String] ?? [sync["key"] as? String].compactMap(\.self)
        if key.contains(name) { roles.insert(key.count == 1 ? "key" : "part of the key") }
        for role in ["created", "updated", "deleted"] where sync[role] as? String == name {
            roles.insert(role)
        }
        for list in ["unique", "indexes"] where (sync[list] as? [[String]])?.joined().contains(name) == true {
            roles.insert(list)
        }
        if (sync["search"] as? [String])?.contains(name) == true { roles.insert("search") }
        for (field, value) in sync["references"] as? Object ?? [:] {
            let reference = value as? Object ?? [:]
            let parts = reference["fields"] as? [String] ?? [field]
            guard parts.contains(name), let rule = reference["onDelete"] as? String else { continue }
            roles.insert(reference["entity"] as? String == entity ? "refers to its own" : "refers to another")
            roles.insert("onDelete \(rule)")
            if parts.count > 1 { roles.insert("refers by several") }
        }
        return roles
    }
}
