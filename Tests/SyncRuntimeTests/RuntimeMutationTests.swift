import SyncChecks
import SyncCore
import Testing

@testable import SyncRuntime

#if Mutations
    /// Without one of its safeguards a story of the runtime fails.
    @Suite struct RuntimeMutationTests {
        @Test(arguments: MergeStrategy.allCases)
        func recordsOfOneValueStayTwoAfterAPullThatFailedMidway(strategy: MergeStrategy) async throws {
            for others in strategy == .lastWriteWins ? [0, 600] : [0] {
                let records = try await InterruptedPullTests().recordsAfterAFailedPull(
                    strategy: strategy,
                    place: .folders,
                    others: others
                ) { sync in
                    try await Mutation.$disabled.withValue([.pendingResolutionRemembered]) {
                        try await sync()
                    }
                }
                #expect(records == 2 + 2 * others, "the guard is missed")
            }
        }

        @Test func aListingThatIsBelievedAtOnceLosesRecords() async throws {
            var found: UInt64?
            for seed in 0..<UInt64(20) where found == nil {
                let lost = try await Mutation.$disabled.withValue([.absenceDoubted]) {
                    try await ListingStoryTests.Story(seed: seed).play()
                }
                if !lost.isEmpty { found = seed }
            }
            #expect(found != nil, "no seed finds what is lost without the doubt")
        }

        @Test(arguments: World.Place.allCases)
        func theReturnOfARecordWithItsParentWinsOverADeleteByAPerson(place: World.Place) async throws {
            try await ReferenceTests().returnsAParent(place: place) { world in
                try await Mutation.$disabled.withValue([.conclusionsYield]) { try await world.converge() }
            } then: { live in
                // What a server takes first decides there, whatever the times.
                #expect(place == .server ? live.contains("a") : live == ["a", "b"])
            }
        }
    }
#endif
