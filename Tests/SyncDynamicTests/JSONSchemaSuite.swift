import Foundation
import SyncCore
import SyncDynamic
import Testing

@testable import SyncSchema

/// Cases of JSON Schema's own test suite, from `Tests/Corpora/JSONSchema`. Its `LICENSE` says where they are from and which
/// ones are there.
enum JSONSchemaSuite {
    /// A schema, an instance, and what the suite says of the two.
    struct Case {
        /// The file of the suite, its group, and the case.
        let name: String
        let schema: JSONNode
        let instance: JSONNode
        let isValid: Bool
    }

    static func cases() throws -> [Case] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Corpora/JSONSchema/cases.json")
        let bytes = [UInt8](try Data(contentsOf: file))
        let root = JSONNodeReader.read(bytes, diagnostics: DiagnosticList())
        return try #require(root?.elements).flatMap { group in
            try #require(group["tests"]?.elements).map { test in
                let verdict = test["valid"]?.bool
                let words = [group["file"], group["description"], test["description"]]
                return Case(
                    name: words.compactMap { $0?.string }.joined(separator: ": "),
                    schema: try #require(group["schema"]),
                    instance: try #require(test["data"]),
                    isValid: try #require(verdict as Bool?)
                )
            }
        }
    }
}

extension JSONSchemaSuite.Case {
    /// Why a record that holds the instance is refused; nil if it is taken. Throws if this format cannot say what the
    /// schema says.
    func refusal() throws -> FieldError? {
        let (entity, isRecord) = try entity()
        var decoder = RecordDecoder(descriptor: entity, form: .plain)
        decoder.refusesUnknown = true
        let value = CanonicalJSON.text(node: instance, sortsMembers: false)
        let record =
            !isRecord
            ? #"{"id":"x","value":\#(value)}"#
            : instance.members == nil ? value : value.inserting(#""id":"x""#)
        do {
            _ = try decoder.record(Array(record.utf8))
            return nil
        } catch let error as FieldError { return error }
    }

    /// An entity whose records are the instances, if those are objects, or hold them in a field.
    private func entity() throws -> (EntityDescriptor, isRecord: Bool) {
        let schema = SuiteSchema(schema, instance: instance)
        try #require(schema.describesInstance, "\(name): the instance is of another type than the keyword")
        let isRecord = schema.kind == "object"
        let members = Dictionary(uniqueKeysWithValues: schema.members)
        let (key, required) = (#""id":{"type":"string"}"#, isRecord ? members["required"] : nil)
        let text = """
            {"title":"Item","type":"object","$defs":\(members["$defs"] ?? "{}"),
            "properties":\((isRecord ? members["properties"] ?? "{}" : "{\"value\":\(schema.text)}").inserting(key)),
            "required":\((required ?? "[]").inserting(#""id""#)),
            "additionalProperties":\(isRecord ? members["additionalProperties"] ?? "true" : "true"),
            "sync":{"key":"id","strategy":"last-write-wins"}}
            """
        let report = SchemaLoader.load([SchemaSource(path: "item.schema.json", bytes: Array(text.utf8))])
        let schemas = report.schemas
        return (
            EntityDescriptor(
                schema: try #require(schemas.first, "\(name): \(report.rendered(format: .text))")
            ), isRecord
        )
    }
}

/// A schema of the suite, with the types that it leaves to the instance.
private struct SuiteSchema {
    /// The type by which its keywords are told apart.
    let kind: String
    /// Its members as JSON.
    let members: [(String, String)]
    /// Whether the instance is of the type that the keywords are about, and its elements of one type. In JSON Schema a
    /// keyword says nothing of others, while a field and the elements of a list have one type.
    let describesInstance: Bool

    private static let kinds = [
        ("number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]),
        ("string", ["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"]),
        ("array", ["items", "uniqueItems", "minItems", "maxItems"]),
        ("object", ["properties", "required", "additionalProperties"]),
    ]

    init(_ schema: JSONNode, instance: JSONNode?) {
        let named = ["type", "enum", "const", "$ref"].first { schema[$0] != nil }
        let implied = Self.kinds.first { $0.1.contains { schema[$0] != nil } }?.0
        kind = schema["type"]?.string ?? implied ?? (named == nil ? instance?.kind : nil) ?? "string"
        let elements = schema["items"] == nil ? instance?.elements ?? [] : []
        describesInstance =
            (named != nil || instance == nil || instance?.kind == kind)
            && Set(elements.map(\.kind)).count <= 1
        var members = (schema.members ?? []).map { member in
            (member.name, Self.text(of: member, instance: instance))
        }
        if named == nil { members.append(("type", CanonicalJSON.string(kind))) }
        if kind == "array", schema["items"] == nil {
            let element = instance?.elements?.first?.kind ?? "string"
            members.append(("items", #"{"type":"\#(element)"}"#))
        }
        self.members = members.filter { !["$schema", "$id"].contains($0.0) }
    }

    /// The schema of a field.
    var text: String {
        let parts = members.filter { $0.0 != "$defs" }.map { "\(CanonicalJSON.string($0.0)):\($0.1)" }
        return "{\(parts.joined(separator: ","))}"
    }

    private static func text(of member: JSONMember, instance: JSONNode?) -> String {
        switch (member.name, member.node.members) {
        case ("properties", let properties?):
            let parts = properties.map { property in
                let schema = SuiteSchema(property.node, instance: instance?[property.name])
                return "\(CanonicalJSON.string(property.name)):\(schema.text)"
            }
            return "{\(parts.joined(separator: ","))}"
        case ("items", _?): return SuiteSchema(member.node, instance: instance?.elements?.first).text
        default: return CanonicalJSON.text(node: member.node, sortsMembers: false)
        }
    }
}

extension JSONNode {
    /// A member of an object.
    fileprivate subscript(name: String) -> JSONNode? { members?.first { $0.name == name }?.node }

    /// The word for the value's type.
    fileprivate var kind: String { kindName.split(separator: " ").last.map(String.init) ?? "" }
}

extension String {
    /// The JSON of an object or array with a member in front.
    fileprivate func inserting(_ member: String) -> String {
        "\(prefix(1))\(member)\(count == 2 ? "" : ",")\(dropFirst())"
    }
}
