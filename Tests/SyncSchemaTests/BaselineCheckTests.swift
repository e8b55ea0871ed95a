import SyncSchema
import Testing

/// Schemas that are held to those of a release.
@Suite struct BaselineCheckTests {
    private static let path = "Model/sample.schema.json"

    private func findings(old: String, new: String) throws -> [Diagnostic] {
        let release = [SchemaSource(path: Self.path, bytes: Array(old.utf8))]
        let bytes = try #require(SchemaBaseline.write(release))
        let sources = [SchemaSource(path: Self.path, bytes: Array(new.utf8))]
        let report = SchemaLoader.load(sources)
        try #require(report.isValid, "\(report.diagnostics)")
        let baseline = SchemaSource(path: "Model/\(BaselineCheck.fileName)", bytes: bytes)
        return BaselineCheck(baseline: baseline, sources: sources, command: "accept")
            .diagnostics(schemas: report.schemas)
    }

    private func entity(_ place: String, required: String = "", sync: String = "") -> String {
        """
        {
          "title": "Sample", "type": "object",
          "properties": {
            "id": { "type": "string" },
            "place": { "type": "object", "title": "Place", "properties": {
              \(place)
            } }
          },
          "required": ["id"\(required)],
          "sync": { "version": 1, "key": "id", "strategy": "last-write-wins"\(sync) }
        }
        """
    }

    @Test func aNestedMemberThatChangesItsTypeIsFoundAtItsLine() throws {
        let found = try findings(
            old: entity(#""x": { "type": "string" }"#),
            new: entity(#""x": { "type": "integer" }"#)
        )
        #expect(found.map(\.rule) == ["member-type-changed"])
        #expect(found.map(\.line) == [6] && found.map(\.column) == [7])
        #expect(found.allSatisfy { $0.path == Self.path && $0.help.hasSuffix("of stores: accept") })
    }

    @Test func aFieldMadeRequiredIsFoundAtItsLine() throws {
        let place = #""x": { "type": "string" }"#
        let found = try findings(old: entity(place), new: entity(place, required: #", "place""#))
        #expect(found.map { "\($0.rule) \($0.line)" } == ["required-added 5"])
    }

    @Test func whatStoresFollowIsNoFinding() throws {
        let place = #""x": { "type": "string" }"#
        #expect(try findings(old: entity(place), new: entity(place)) == [])
        let limited = entity(#""x": { "type": "string", "maxLength": 3 }"#, sync: #", "limit": 2"#)
        #expect(try findings(old: entity(place), new: limited) == [])
    }

    @Test func anEntityThatIsGoneIsFoundInTheBaseline() throws {
        let entity = Sample.entity(fields: #""a":{"type":"string"}"#)
        let old = SchemaSource(path: "a.schema.json", bytes: Array(entity.utf8))
        let bytes = try #require(SchemaBaseline.write([old]))
        let baseline = SchemaSource(path: BaselineCheck.fileName, bytes: bytes)
        let found = BaselineCheck(baseline: baseline, sources: [], command: "accept").diagnostics(schemas: [])
        #expect(found.map { "\($0.path) \($0.rule)" } == ["\(BaselineCheck.fileName) entity-removed"])
    }

    @Test func aBrokenBaselineIsSaid() {
        let baseline = SchemaSource(path: BaselineCheck.fileName, bytes: Array("{}".utf8))
        let found = BaselineCheck(baseline: baseline, sources: [], command: "").diagnostics(schemas: [])
        #expect(found.count == 1 && found[0].path == BaselineCheck.fileName)
    }
}
