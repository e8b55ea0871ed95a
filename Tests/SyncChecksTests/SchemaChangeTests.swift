import SyncChecks
import SyncCore
import SyncSchema
import TestSeeds
import Testing

/// Worlds in which an account has apps of two versions, for every rule of `diff`: no word is lost, and what `diff` says
/// about a store is what happens.
@Suite struct SchemaChangeTests {
    @Test func everyRuleOfDiffHasAWorld() throws {
        let rules = Set(ChangeRule.allCases.map(\.rawValue)).subtracting([ChangeRule.unusedIgnore.rawValue])
        #expect(rules.subtracting(SchemaChangeTable.cases.map(\.rule)).sorted() == [])
        for change in SchemaChangeTable.cases {
            let (old, new) = try Self.schemas(change: change)
            let found = SchemaDiff.compare(old: old, new: new).map(\.rule)
            #expect(found.contains(change.rule), "\(change): \(found)")
        }
    }

    @Test(arguments: SchemaChangeTable.cases.indices, [true, false])
    func noWordIsLostBetweenTwoVersionsOfAnApp(position: Int, isFolder: Bool) async throws {
        let change = SchemaChangeTable.cases[position]
        for round in SchemaChangeRound.some(from: position) where isFolder || round.oldFirst {
            try await expectKept(change, round: round, isFolder: isFolder)
        }
    }

    /// Changes with ways that are not played in each run.
    @Test func noWordIsLostInOtherWays() async throws {
        for seed in TestSeeds([]) {
            var draw = Seed(seed)
            let change = try #require(SchemaChangeTable.cases.randomElement(using: &draw))
            let round = try #require(SchemaChangeRound.all.randomElement(using: &draw))
            let isFolder = !round.oldFirst || Bool.random(using: &draw)
            try await expectKept(change, round: round, isFolder: isFolder)
        }
    }

    private func expectKept(_ change: SchemaChangeCase, round: SchemaChangeRound, isFolder: Bool) async throws
    {
        let outcome = try await Self.outcome(of: change, round: round, isFolder: isFolder)
        #expect(outcome.lost == [], "\(change), \(round), in a folder: \(isFolder)")
        #expect(outcome.differences == [], "\(change), \(round), in a folder: \(isFolder)")
    }

    /// What becomes of words in one world.
    static func outcome(
        of change: SchemaChangeCase,
        round: SchemaChangeRound,
        isFolder: Bool
    ) async throws -> SchemaChangeOutcome {
        let world = try SchemaChangeWorld(
            schemas: try schemas(change: change, granularity: round.granularity),
            effect: change.effect,
            isFolder: isFolder
        )
        defer { world.close() }
        try await world.play(round)
        return world.outcome
    }

    private static func schemas(change: SchemaChangeCase, granularity: String? = nil) throws -> (
        old: [Schema], new: [Schema]
    ) {
        func schemas(_ edit: SchemaEdit) throws -> [Schema] {
            var sketch = SchemaSketch()
            if let granularity { sketch.sync["granularity"] = granularity }
            edit(&sketch)
            let report = SchemaLoader.load(try sketch.sources)
            try #require(report.isValid, "\(change): \(report.diagnostics)")
            return report.schemas
        }
        return (try schemas(change.old), try schemas(change.new))
    }
}
