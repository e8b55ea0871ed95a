import TestSeeds
import Testing

/// The seeds that simulations of tests play.
@Suite struct TestSeedsTests {
    @Test func fixedSeedsArePlayedFirstAndAllOfThem() {
        #expect(Array(TestSeeds([5, 3, 99]).prefix(3)) == [5, 3, 99])
    }

    @Test func theOthersFollowFromTheSeedThatIsPrinted() {
        let expected: [UInt64] = [7, TestSeeds.first, TestSeeds.first &+ 1]
        #expect(expected.starts(with: TestSeeds([7]).prefix(3)))
    }

    @Test func theOthersEndOnceTheirTimeIsUsedUp() {
        let start = ContinuousClock.now
        for _ in TestSeeds([]) {}
        #expect(ContinuousClock.now - start >= .seconds(TestSeeds.seconds))
    }

    @Test func eachFixedSeedIsACaseOfItsOwnAndTheOthersAreOneMore() {
        let cases = TestSeeds.cases([5, 3])
        #expect(cases.map(\.description) == ["5", "3", "from \(TestSeeds.first)"])
        #expect(cases.dropLast().map { Array($0) } == [[5], [3]])
    }

    @Test func partsOfATestPlayOtherSeeds() {
        let first = (0..<4 as Range<UInt64>).map { part in TestSeeds([], part: part).description }
        #expect(Set(first).count == 4)
    }
}
