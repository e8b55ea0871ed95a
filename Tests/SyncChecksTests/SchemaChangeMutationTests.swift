import SyncChecks
import SyncCore
import Testing

#if Mutations
    /// Without its safeguard a change of a schema loses what two versions of an app wrote.
    @Suite struct SchemaChangeMutationTests {
        /// Safeguards of mixed versions, and the rules whose worlds miss them.
        static let rows: [(off: Safeguard, change: SchemaChangeCase)] = [
            (.carriedLocalValues, SchemaChangeTable.local),
            (.sharedValuesPublished, SchemaChangeTable.local.reversed("local-only-changed")),
            (.formerNamesRead, SchemaChangeTable.renamed),
            (.unreadableRowsSetAside, SchemaChangeTable.extraRequired),
        ]

        @Test(arguments: rows)
        func theWorldOfARuleMissesItsSafeguard(off: Safeguard, change: SchemaChangeCase) async throws {
            var isMissed = false
            for round in SchemaChangeRound.all where !isMissed {
                let outcome = try await Mutation.$disabled.withValue([off]) {
                    try await SchemaChangeTests.outcome(of: change, round: round, isFolder: true)
                }
                isMissed = outcome != SchemaChangeOutcome()
                if isMissed { print("\(off), \(change): \(round) loses \(outcome)") }
            }
            #expect(isMissed, "\(change) plays well without \(off)")
        }
    }
#endif
