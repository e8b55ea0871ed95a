import SyncChecks
import SyncCore
import Testing

/// A few seeds each time, as a build without optimisation is slow; `synccheck simulate --plans` plays millions.
@Suite struct MergeLawTests {
    @Test func lastWriteWinsGivesOneResultInEveryOrder() throws {
        try MergeLaws(descriptor: Entities.note(strategy: .lastWriteWins)).check(seeds: 0..<20)
    }

    @Test func setUnionGivesOneResultInEveryOrder() throws {
        try MergeLaws(descriptor: Entities.note(strategy: .setUnion, fields: [Entities.tags])).check(
            seeds: 0..<20
        )
    }

    @Test func everyMergeRuleGivesOneResultInEveryOrder() throws {
        try MergeLaws(descriptor: Entities.note(strategy: .lastWriteWins, fields: Entities.rules)).check(
            seeds: 0..<20
        )
        try MergeLaws(descriptor: Entities.note(strategy: .setUnion, fields: Entities.rules)).check(
            seeds: 0..<20
        )
    }

    @Test func fieldGranularityGivesOneResultInEveryOrder() throws {
        try MergeLaws(
            descriptor: Entities.note(strategy: .lastWriteWins, granularity: .field, fields: Entities.rules)
        ).check(
            seeds: 0..<20
        )
    }

    @Test func preserveLocalPresentsOneHeadInEveryOrder() throws {
        try MergeLaws(descriptor: Entities.note(strategy: .preserveLocal, fields: [Entities.tags])).check(
            seeds: 0..<20
        )
        try MergeLaws(descriptor: Entities.note(strategy: .preserveLocal, granularity: .field)).check(
            seeds: 0..<20
        )
    }

    @Test(arguments: [MergeStrategy.lastWriteWins, .setUnion])
    func anOlderAppBreaksNoLawForFieldsThatItDoesNotKnow(strategy: MergeStrategy) throws {
        let fields = [Entities.tags, FieldDescriptor(name: "rating", type: .integer())]
        let newer = Entities.note(strategy: strategy, granularity: .field, fields: fields)
        let older = Entities.note(strategy: strategy, granularity: .field)
        try MergeLaws(descriptor: newer, older: older).check(seeds: 0..<20)
    }

    @Test(arguments: [MergeStrategy.lastWriteWins, .setUnion])
    func noAppThatDoesNotKnowARuleTakesAnythingFromIt(strategy: MergeStrategy) throws {
        let newer = Entities.note(strategy: strategy, granularity: .field, fields: Entities.rules)
        let older = Entities.note(strategy: strategy, granularity: .field)
        try MergeLaws(descriptor: newer, older: older).check(seeds: 0..<12)
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
        try MergeLaws(descriptor: newer, older: older).check(seeds: 100..<120)
    }
}
