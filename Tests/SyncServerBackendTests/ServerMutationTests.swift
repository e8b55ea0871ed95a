import SyncChecks
import SyncCore
import Testing

#if Mutations
    /// Without one of its safeguards a story of devices at a server fails.
    @Suite struct ServerMutationTests {
        @Test(arguments: [false, true], [0, 3])
        func aBackupPutBackBehindAnAcknowledgementGoesUnnoticed(hasPushedBefore: Bool, later: Int)
            async throws
        {
            let note = Notes.entity(strategy: .lastWriteWins)
            try await Mutation.$disabled.withValue([.acknowledgedPlace]) {
                try await withServer(count: 2, entities: note) { world, server in
                    try await HistoryStoryTests().putBackBehindAnAcknowledgement(
                        world,
                        server: server,
                        note: note,
                        hasPushedBefore: hasPushedBefore,
                        later: later
                    )
                    try await world.converge()
                    #expect(
                        try world.devices[1].title(entity: note, key: "new") == nil,
                        "the guard is missed"
                    )
                }
            }
        }

        @Test func nobodyIsToldWithoutTheComparison() async throws {
            await withKnownIssue {
                try await Mutation.$disabled.withValue([.statesCompared]) {
                    try await ComparedRecordsTests().devicesThatHaveSeenTheSameAndHoldOthersSaySoOverAServer()
                }
            }
        }
    }
#endif
