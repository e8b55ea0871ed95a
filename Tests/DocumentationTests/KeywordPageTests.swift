import Foundation
import Testing

/// The page of keywords has each one that the schema of schemas has.
@Suite struct KeywordPageTests {
    @Test(arguments: [
        ("", "## An entity"), ("type", "## A field"), ("entitySync", "## sync of an entity"),
        ("fieldSync", "## sync of a field"), ("reference", "## references"), ("sqlTable", "## sql"),
    ])
    func everyKeywordIsInItsPart(definition: String, heading: String) throws {
        let text = try Article.text(path: "Sources/SyncSchema/Resources/entitysync.schema.json")
        let root = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        )
        let definitions = try #require(root["$defs"] as? [String: Any])
        let described = definition.isEmpty ? root : try #require(definitions[definition] as? [String: Any])
        let keywords = try #require(described["properties"] as? [String: Any]).keys
        #expect(keywords.count >= 2)
        let lines = try Article(Article.catalog + "/SchemaKeywords.md").lines
        let start = try #require(lines.firstIndex(of: heading))
        let part = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }.joined(separator: "\n")
        for keyword in keywords.sorted() where keyword != "$comment" {
            #expect(part.contains("`\(keyword)`"), "\(heading): no `\(keyword)`")
        }
    }
}
