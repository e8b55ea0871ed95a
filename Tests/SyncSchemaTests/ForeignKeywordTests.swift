import Testing

@testable import SyncSchema

/// Schemas that other tools wrote are taken as far as their meaning can be kept.
@Suite struct ForeignKeywordTests {
    private func report(_ field: String, root: String = "") -> SchemaReport {
        let text = Sample.entity(fields: field, root: root)
        return SchemaLoader.load([SchemaSource(path: "item.schema.json", bytes: Array(text.utf8))])
    }

    private func type(_ field: String) throws -> (SchemaType, isNullable: Bool) {
        let report = report(#""a":{\#(field)}"#)
        #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
        let property = try #require(report.schemas.first?.properties.first { $0.name == "a" })
        return (property.type, property.isNullable)
    }

    @Test func keywordsOfOtherToolsAreAnnotations() throws {
        let report = report(#""a":{"type":"string","x-order":3}"#, root: #""x-owner":"team","#)
        #expect(report.schemas.count == 1)
        #expect(report.diagnostics.map(\.severity) == [.warning, .warning])
        #expect(report.diagnostics.map(\.rule) == ["unknown-keyword", "unknown-keyword"])
    }

    @Test func aMisspeltKeywordIsStillAnError() {
        let report = report(#""a":{"type":"string","maxLenght":3}"#)
        #expect(report.schemas.isEmpty && report.diagnostics.map(\.severity) == [.error])
    }

    @Test func nullableOfOpenAPIAllowsNull() throws {
        #expect(try type(#""type":"string","nullable":true"#).isNullable)
        #expect(try !type(#""type":"string","nullable":false"#).isNullable)
    }

    @Test func aConstantIsTheOnlyValue() throws {
        guard case .enumeration(let words) = try type(#""const":"book""#).0 else {
            Issue.record("no enum")
            return
        }
        #expect(words.cases.map(\.value) == ["book"])
        #expect(try type(#""type":"integer","const":3"#).0 == .integer(minimum: 3, maximum: 3))
        #expect(try type(#""type":"number","const":0.5"#).0 == .number(minimum: 0.5, maximum: 0.5))
    }

    @Test(arguments: [#""type":"integer","enum":[2,-3,1e2]"#, #""enum":[2,-3,100.0]"#])
    func anEnumOfIntegersNamesThem(field: String) throws {
        guard case .enumeration(let levels) = try type(field).0 else {
            Issue.record("no enum")
            return
        }
        #expect(levels.isInteger && levels.typeName == "A")
        #expect(levels.cases.map(\.value) == ["2", "-3", "100"])
        #expect(levels.cases.map(\.name) == ["value2", "minus3", "value100"])
        #expect(FieldType(.enumeration(levels)) == .integer())
    }

    @Test func anEnumAndAConstantSayTheirTypeThemselves() throws {
        #expect(try type(#""const":3"#).0 == .integer(minimum: 3, maximum: 3))
        #expect(try type(#""const":0.5"#).0 == .number(minimum: 0.5, maximum: 0.5))
        #expect(try type(#""enum":[null,7]"#).isNullable)
    }

    @Test func widthsOfNumbersAreBounds() throws {
        let small = try type(#""type":"integer","format":"int32","minimum":0"#).0
        #expect(small == .integer(minimum: 0, maximum: 2_147_483_647))
        #expect(try type(#""type":"integer","format":"int64""#).0 == .integer(minimum: nil, maximum: nil))
        #expect(try type(#""type":"number","format":"double""#).0 == .number(minimum: nil, maximum: nil))
    }
}
