import SyncChecks
import SyncCore
import Testing

/// A few seeds each time, as a build without optimisation is slow; `synccheck simulate --plans` plays millions.
@Suite struct MergeLawTests {
    @Test func lastWriteWinsGivesOneResultInEveryOrder() throws {
        try MergeLaws(Entities.note(.lastWriteWins)).check(seeds: 0..<20)
    }

    @Test func setUnionGivesOneResultInEveryOrder() throws {
        try MergeLaws(Entities.note(.setUnion, fields: [Entities.tags])).check(seeds: 0..<20)
    }

    @Test func everyMergeRuleGivesOneResultInEveryOrder() throws {
        try MergeLaws(Entities.note(.lastWriteWins, fields: Entities.rules)).check(seeds: 0..<20)
        try MergeLaws(Entities.note(.setUnion, fields: Entities.rules)).check(seeds: 0..<20)
    }

    @Test func fieldGranularityGivesOneResultInEveryOrder() throws {
        try MergeLaws(Entities.note(.lastWriteWins, granularity: .field, fields: Entities.rules)).check(
            seeds: 0..<20
        )
    }

    @Test func preserveLocalPresentsOneHeadInEveryOrder() throws {
        try MergeLaws(Entities.note(.preserveLocal, fields: [Entities.tags])).check(seeds: 0..<20)
        try MergeLaws(Entities.note(.preserveLocal, granularity: .field)).check(seeds: 0..<20)
    }

    @Test(arguments: [MergeStrategy.lastWriteWins, .setUnion])
    func anOlderAppBreaksNoLawForFieldsThatItDoesNotKnow(_ strategy: MergeStrategy) throws {
        let fields = [Entities.tags, FieldDescriptor("rating", type: .integer())]
        let newer = Entities.note(strategy, granularity: .field, fields: fields)
        let older = Entities.note(strategy, granularity: .field)
        try MergeLaws(newer, older: older).check(seeds: 0..<20)
    }

    @Test(arguments: [MergeStrategy.lastWriteWins, .setUnion])
    func noAppThatDoesNotKnowARuleTakesAnythingFromIt(_ strategy: MergeStrategy) throws {
        let newer = Entities.note(strategy, granularity: .field, fields: Entities.rules)
        let older = Entities.note(strategy, granularity: .field)
        try MergeLaws(newer, older: older).check(seeds: 0..<12)
    }

    @Test func noOrderOfMergesLetsAbsenceBeatAValueThatAnOlderAppHasNeverHeardOf() throws {
        let status = FieldDescriptor("status", type: .string(), isRequired: true, defaultJSON: #""new""#)
        let fields = [FieldDescriptor("rating", type: .integer(), isNullable: true), status]
        let newer = Entities.note(.lastWriteWins, granularity: .field, fields: fields)
        let older = Entities.note(.lastWriteWins, granularity: .field)
        try MergeLaws(newer, older: older).check(seeds: 100..<120)
    }
}
