import Foundation
import SyncSchema
import Testing

/// The input files of a comparison: baselines and accepted changes.
@Suite struct ChangeFileTests {
    private static let old = Sample.entity(fields: #""a":{"type":"string"}"#)
    private static let new = Sample.entity(
        fields: #""a":{"type":"string","maxLength":9}"#,
        sync: #""version":2,"limit":5"#
    )

    private func changes() -> [SchemaChange] {
        SchemaDiff.compare(old: ChangePair.schemas(text: Self.old), new: ChangePair.schemas(text: Self.new))
    }

    private func read(text: String) -> (ignores: ChangeIgnores, diagnostics: [Diagnostic]) {
        ChangeIgnores.read(SchemaSource(path: "schema-changes.json", bytes: Array(text.utf8)))
    }

    @Test func aBaselineHasTheSameBytesWhateverTheOrderAndSpacing() throws {
        let sources = try ShippedSchemas.sources()
        let baseline = try #require(SchemaBaseline.write(sources))
        #expect(SchemaBaseline.write(sources.reversed()) == baseline)
        let moved = sources.map { SchemaSource(path: "deep/in/\($0.path)", bytes: $0.bytes + [0x0A, 0x20]) }
        #expect(SchemaBaseline.write(moved) == baseline)
    }

    @Test func aBaselineReadsBackAsTheSchemasItWasMadeOf() throws {
        let sources = try ShippedSchemas.sources()
        let baseline = SchemaSource(path: "b.json", bytes: try #require(SchemaBaseline.write(sources)))
        let report = SchemaBaseline.read(baseline)
        #expect(report.isValid)
        #expect(SchemaDiff.compare(old: report.schemas, new: SchemaLoader.load(sources).schemas).isEmpty)
    }

    @Test(arguments: ["", "{}", "[]", #"{"format":2,"schemas":{}}"#, #"{"format":1,"schemas":[]}"#])
    func whatIsNoBaselineIsRefused(text: String) {
        let report = SchemaBaseline.read(SchemaSource(path: "b.json", bytes: Array(text.utf8)))
        #expect(!report.isValid && report.schemas.isEmpty)
    }

    /// Update the baseline with `synccheck diff --write-baseline Schemas/.baseline.json Schemas` for each
    /// release.
    @Test func theShippedSchemasBreakNothingOfTheLastRelease() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let bytes = Array(try Data(contentsOf: root.appending(path: "Schemas/.baseline.json")))
        let baseline = SchemaBaseline.read(SchemaSource(path: ".baseline.json", bytes: bytes))
        #expect(baseline.isValid && !baseline.schemas.isEmpty)
        let present = SchemaLoader.load(try ShippedSchemas.sources()).schemas
        let report = ChangeReport(changes: SchemaDiff.compare(old: baseline.schemas, new: present))
        #expect(report.isCompatible, "\(report.rendered(format: .text))")
    }

    @Test func anIgnoreTakesAReasonAndNothingElseWithIt() throws {
        let (ignores, diagnostics) = read(
            text: #"{"ignore":[{"rule":"limit-lowered","entity":"item","reason":"nobody has more"}]}"#
        )
        #expect(diagnostics.isEmpty)
        let changes = ignores.apply(to: changes())
        #expect(changes.map(\.rule) == ["limit-lowered", "constraint-tightened"])
        #expect(changes.map(\.ignored) == ["nobody has more", nil])
        #expect(!ChangeReport(changes: changes).isCompatible)
        let both = read(
            text:
                #"{"ignore":[{"rule":"limit-lowered","reason":"r"},{"rule":"constraint-tightened","field":"a","reason":"r"}]}"#
        )
        #expect(ChangeReport(changes: both.ignores.apply(to: self.changes())).isCompatible)
    }

    @Test func anIgnoreThatMatchesNothingIsAFinding() {
        let (ignores, _) = read(text: #"{"ignore":[{"rule":"key-changed","entity":"item","reason":"r"}]}"#)
        let changes = ignores.apply(to: [])
        #expect(changes.map(\.rule) == ["unused-ignore"])
        #expect(!ChangeReport(changes: changes).isCompatible)
    }

    @Test(arguments: [
        #"{"ignore":[{"rule":"key-changed"}]}"#, #"{"ignore":[{"rule":"key-changed","reason":"  "}]}"#,
        #"{"ignore":[{"rule":"kye-changed","reason":"r"}]}"#, #"{"ignore":[{"reason":"r"}]}"#,
        #"{"ignore":[{"rule":"key-changed","reason":"r","more":1}]}"#, #"{"ignored":[]}"#, "[",
        #"{"ignore":[{"rule":"unused-ignore","reason":"r"}]}"#,
    ])
    func anIgnoreOfAnotherFormAcceptsNothing(text: String) {
        let (ignores, diagnostics) = read(text: text)
        #expect(ignores == ChangeIgnores())
        #expect(!diagnostics.isEmpty)
    }

    @Test func theReportIsTheContractThatScriptsRelyOn() throws {
        let (ignores, _) = read(text: #"{"ignore":[{"rule":"limit-lowered","reason":"\"r\""}]}"#)
        let report = ChangeReport(changes: ignores.apply(to: changes()))
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(report.rendered(format: .json).utf8))
                as? [String: Any]
        )
        #expect(json["compatible"] as? Bool == false)
        let entries = try #require(json["changes"] as? [[String: Any]])
        #expect(entries.map { $0["class"] as? String } == ["store", "wire"])
        #expect(entries.map { $0["ignored"] as? String } == ["\"r\"", nil])
        #expect(entries.map { $0["field"] as? String } == [nil, "a"])
        #expect(
            Set(entries[0].keys)
                == ["rule", "class", "severity", "entity", "field", "message", "help", "ignored"]
        )
        #expect(report.rendered(format: .github).hasPrefix("::notice title=limit-lowered::item: "))
        #expect(report.rendered(format: .text).contains("item.a: breaking (wire): "))
        #expect(ChangeReport(changes: []).rendered(format: .json) == "{\"compatible\":true,\"changes\":[]}\n")
    }
}
