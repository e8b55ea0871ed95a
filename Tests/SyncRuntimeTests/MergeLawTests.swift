import SyncChecks
import SyncCore
import TestSeeds
import Testing

/// A few seeds each time, as a build without optimisation is slow; `synccheck simulate --plans` plays millions.
@Suite struct MergeLawTests {
    private func check(_ laws: MergeLaws, first: UInt64 = 0) throws {
        for seed in TestSeeds(first..<first + 3) { try laws.check(seeds: seed..<seed + 1) }
    }

    @Test func lastWriteWinsGivesOneResultInEveryOrder() throws {
        try check(MergeLaws(descriptor: Entities.note(strategy: .lastWriteWins)))
    }

    @Test func setUnionGivesOneResultInEveryOrder() throws {
        try check(MergeLaws(descriptor: Entities.note(strategy: .setUnion, fields: [Entities.tags])))
    }

    @Test func everyMergeRuleGivesOneResultInEveryOrder() throws {
        try check(MergeLaws(descriptor: Entities.note(strategy: .lastWriteWins, fields: Entities.rules)))
        try check(MergeLaws(descriptor: Entities.note(strategy: .setUnion, fields: Entities.rules)))
    }

    @Test func fieldGranularityGivesOneResultInEveryOrder() throws {
        try check(
            MergeLaws(
                descriptor: Entities.note(
                    strategy: .lastWriteWins,
                    granularity: .field,
                    fields: Entities.rules
                )
            )
        )
    }

    @Test func preserveLocalPresentsOneHeadInEveryOrder() throws {
        try check(MergeLaws(descriptor: Entities.note(strategy: .preserveLocal, fields: [Entities.tags])))
        try check(MergeLaws(descriptor: Entities.note(strategy: .preserveLocal, granularity: .field)))
    }

    @Test(arguments: [MergeStrategy.lastWriteWins, .setUnion])
    func anOlderAppBreaksNoLawForFieldsThatItDoesNotKnow(strategy: MergeStrategy) throws {
        let fields = [Entities.tags, FieldDescriptor(name: "rating", type: .integer())]
        let newer = Entities.note(strategy: strategy, granularity: .field, fields: fields)
        let older = Entities.note(strategy: strategy, granularity: .field)
        try check(MergeLaws(descriptor: newer, older: older))
    }

    @Test(arguments: [MergeStrategy.lastWriteWins, .setUnion])
    func noAppThatDoesNotKnowARuleTakesAnythingFromIt(strategy: MergeStrategy) throws {
        let newer = Entities.note(strategy: strategy, granularity: .field, fields: Entities.rules)
        let older = Entities.note(strategy: strategy, granularity: .field)
        try check(MergeLaws(descriptor: newer, older: older))
    }

    @Test func noOrderOfMergesLetsAbsenceBeatAValueThatAnOlderAppHasNeverHeardOf() throws {
        let status = FieldDescriptor(
            name: "status",
            type: .string(),
            isRequired: true,
            defaultJSON: #""new""#
        )
        let fields = [FieldDescriptor(name: "rating", type: .integer(), isNullable: true), status]
        let newer = Entities.note(strategy: .lastWriteWins, granularity: .field, fields: fields)
        let older = Entities.note(strategy: .lastWriteWins, granularity: .field)
        try check(MergeLaws(descriptor: newer, older: older), first: 100)
    }
}
