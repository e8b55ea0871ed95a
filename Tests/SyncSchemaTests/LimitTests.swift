import SyncSchema
import Testing

@testable import SyncSchema

/// Files over a limit of size, depth or count.
@Suite struct LimitTests {
    private func found(text: String) -> [String] {
        SchemaLoader.load([SchemaSource(path: "item.schema.json", bytes: Array(text.utf8))]).diagnostics.map(
            \.rule
        )
    }

    @Test func readsATenMegabyteFile() {
        let long = String(repeating: "very long ", count: 1_000_000)
        #expect(found(text: Sample.entity(fields: #""a":{"type":"string","description":"\#(long)"}"#)) == [])
        #expect(
            found(
                text: Sample.entity(fields: #""a":{"type":"string"}"#)
                    + String(repeating: " \n", count: 5_000_000)
            ) == []
        )
    }

    @Test func refusesALargerFileThanItsLimit() {
        let bytes = [UInt8](repeating: 0x20, count: EntityReader.maxBytes + 1)
        let report = SchemaLoader.load([SchemaSource(path: "item.schema.json", bytes: bytes)])
        #expect(report.diagnostics.map(\.rule) == ["file-too-large"])
    }

    @Test func refusesMoreValuesThanItsLimit() {
        #expect(
            found(text: "[" + String(repeating: "1,", count: JSONNodeReader.maxNodes) + "1]") == [
                "file-too-large"
            ]
        )
    }

    @Test func readsAStringOfHalfSurrogatePairsWithoutRecursion() {
        let halves = String(repeating: #"\ud800"#, count: 500_000)
        let rules = found(text: #"{"title":"\#(halves)"}"#)
        #expect(rules.count == DiagnosticList.limit + 1)
        #expect(Set(rules) == ["json-surrogate", "too-many-problems"])
    }

    @Test func stopsListingDiagnostics() {
        let fields = (0..<5_000).map { "\"a\($0)\":1" }.joined(separator: ",")
        let rules = found(text: "{" + fields + "}")
        #expect(rules.count == DiagnosticList.limit + 1)
        #expect(rules.filter { $0 == "too-many-problems" }.count == 1)
    }

    @Test func refusesTooManyFields() {
        let fields = (0..<SchemaScope.maxFields).map { "\"a\($0)\":{\"type\":\"string\"}" }.joined(
            separator: ","
        )
        #expect(found(text: Sample.entity(fields: fields)).contains("schema-too-large"))
    }

    @Test func refusesTooManyEnumValues() {
        let values = (0...SchemaScope.maxEnumValues).map { "\"v\($0)\"" }.joined(separator: ",")
        #expect(found(text: Sample.entity(fields: "\"a\":{\"enum\":[\(values)]}")) == ["schema-too-large"])
    }

    @Test func refusesDefinitionsThatMultiply() {
        let doubling = (1...30).map {
            "\"D\($0)\":{\"type\":\"object\",\"properties\":{\"x\":{\"$ref\":\"#/$defs/D\($0 - 1)\"},\"y\":{\"$ref\":\"#/$defs/D\($0 - 1)\"}}}"
        }
        let definitions = (["\"D0\":{\"type\":\"string\"}"] + doubling).joined(separator: ",")
        #expect(
            found(text: Sample.entity(fields: #""a":{"type":"string"}"#, root: "\"$defs\":{\(definitions)},"))
                == [
                    "schema-too-large"
                ]
        )
    }

    @Test(arguments: [true, false])
    func refusesDefinitionsThatNestTooDeep(isForward: Bool) {
        let chain = (0..<500).map { number in
            let next = "\"items\":{\"$ref\":\"#/$defs/D\(number + 1)\"}"
            return "\"D\(number)\":{\"type\":\"array\",\(next)}"
        }
        let all = chain + ["\"D500\":{\"type\":\"string\"}"]
        let definitions = (isForward ? all : all.reversed()).joined(separator: ",")
        let rules = found(
            text: Sample.entity(fields: #""a":{"type":"string"}"#, root: "\"$defs\":{\(definitions)},")
        )
        #expect(!rules.isEmpty && Set(rules) == ["nesting-too-deep"])
    }

    @Test func refusesTypesThatNestTooDeep() {
        let nested =
            String(repeating: "{\"type\":\"array\",\"items\":", count: 40) + "{\"type\":\"string\"}"
            + String(repeating: "}", count: 40)
        #expect(found(text: Sample.entity(fields: "\"a\":" + nested)) == ["nesting-too-deep"])
    }

    @Test func readsTwoHundredSchemasOfThirtyFieldsQuickly() {
        let fields = (0..<29).map {
            "\"field\($0)\":{\"description\":\"What field \($0) means.\",\"type\":[\"string\",\"null\"],\"maxLength\":\($0 + 1)}"
        }.joined(separator: ",\n")
        let sources = (0..<200).map {
            SchemaSource(
                path: "entity-\($0).schema.json",
                bytes: Array(Sample.entity(title: "Entity\($0)", fields: fields).utf8)
            )
        }
        let clock = ContinuousClock()
        let start = clock.now
        let report = SchemaLoader.load(sources)
        let time = clock.now - start
        #expect(report.isValid && report.schemas.count == 200)
        // NB: a debug build on a busy machine takes many times as long as a release build (about 60 ms).
        #expect(time < .seconds(10))
    }

    @Test func aCircleOfManyEntitiesIsReadAndOrdered() {
        let sources = (0..<2_000).map { number in
            let next =
                "\"references\":{\"next\":{\"entity\":\"e\((number + 1) % 2_000)\",\"onDelete\":\"restrict\"}}"
            let text = Sample.entity(title: "E\(number)", fields: #""next":{"type":"string"}"#, sync: next)
            return SchemaSource(path: "e\(number).schema.json", bytes: Array(text.utf8))
        }
        let report = SchemaLoader.load(sources)
        #expect(report.diagnostics.isEmpty && report.schemas.count == 2_000)
    }
}
