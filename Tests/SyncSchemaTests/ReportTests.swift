import Foundation
import SyncSchema
import Testing

/// The output formats for scripts, people and build logs.
@Suite struct ReportTests {
    private let diagnostic = Diagnostic(
        path: "a,b:c%/item.schema.json",
        line: 3,
        column: 7,
        severity: .error,
        message: "100% \"wrong\"",
        rule: "some-rule",
        help: "do\r\nbetter"
    )

    private func report(diagnostics: [Diagnostic]) -> SchemaReport {
        SchemaReport(schemas: [], diagnostics: diagnostics, checkedFiles: 2)
    }

    @Test func textHasOneLineForTheFindingAndOneForTheHelp() {
        var plain = diagnostic
        (plain.path, plain.help) = ("item.schema.json", "do better")
        #expect(plain.text() == "item.schema.json:3:7: error: 100% \"wrong\" [some-rule]\nhelp: do better")
        #expect(
            report(diagnostics: [plain, plain]).rendered(format: .text) == plain.text() + "\n" + plain.text()
                + "\n"
        )
        #expect(report(diagnostics: []).rendered(format: .text) == "")
    }

    @Test func githubCommandsCannotBeBrokenOutOf() {
        #expect(
            report(diagnostics: [diagnostic]).rendered(format: .github)
                == "::error file=a%2Cb%3Ac%25/item.schema.json,line=3,col=7,title=some-rule::100%25 \"wrong\"%0Ado%0D%0Abetter\n"
        )
        var warning = diagnostic
        warning.severity = .warning
        #expect(warning.github().hasPrefix("::warning file="))
    }

    @Test func jsonIsTheContractThatScriptsRelyOn() throws {
        #expect(
            report(diagnostics: [diagnostic]).rendered(format: .json) == """
                {"valid":false,"schemas":2,"diagnostics":[{"path":"a,b:c%/item.schema.json","line":3,"column":7,\
                "severity":"error","message":"100% \\"wrong\\"","rule":"some-rule","help":"do\\r\\nbetter"}]}

                """
        )
        #expect(
            report(diagnostics: []).rendered(format: .json)
                == "{\"valid\":true,\"schemas\":2,\"diagnostics\":[]}\n"
        )
        let hostile = Diagnostic(
            path: "\u{0}\u{1F}\u{7F}\u{2028}é😀",
            line: 1,
            column: 1,
            severity: .warning,
            message: "\\\"",
            rule: "r",
            help: "\t"
        )
        let parsed = try JSONSerialization.jsonObject(
            with: Data(report(diagnostics: [hostile]).rendered(format: .json).utf8)
        )
        let entries = try #require((parsed as? [String: Any])?["diagnostics"] as? [[String: Any]])
        #expect(entries[0]["path"] as? String == hostile.path)
        #expect(entries[0]["message"] as? String == hostile.message)
        #expect((parsed as? [String: Any])?["valid"] as? Bool == true)
    }

    @Test func warningsLeaveASchemaUsable() {
        let text = Sample.entity(title: "Transaction", fields: #""a":{"type":"string"}"#)
        let report = SchemaLoader.load([SchemaSource(path: "item.schema.json", bytes: Array(text.utf8))])
        #expect(report.isValid && report.schemas.count == 1 && report.diagnostics.count == 1)
    }

    @Test func oneBrokenSchemaDoesNotHideTheOthers() {
        let good = Sample.entity(title: "Good", fields: #""a":{"type":"string"}"#)
        let bad = Sample.entity(title: "Bad", fields: #""a":{"type":"x"}"#)
        let report = SchemaLoader.load([
            SchemaSource(path: "z/good.schema.json", bytes: Array(good.utf8)),
            SchemaSource(path: "bad.schema.json", bytes: Array(bad.utf8)),
        ])
        #expect(!report.isValid && report.schemas.map(\.name) == ["good"] && report.checkedFiles == 2)
    }

    @Test func theOrderOfTheSourcesDoesNotMatter() throws {
        let samples =
            SetSamples.all + [Sample(files: [], rules: [])]
        var random = SeededRandom(seed: 11)
        for sample in samples {
            let shipped = try ShippedSchemas.sources()
            let sources = sample.sources + shipped
            let first = SchemaLoader.load(sources)
            for _ in 0..<2 {
                #expect(SchemaLoader.load(sources.shuffled(using: &random)) == first)
            }
            #expect(SchemaLoader.load(sources + sources) == first)
            #expect(first.schemas.map(\.name) == first.schemas.map(\.name).sorted())
        }
    }

    @Test func findingsComeInFileOrder() {
        let text = Sample.entity(fields: #""b":{"type":"y"},"a":{"type":"x"}"#, sync: #""created":"q""#)
        let report = SchemaLoader.load(
            ["b/item.schema.json", "a/item.schema.json", "B/item.schema.json"].map {
                SchemaSource(path: $0, bytes: Array(text.utf8))
            }
        )
        let places = report.diagnostics.map { "\($0.path.prefix(1)):\($0.line):\($0.column)" }
        #expect(
            places == [
                "B:3:13", "B:3:30", "B:6:11", "a:1:1", "a:1:10", "a:3:13", "a:3:30", "a:6:11", "b:1:1",
                "b:1:10", "b:3:13",
                "b:3:30", "b:6:11",
            ]
        )
    }

    @Test func hostileNamesCannotForgeALogLine() {
        let name = "a\\nitem.schema.json:1:1: error: forged\\u001b[2K\\u202e"
        let text = Sample.entity(fields: "\"\(name)\":{\"type\":\"string\"}")
        let report = SchemaLoader.load([SchemaSource(path: "item.schema.json", bytes: Array(text.utf8))])
        #expect(report.rendered(format: .text).split(separator: "\n").count == 2)
        #expect(
            !report.rendered(format: .text).unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" }
        )
    }

    @Test(arguments: [
        (#""a":{"typ":"string","type":"string"}"#, "'type'"), (#""a":{"type":"strnig"}"#, "'string'"),
        (#""a":{"type":"string","format":"datetime"}"#, "'date-time'"),
        (#""a":{"type":"string","sync":{"merge":"uinon"}}"#, "'union'"),
        (#""a":{"type":"string","maxLenght":3}"#, "'maxLength'"), (#""a":{"type":"int"}"#, "\"integer\""),
    ])
    func saysWhatWasProbablyMeant(field: String, meant: String) {
        let text = Sample.entity(fields: field)
        let report = SchemaLoader.load([SchemaSource(path: "item.schema.json", bytes: Array(text.utf8))])
        #expect(report.diagnostics.count == 1 && report.diagnostics[0].help.contains(meant))
    }
}
