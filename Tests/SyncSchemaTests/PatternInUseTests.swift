import SyncSchema
import Testing

/// A pattern that an earlier version matched.
@Suite struct PatternInUseTests {
    private let source = SchemaSource(
        path: "item.schema.json",
        bytes: Array(Sample.entity(fields: #""a":{"type":"string","pattern":"^x(?=a)"}"#).utf8)
    )

    @Test func aNewSchemaWithAPatternThatCannotBeMatchedIsRefusedWithItsPlace() throws {
        let report = SchemaLoader.load([source])
        #expect(!report.isValid)
        let diagnostic = try #require(report.diagnostics.first)
        #expect(diagnostic.rule == "unsupported-pattern")
        #expect(diagnostic.message.hasSuffix("looking around is not supported (character 3)"))
        #expect(diagnostic.line > 0 && !diagnostic.help.isEmpty)
    }

    @Test func aSchemaInUseKeepsItAndIsOnlyWarnedOf() throws {
        let report = SchemaLoader.load([source], isInUse: true)
        #expect(report.isValid)
        #expect(report.diagnostics.map(\.rule) == ["unsupported-pattern"])
        #expect(report.schemas.count == 1)
        let baseline = try #require(SchemaBaseline.write([source]))
        let read = SchemaBaseline.read(SchemaSource(path: "baseline.json", bytes: baseline))
        #expect(read.isValid, "\(read.rendered(format: .text))")
    }
}
