import Foundation
import Testing

@testable import SyncSchema

/// The published meta-schema agrees with the loader.
@Suite struct MetaSchemaTests {
    private func metaSchema() throws -> JSONNode {
        let diagnostics = DiagnosticList()
        let root = try #require(JSONNodeReader.read(SchemaLoader.metaSchema, diagnostics: diagnostics))
        #expect(diagnostics.found.isEmpty)
        return root
    }

    private func member(node: JSONNode, path: String...) -> JSONNode? {
        path.reduce(Optional(node)) { node, name in node?.members?.first { $0.name == name }?.node }
    }

    private func names(node: JSONNode?) -> Set<String> {
        Set(node?.members?.map(\.name) ?? [])
    }

    @Test func listsExactlyTheKeywordsThatTheLoaderKnows() throws {
        let root = try metaSchema()
        let type = names(node: member(node: root, path: "$defs", "type", "properties"))
        #expect(names(node: member(node: root, path: "properties")) == Set(KeywordTable.entity.kinds.keys))
        #expect(type == Set(KeywordTable.items.kinds.keys))
        #expect(type == Set(KeywordTable.definition.kinds.keys))
        #expect(type.union(["sync"]) == Set(KeywordTable.field.kinds.keys))
        #expect(
            names(node: member(node: root, path: "$defs", "entitySync", "properties"))
                == Set(KeywordTable.entitySync.kinds.keys)
        )
        #expect(
            names(node: member(node: root, path: "$defs", "fieldSync", "properties"))
                == Set(KeywordTable.fieldSync.kinds.keys)
        )
        #expect(
            names(node: member(node: root, path: "$defs", "reference", "properties"))
                == Set(KeywordTable.reference.kinds.keys)
        )
        #expect(
            names(node: member(node: root, path: "$defs", "sqlTable", "properties"))
                == Set(KeywordTable.sqlTable.kinds.keys)
        )
        let column = member(node: root, path: "$defs", "sqlColumn", "anyOf")?.elements?.last
        #expect(
            names(node: column.flatMap { member(node: $0, path: "properties") })
                == Set(KeywordTable.sqlColumn.kinds.keys)
        )
    }

    @Test func listsExactlyTheWordsThatTheLoaderKnows() throws {
        let root = try metaSchema()
        func words(path: [String]) -> [String]? {
            path.reduce(Optional(root)) { node, name in node.flatMap { member(node: $0, path: name) } }?
                .elements?
                .compactMap(\.string)
        }
        let sync = ["$defs", "entitySync", "properties"]
        #expect(words(path: sync + ["strategy", "enum"]) == MergeStrategy.allCases.map(\.rawValue))
        #expect(words(path: sync + ["granularity", "enum"]) == MergeGranularity.allCases.map(\.rawValue))
        #expect(words(path: sync + ["naming", "enum"]) == Schema.Naming.allCases.map(\.rawValue))
        #expect(
            words(path: ["$defs", "fieldSync", "properties", "merge", "enum"])
                == MergeRule.allCases.map(\.rawValue)
        )
        #expect(
            words(path: ["$defs", "reference", "properties", "onDelete", "enum"])
                == DeleteRule.allCases.map(\.rawValue)
        )
        #expect(words(path: ["$defs", "typeWord", "enum"]) == TypeReader.Kind.allCases.map(\.rawValue))
        #expect(member(node: root, path: "$id")?.string == SchemaLoader.metaSchemaID)
    }

    @Test func everyReferenceInItResolves() throws {
        let root = try metaSchema()
        let known = names(node: member(node: root, path: "$defs"))
        var pending = [root]
        var count = 0
        while let node = pending.popLast() {
            for entry in node.members ?? [] {
                if entry.name == "$ref", let text = entry.node.string {
                    count += 1
                    #expect(
                        text.hasPrefix("#/$defs/") && known.contains(String(text.dropFirst(8))),
                        "\(text)"
                    )
                }
                pending.append(entry.node)
            }
            pending.append(contentsOf: node.elements ?? [])
        }
        #expect(count > 20)
    }

    @Test func everyKeywordInItIsDescribed() throws {
        let root = try metaSchema()
        for path in ["entitySync", "fieldSync", "reference", "type"] {
            for entry in member(node: root, path: "$defs", path, "properties")?.members ?? [] {
                let target = member(node: entry.node, path: "$ref")?.string.flatMap {
                    member(node: root, path: "$defs", String($0.dropFirst(8)))
                }
                let text =
                    member(node: entry.node, path: "description")
                    ?? target.flatMap { member(node: $0, path: "description") }
                #expect(text?.string?.isEmpty == false, "\(path).\(entry.name)")
            }
        }
    }

    /// Checks the structure only: every member of a shipped schema is listed for its place.
    @Test func listsEveryKeywordOfTheShippedSchemas() throws {
        let root = try metaSchema()
        let entity = names(node: member(node: root, path: "properties"))
        let sync = names(node: member(node: root, path: "$defs", "entitySync", "properties"))
        let fieldSync = names(node: member(node: root, path: "$defs", "fieldSync", "properties"))
        let type = names(node: member(node: root, path: "$defs", "type", "properties"))
        func checkFields(_ node: JSONNode?) {
            for field in node?.members ?? [] { checkType(field.node, allowed: type.union(["sync"])) }
        }
        func checkType(_ node: JSONNode, allowed: Set<String>) {
            #expect(names(node: node).isSubset(of: allowed))
            #expect(names(node: member(node: node, path: "sync")).isSubset(of: fieldSync))
            checkFields(member(node: node, path: "properties"))
            if let items = member(node: node, path: "items") { checkType(items, allowed: type) }
        }
        for source in try ShippedSchemas.sources() {
            let schema = try #require(JSONNodeReader.read(source.bytes, diagnostics: DiagnosticList()))
            #expect(names(node: schema).isSubset(of: entity))
            #expect(names(node: member(node: schema, path: "sync")).isSubset(of: sync))
            checkFields(member(node: schema, path: "properties"))
            for definition in member(node: schema, path: "$defs")?.members ?? [] {
                checkType(definition.node, allowed: type)
            }
        }
    }
}
