import Foundation
import Testing

@testable import SyncSchema

/// The published meta-schema says what the loader accepts.
@Suite struct MetaSchemaTests {
    private func metaSchema() throws -> JSONNode {
        let problems = ProblemList()
        let root = try #require(JSONParser.parse(SchemaLoader.metaSchema, problems: problems))
        #expect(problems.found.isEmpty)
        return root
    }

    private func member(_ node: JSONNode, _ path: String...) -> JSONNode? {
        path.reduce(Optional(node)) { node, name in node?.members?.first { $0.name == name }?.node }
    }

    private func names(_ node: JSONNode?) -> Set<String> {
        Set(node?.members?.map(\.name) ?? [])
    }

    @Test func listsExactlyTheKeywordsThatTheLoaderKnows() throws {
        let root = try metaSchema()
        let type = names(member(root, "$defs", "type", "properties"))
        #expect(names(member(root, "properties")) == Set(KeywordTable.entity.kinds.keys))
        #expect(type == Set(KeywordTable.items.kinds.keys))
        #expect(type == Set(KeywordTable.definition.kinds.keys))
        #expect(type.union(["sync"]) == Set(KeywordTable.field.kinds.keys))
        #expect(
            names(member(root, "$defs", "entitySync", "properties"))
                == Set(KeywordTable.entitySync.kinds.keys)
        )
        #expect(
            names(member(root, "$defs", "fieldSync", "properties")) == Set(KeywordTable.fieldSync.kinds.keys)
        )
        #expect(
            names(member(root, "$defs", "reference", "properties")) == Set(KeywordTable.reference.kinds.keys)
        )
    }

    @Test func listsExactlyTheWordsThatTheLoaderKnows() throws {
        let root = try metaSchema()
        func words(_ path: [String]) -> [String]? {
            path.reduce(Optional(root)) { node, name in node.flatMap { member($0, name) } }?.elements?
                .compactMap(\.string)
        }
        let sync = ["$defs", "entitySync", "properties"]
        #expect(words(sync + ["strategy", "enum"]) == Schema.Strategy.allCases.map(\.rawValue))
        #expect(words(sync + ["granularity", "enum"]) == Schema.Granularity.allCases.map(\.rawValue))
        #expect(words(sync + ["naming", "enum"]) == Schema.Naming.allCases.map(\.rawValue))
        #expect(
            words(["$defs", "fieldSync", "properties", "merge", "enum"]) == MergeRule.allCases.map(\.rawValue)
        )
        #expect(
            words(["$defs", "reference", "properties", "onDelete", "enum"])
                == Schema.DeleteRule.allCases.map(\.rawValue)
        )
        #expect(words(["$defs", "typeWord", "enum"]) == TypeReader.Kind.allCases.map(\.rawValue))
        #expect(member(root, "$id")?.string == SchemaLoader.metaSchemaID)
    }

    @Test func everyReferenceInItResolves() throws {
        let root = try metaSchema()
        let known = names(member(root, "$defs"))
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
            for entry in member(root, "$defs", path, "properties")?.members ?? [] {
                let target = member(entry.node, "$ref")?.string.flatMap {
                    member(root, "$defs", String($0.dropFirst(8)))
                }
                let text = member(entry.node, "description") ?? target.flatMap { member($0, "description") }
                #expect(text?.string?.isEmpty == false, "\(path).\(entry.name)")
            }
        }
    }

    /// A look at structure only: every member of a shipped schema stands in the list for its place.
    @Test func listsEveryKeywordOfTheShippedSchemas() throws {
        let root = try metaSchema()
        let entity = names(member(root, "properties"))
        let sync = names(member(root, "$defs", "entitySync", "properties"))
        let fieldSync = names(member(root, "$defs", "fieldSync", "properties"))
        let type = names(member(root, "$defs", "type", "properties"))
        func checkFields(_ node: JSONNode?) {
            for field in node?.members ?? [] { checkType(field.node, allowed: type.union(["sync"])) }
        }
        func checkType(_ node: JSONNode, allowed: Set<String>) {
            #expect(names(node).isSubset(of: allowed))
            #expect(names(member(node, "sync")).isSubset(of: fieldSync))
            checkFields(member(node, "properties"))
            if let items = member(node, "items") { checkType(items, allowed: type) }
        }
        for source in try ShippedSchemas.sources() {
            let schema = try #require(JSONParser.parse(source.bytes, problems: ProblemList()))
            #expect(names(schema).isSubset(of: entity))
            #expect(names(member(schema, "sync")).isSubset(of: sync))
            checkFields(member(schema, "properties"))
            for definition in member(schema, "$defs")?.members ?? [] {
                checkType(definition.node, allowed: type)
            }
        }
    }
}
