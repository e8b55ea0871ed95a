import SyncSchema
import Testing

@testable import SyncSchema

/// Tests each rule with small files: the diagnostic and its exact position.
@Suite struct RuleTests {
    @Test(arguments: TextSamples.all)
    func findsWhatIsWrongWithTheText(sample: Sample) {
        #expect(sample.found == sample.expected)
    }

    @Test(arguments: KeywordSamples.all)
    func findsUnknownMisplacedAndMissingKeywords(sample: Sample) {
        #expect(sample.found == sample.expected)
    }

    @Test(arguments: NameSamples.all)
    func findsNamesThatSwiftSQLOrTheWireCannotTake(sample: Sample) {
        #expect(sample.found == sample.expected)
    }

    @Test(arguments: TypeSamples.all)
    func findsTypesAndConstraintsThatDoNotWork(sample: Sample) {
        #expect(sample.found == sample.expected)
    }

    @Test(arguments: SyncSamples.all)
    func findsMisuseOfSync(sample: Sample) {
        #expect(sample.found == sample.expected)
    }

    @Test(arguments: SetSamples.all)
    func findsSchemasThatDoNotGoTogether(sample: Sample) {
        #expect(sample.found == sample.expected)
    }

    /// Rules whose files are too large or too unusual for a sample, or are not schemas. They are tested in
    /// `LimitTests`, `EncodingTests` and `ChangeFileTests`.
    private static let shownElsewhere: Set<Rule> = [
        .fileTooLarge, .notUTF8, .tooManyDiagnostics, .nestingTooDeep, .schemaTooLarge, .notABaseline,
        .badIgnore,
    ]

    @Test func everyRuleHasASample() {
        let samples =
            TextSamples.all + KeywordSamples.all + NameSamples.all + TypeSamples.all + SyncSamples.all
            + SetSamples.all
        let shown = Set(samples.flatMap(\.rules).flatMap { $0.split(separator: "+").map(String.init) })
        let missing = Rule.allCases.filter {
            !Self.shownElsewhere.contains($0) && !shown.contains($0.rawValue)
        }
        #expect(missing.isEmpty)
    }

    @Test func everyFindingSaysWhatToDo() {
        let samples =
            TextSamples.all + KeywordSamples.all + NameSamples.all + TypeSamples.all + SyncSamples.all
        for sample in samples + SetSamples.all {
            for diagnostic in SchemaLoader.load(sample.sources).diagnostics {
                #expect(!diagnostic.help.isEmpty && !diagnostic.message.isEmpty)
                #expect(!diagnostic.message.contains("\n") && !diagnostic.help.contains("\n"))
                #expect(!diagnostic.message.hasSuffix("."))
            }
        }
    }
}
