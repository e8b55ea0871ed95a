import Testing

@testable import SyncSchema

/// Following the advice of a diagnostic leads to an accepted schema.
@Suite struct HelpTests {
    /// Entity names whose obvious title is reserved: `task`, `data`, `transaction`, `entity` and so on.
    private static let awkward = SwiftNames.reservedTypes.union(SwiftNames.shadowedTypes).union(["Entity"])
        .map { Words.snakeCase(name: $0).replacing("_", with: "-") }
        .filter { EntityName.isKebabCase($0) && !EntityName.isReserved($0) }.sorted()

    private func report(text: String, name: String = "item") -> SchemaReport {
        SchemaLoader.load([SchemaSource(path: "\(name).schema.json", bytes: Array(text.utf8))])
    }

    /// The last JSON string in an advice.
    private func example(help: String) throws -> String {
        String(try #require(help.split(separator: "\"").last))
    }

    @Test(arguments: awkward) func anEntityCanHaveTheTitleThatTheHelpNames(name: String) throws {
        let text = Sample.entity(title: "X", fields: #""a":{"type":"string"}"#)
        let help = try #require(
            report(text: text.replacing(#""title":"X","#, with: ""), name: name).diagnostics.first?.help
        )
        let followed = report(
            text: text.replacing("\"X\"", with: "\"\(try example(help: help))\""),
            name: name
        )
        #expect(followed.diagnostics.isEmpty, "\(followed.rendered(format: .text))")
    }

    @Test(arguments: ["Task", "Data", "Entity", "Error", "task", "read status", "ID", "RawValue"])
    func aRefusedTitleCanBecomeTheOneThatTheHelpNames(title: String) throws {
        func entity(title: String) -> String {
            Sample.entity(title: title, fields: #""a":{"type":"string"}"#)
        }
        let refused = report(text: entity(title: title), name: "task")
        #expect(!refused.isValid)
        let help = try #require(refused.diagnostics.first?.help)
        #expect(report(text: entity(title: try example(help: help)), name: "task").diagnostics.isEmpty)
    }

    @Test func anIdInsideOfACompositeKeyIsRefusedWithAWayOut() throws {
        let text = Sample.entity(
            fields: #""owner":{"type":"string"}"#,
            key: #""key":["id","owner"]"#,
            required: #","owner""#
        )
        let refused = report(text: text)
        #expect(
            refused.diagnostics.map(\.message) == [
                "a field named 'id' must be the whole key, and the key has the fields 'id', 'owner'"
            ]
        )
        let renamed = text.replacing(
            #""id":{"type":"string"}"#,
            with: #""no":{"type":"string","sync":{"name":"id"}}"#
        )
        .replacing(#"["id""#, with: #"["no""#)
        #expect(report(text: renamed).diagnostics.isEmpty)
        #expect(
            report(text: text.replacing(#""key":["id","owner"]"#, with: #""key":"id""#)).diagnostics.isEmpty
        )
    }

    @Test(arguments: ["if", "then", "else"]) func aConditionIsToBeRemoved(keyword: String) throws {
        let field = #""a":{"type":"string"}"#
        for root in [#""\#(keyword)":{},"#, ""] {
            let inner = root.isEmpty ? #""a":{"type":"string","\#(keyword)":{}}"# : field
            let help = try #require(
                report(text: Sample.entity(fields: inner, root: root)).diagnostics.first?.help
            )
            #expect(help.hasPrefix("remove it; "))
        }
        #expect(report(text: Sample.entity(fields: field)).diagnostics.isEmpty)
    }
}
