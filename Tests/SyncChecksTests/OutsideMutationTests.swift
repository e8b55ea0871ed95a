import SyncChecks
import SyncCore
import Testing

#if Mutations
    /// Outside worlds detect missing safeguards of merged records, decisions and references with an oracle
    /// that knows only what people wrote.
    @Suite struct OutsideMutationTests {
        /// A safeguard, and a world that detects its absence.
        struct Row: Sendable, CustomTestStringConvertible {
            var off: Set<Safeguard>
            /// The related finding of the field report.
            var finding: String
            var simulator: OutsideSimulator
            var seed: UInt64
            /// The number of seeds from 0 of which at least one breaks the promise.
            var within: UInt64
            var rule: OutsidePromise

            init(
                off: Set<Safeguard>,
                finding: String,
                sets: Set<String>,
                place: OutsidePlace = .server,
                strewn: Set<OutsideStep.Kind> = [],
                hasVersions: Bool = false,
                sharesKeys: Bool = false,
                seed: UInt64,
                within: UInt64,
                _ rule: OutsidePromise
            ) {
                (self.off, self.finding, self.seed, self.within) = (off, finding, seed, within)
                self.rule = rule
                simulator = OutsideSimulator(
                    schemas: (OutsideSchemas.all + [Self.levels]).filter { sets.contains($0.name) },
                    promises: [rule],
                    places: [place],
                    maxSteps: 24
                )
                simulator.strewn = strewn
                simulator.without = [
                    .putBack, .reinstall, .leave, .emptyFolder, .loseFiles, .retire, .oldFile,
                ]
                simulator.alwaysUpdates = hasVersions
                if !hasVersions { simulator.without.insert(.update) }
                simulator.sharesKeys = sharesKeys
            }

            /// A task with a level that it has by default.
            private static let levels = OutsideSchemas(
                name: "levels",
                entities: [
                    EntityDescriptor(
                        name: "task",
                        typeName: "Task",
                        fields: [
                            FieldDescriptor(name: "id", type: .string(), isRequired: true),
                            FieldDescriptor(name: "title", type: .string(), isRequired: true),
                            FieldDescriptor(
                                name: "level",
                                type: .string(),
                                isRequired: true,
                                defaultJSON: #""usual""#
                            ),
                        ],
                        key: ["id"],
                        strategy: .lastWriteWins,
                        granularity: .field
                    )
                ]
            )

            var testDescription: String {
                "\(finding): \(off.map(\.rawValue).sorted().joined(separator: ", "))"
            }

            /// Whether the world of a seed breaks the promise without the safeguard.
            func isMissed(in seed: UInt64) async -> Bool {
                await Mutation.$disabled.withValue(off) { await simulator.play(seed).violations }
                    .contains { $0.rule == rule.rawValue }
            }
        }

        static let rows: [Row] = [
            Row(
                off: [.checksForPeople],
                finding: "A1",
                sets: ["restrict", "cascade"],
                seed: 313,
                within: 320,
                .syncsSucceed
            ),
            Row(off: [.partsMerge], finding: "A2", sets: ["rules-keep"], seed: 35, within: 40, .fieldsFlow),
            Row(off: [.mergedValueKept], finding: "A3", sets: ["note"], seed: 2, within: 10, .wordsFound),
            Row(
                off: [.referencesMove],
                finding: "A4",
                sets: ["links", "nullify"],
                seed: 46,
                within: 50,
                .referencesMove
            ),
            Row(
                off: [.parentsRestored, .parentsChecked],
                finding: "A6",
                sets: ["cascade"],
                seed: 333,
                within: 340,
                .writesShow
            ),
            Row(
                off: [.onlyShownReplaced],
                finding: "A3.1",
                sets: ["note", "rules-keep"],
                place: .cloud,
                seed: 732,
                within: 740,
                .wordsFound
            ),
            Row(
                off: [.decisionJournaled],
                finding: "A3.1",
                sets: ["note"],
                seed: 1,
                within: 10,
                .decisionsKept
            ),
            Row(
                off: [.referencesMove],
                finding: "A3.4",
                sets: ["cascade", "restrict"],
                seed: 41,
                within: 50,
                .referencesMove
            ),
            Row(
                off: [.versionsDecide],
                finding: "A3.8",
                sets: ["rules-record", "team", "lists-last"],
                seed: 789,
                within: 790,
                .wordsFound
            ),
            Row(
                off: [.answeredVersion, .decisionJournaled],
                finding: "A3.10",
                sets: ["restrict", "note"],
                seed: 187,
                within: 190,
                .shownIsResolved
            ),
            Row(
                off: [.editsSinceRead],
                finding: "an open form",
                sets: ["team", "rules-last"],
                strewn: [.read, .save],
                seed: 3,
                within: 10,
                .wordsFound
            ),
            Row(
                off: [.seedsGiveWay],
                finding: "a seed",
                sets: ["rules-last", "rules-record"],
                place: .folder,
                strewn: [.seed],
                seed: 203,
                within: 210,
                .seedsGiveWay
            ),
            Row(
                off: [.clearedReturns],
                finding: "a cleared reference",
                sets: ["nullify"],
                place: .folder,
                strewn: [.delete],
                seed: 221,
                within: 230,
                .referencesReturn
            ),
            Row(
                off: [.circlesBroken],
                finding: "two moves",
                sets: ["tree-cascade"],
                place: .folder,
                strewn: [.move],
                seed: 38,
                within: 40,
                .treesStand
            ),
            Row(
                off: [.moveOutKept],
                finding: "a move out of what is deleted",
                sets: ["tree-cascade"],
                place: .folder,
                strewn: [.move, .delete],
                seed: 962,
                within: 970,
                .movesStay
            ),
            Row(
                off: [.defaultsWritten],
                finding: "a written default",
                sets: ["levels"],
                place: .folder,
                sharesKeys: true,
                seed: 1,
                within: 10,
                .wordsFound
            ),
            Row(
                off: [.carriedLocalValues],
                finding: "a field that stays on the device now",
                sets: ["cascade", "circle", "team", "rules-last"],
                place: .folder,
                hasVersions: true,
                seed: 85,
                within: 400,
                .wordsFound
            ),
            Row(
                off: [.sharedValuesPublished],
                finding: "a field that is shared now",
                sets: ["cascade", "circle", "team", "rules-last"],
                place: .folder,
                hasVersions: true,
                seed: 145,
                within: 400,
                .wordsFound
            ),
        ]

        @Test(arguments: rows)
        func aMissingGuardIsMissedFromOutside(row: Row) async {
            if await !row.isMissed(in: row.seed) {
                var other = "none of \(row.within) seeds does"
                for seed in 0..<row.within {
                    guard await row.isMissed(in: seed) else { continue }
                    other = "seed \(seed) does"
                    break
                }
                Issue.record(
                    "\(row.testDescription): seed \(row.seed) does not break '\(row.rule.rawValue)'; \(other)"
                )
            }
            let sound = await row.simulator.play(row.seed).violations
            #expect(sound.isEmpty, "a promise is broken with all guards")
        }

        @Test func aLoserThatIsNotInTheJournalIsMissedAndToldWithFewerSteps() async throws {
            let simulator = OutsideTests.plain
            try await Mutation.$disabled.withValue([.journal]) {
                var found: OutsideSimulator.Outcome?
                for seed in UInt64(0)..<60 where found == nil {
                    let outcome = await simulator.play(seed)
                    if outcome.violations.contains(where: { $0.rule == "words-found" }) { found = outcome }
                }
                let outcome = try #require(found, "no world misses the journal")
                let short = await simulator.shrink(outcome, to: "words-found")
                #expect(short.violations.contains { $0.rule == "words-found" })
                #expect(short.story.steps.count < outcome.story.steps.count)
                #expect(short.lines.contains { $0.contains("puts") })
            }
        }
    }
#endif
