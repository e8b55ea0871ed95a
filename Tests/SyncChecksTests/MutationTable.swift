import SyncChecks
import SyncCore
import SyncEntities
import Testing

#if Mutations
    /// The safeguards of the product, each with the check that fails without it.
    enum MutationTable {
        /// Worlds in which a promise is broken without a safeguard.
        static let worlds: [MutationRow] = [
            MutationRow(
                off: .durableWrites,
                place: .folders,
                faults: [.crashes],
                devices: 2,
                often: [.crash: 10],
                seed: 2,
                within: 10,
                rule: "nothing-lost"
            ),
            MutationRow(
                off: .cursorWithRows,
                place: .folders,
                faults: nil,
                devices: 3,
                often: [.crash: 6, .sync: 6],
                seed: 71,
                within: 80,
                rule: "same-everywhere"
            ),
            MutationRow(
                off: .acknowledgementByEdit,
                place: .folders,
                faults: [],
                devices: 3,
                seed: 61,
                within: 70,
                rule: "same-everywhere"
            ),
            MutationRow(
                off: .conflictsKept,
                place: .folders,
                faults: [],
                devices: 3,
                seed: 2,
                within: 10,
                rule: "nothing-lost"
            ),
            MutationRow(
                off: .journal,
                place: .folders,
                faults: [],
                devices: 3,
                seed: 1,
                within: 10,
                rule: "nothing-lost"
            ),
            MutationRow(
                off: .duplicatesMerged,
                place: .folders,
                faults: [],
                devices: 3,
                often: [.create: 8],
                seed: 102,
                within: 120,
                rule: "one-of-each"
            ),
            MutationRow(
                off: .tieBreak,
                place: .folders,
                faults: [],
                devices: 2,
                often: [.edit: 16, .create: 8],
                seed: 46,
                within: 60,
                rule: "same-everywhere"
            ),
            MutationRow(
                off: .headsByVector,
                place: .folders,
                faults: nil,
                devices: 3,
                seed: 12,
                within: 20,
                rule: "nothing-lost"
            ),
            MutationRow(
                off: .entriesByVector,
                place: .folders,
                faults: nil,
                devices: 3,
                seed: 39,
                within: 50,
                rule: "same-everywhere"
            ),
            MutationRow(
                off: .intentKnown,
                place: .folders,
                faults: [.crashes],
                devices: 2,
                often: [.crash: 10, .sync: 5],
                seed: 91,
                within: 100,
                rule: "deletes-stay"
            ),
            MutationRow(
                off: .wholeSegments,
                place: .folders,
                faults: [.folders],
                devices: 3,
                often: [.deliverHalf: 8, .sync: 8],
                seed: 8,
                within: 20,
                rule: "same-everywhere"
            ),
            MutationRow(
                off: .filePlace,
                place: .folders,
                faults: [.foreignFiles],
                devices: 2,
                often: [.strangeFile: 6],
                seed: 27,
                within: 40,
                rule: "same-everywhere"
            ),
            MutationRow(
                off: .rejectionApart,
                place: .folders,
                faults: nil,
                devices: 3,
                seed: 6,
                within: 10,
                rule: "syncs-again"
            ),
            MutationRow(
                off: .pageKind,
                place: .server,
                faults: [],
                devices: 2,
                seed: 1,
                within: 10,
                rule: "nothing-lost"
            ),
            MutationRow(
                off: .sameHistory,
                place: .server,
                faults: [.servers],
                devices: 3,
                seed: 8,
                within: 20,
                rule: "same-everywhere"
            ),
            MutationRow(
                off: .tombstoneFloor,
                place: .server,
                faults: [.servers],
                devices: 3,
                often: [.purge: 6, .delete: 8, .create: 8],
                seed: 41,
                within: 60,
                rule: "same-everywhere"
            ),
            // NB: the two halves of compare-and-set replace each other, and the device that finds its edit
            // missing repairs what both let through. Only without all three is a promise broken.
            MutationRow(
                off: [.baseRevision, .seenState, .forgottenEdits],
                place: .server,
                faults: [],
                devices: 3,
                often: [.syncBusily: 16, .edit: 10],
                seed: 12,
                within: 20,
                rule: "nothing-lost"
            ),
            // A rare combination of three faults, found among stories of any kind.
            MutationRow(
                off: .acknowledgedPlace,
                seed: 231_254_957_328_692,
                within: 7_000,
                rule: "same-everywhere"
            ),
            // Promises of disks: syncing folders and files.
            MutationRow(
                flaw: .ignoresFolderSync,
                place: .folders,
                faults: [.crashes],
                devices: 3,
                seed: 8,
                within: 20,
                rule: "nothing-lost"
            ),
            MutationRow(
                flaw: .ignoresFileSync,
                place: .folders,
                faults: [.crashes],
                devices: 3,
                seed: 8,
                within: 20,
                rule: "starts-again"
            ),
        ]

        /// Dense stories, each of one entity, in which a promise is broken without a safeguard.
        static let plans: [GuardPlan] = [
            GuardPlan(off: .smallestKey, entity: "u-unique", seed: 1196, within: 1300, rule: "nothing-lost")
        ]

        /// Checks of the backend suite that fail without a safeguard, with the real server or folder.
        static let checks: [GuardCheck] = [
            GuardCheck(off: .baseRevision, id: "edit-of-purged", place: .server),
            GuardCheck(off: .seenState, id: "unseen-vector", place: .server),
            GuardCheck(off: .repeatedPush, id: "repeated-push", place: .server),
            GuardCheck(off: .copyNoticed, id: "copied-store", place: .server),
            GuardCheck(off: .copyNoticed, id: "copied-store", place: .folders),
        ]

        /// Safeguards that no world detects yet, because the rest of the product repairs the damage, or the
        /// worlds have no such fault. Each has its own test.
        static let tests: [Safeguard: (file: String, test: String)] = [
            .absenceDoubted: (
                "SyncRuntimeTests/RuntimeMutationTests.swift", "aListingThatIsBelievedAtOnceLosesRecords"
            ),
            .depthUnseen: (
                "SyncRuntimeTests/UnseenDescendantTests.swift",
                "aPageThatGoesWithItsBoxIsInTheJournal"
            ),
            .conclusionsYield: (
                "SyncRuntimeTests/ReferenceTests.swift",
                "aDeleteByAPersonWinsOverTheReturnOfARecordWithItsParent"
            ),
            .accountGate: (
                "SyncRuntimeTests/AccountInFlightTests.swift", "aLateAnswerChangesNothingButAcknowledgesAPush"
            ),
            .pendingResolutionRemembered: (
                "SyncRuntimeTests/InterruptedPullTests.swift",
                "whatAPullThatFailedMidwayTookInIsMergedByTheNext"
            ),
            .numbersOnce: (
                "SyncFileBackendTests/LostFolderTests.swift",
                "reachesDevicesThatDidNotRejoinAfterAnotherHasRolledBackAndRejoined"
            ),
            .contentsByName: (
                "SyncChecksTests/FolderStoryTests.swift",
                "twoContentsOfOneNumberAreTwoFilesAndBothAreRead"
            ),
            .doubtfulEditsRenewed: (
                "SyncChecksTests/FolderStoryTests.swift",
                "aMachineFromABackupLosesNeitherWhatItWroteSinceNorWhatItHadWritten"
            ),
            .rejoinRenews: (
                "SyncChecksTests/FolderStoryTests.swift",
                "aStoreFromABackupThatJoinsAnEmptiedFolderIsHeardByTheOthers"
            ),
            .lostPublishedAgain: (
                "SyncChecksTests/FolderStoryTests.swift", "whatTheFolderHasLostIsPublishedAgainByWhoHoldsIt"
            ),
            .retiredRenewed: (
                "SyncChecksTests/FolderReturnTests.swift",
                "aRetiredDeviceThatComesBackIsToldAndHoldsWhatTheOthersHold"
            ),
            .fullStateAfterCollection: (
                "SyncChecksTests/FolderReturnTests.swift",
                "aNewcomerWhoseFilesWereOnTheirWayComparesOnceTombstonesWereDropped"
            ),
            .statesCompared: (
                "SyncChecksTests/FolderStoryTests.swift", "devicesThatHaveSeenTheSameAndHoldOthersSaySo"
            ),
            .timestampTick: (
                "SyncChecksTests/MutationTests.swift",
                "anEditIsLaterThanWhatItReplacesThoughTheClockWasSetBack"
            ),
        ]
    }

    /// A row of the table: safeguards that are disabled together, the worlds that detect it, and the seed of
    /// one of them.
    struct MutationRow: Sendable, CustomTestStringConvertible {
        var off: Set<Safeguard>
        var simulator: Simulator
        /// The seed of a world that breaks the promise.
        var seed: UInt64
        /// The number of seeds from 0 of which at least one breaks the promise.
        var within: UInt64
        /// The promise.
        var rule: String

        /// - Parameters:
        ///   - faults: The classes of faults; nil for all.
        ///   - devices: The most devices.
        ///   - often: Preferred kinds of steps, with their weights.
        init(
            off: Set<Safeguard>,
            flaw: DiskFlaw? = nil,
            place: World.Place,
            faults: Set<StoryFault>?,
            devices: Int,
            often: KeyValuePairs<StoryStep.Kind, Int> = [:],
            seed: UInt64,
            within: UInt64,
            rule: String
        ) {
            self.off = off
            var generator = StoryGenerator(
                maxDevices: devices,
                faults: faults ?? Set(StoryFault.allCases),
                places: [place]
            )
            generator.often = often.flatMap { Array(repeating: $0.key, count: $0.value) }
            simulator = Simulator(entities: SyncRegistry.descriptors, generator: generator)
            simulator.diskFlaws = Set([flaw].compactMap { $0 })
            (self.seed, self.within, self.rule) = (seed, within, rule)
        }

        init(
            off: Safeguard,
            place: World.Place,
            faults: Set<StoryFault>?,
            devices: Int,
            often: KeyValuePairs<StoryStep.Kind, Int> = [:],
            seed: UInt64,
            within: UInt64,
            rule: String
        ) {
            self.init(
                off: [off],
                place: place,
                faults: faults,
                devices: devices,
                often: often,
                seed: seed,
                within: within,
                rule: rule
            )
        }

        init(
            flaw: DiskFlaw,
            place: World.Place,
            faults: Set<StoryFault>?,
            devices: Int,
            seed: UInt64,
            within: UInt64,
            rule: String
        ) {
            self.init(
                off: [],
                flaw: flaw,
                place: place,
                faults: faults,
                devices: devices,
                seed: seed,
                within: within,
                rule: rule
            )
        }

        init(off: Safeguard, seed: UInt64, within: UInt64, rule: String) {
            self.off = [off]
            simulator = Simulator(entities: SyncRegistry.descriptors)
            (self.seed, self.within, self.rule) = (seed, within, rule)
        }

        /// The disabled safeguards.
        var testDescription: String {
            (off.map(\.rawValue).sorted() + simulator.diskFlaws.map { "\($0)" }).joined(separator: " + ")
        }

        /// The violation in a world without the safeguards.
        func violation(seed: UInt64) async -> StoryViolation? {
            await Mutation.$disabled.withValue(off) { await simulator.play(seed).violation }
        }

        /// The violation in the same world with the safeguards.
        func violationWithGuards(seed: UInt64) async -> StoryViolation? {
            var sound = simulator
            sound.diskFlaws = []
            return await sound.play(seed).violation
        }
    }

    /// A row of the table: a safeguard, and a dense story that detects its absence.
    struct GuardPlan: Sendable, CustomTestStringConvertible {
        var off: Safeguard
        var entity: String
        var seed: UInt64
        /// The number of seeds from 0 of which at least one breaks the promise.
        var within: UInt64
        /// The promise.
        var rule: String

        init(off: Safeguard, entity: String, seed: UInt64, within: UInt64, rule: String) {
            (self.off, self.entity, self.seed, self.within, self.rule) = (off, entity, seed, within, rule)
        }

        /// The disabled safeguard.
        var testDescription: String { "\(off.rawValue), \(entity)" }
    }

    /// A row of the table: a safeguard, and the backend check that detects its absence.
    struct GuardCheck: Sendable, CustomTestStringConvertible {
        var off: Safeguard
        var id: String
        var place: World.Place

        init(off: Safeguard, id: String, place: World.Place) {
            (self.off, self.id, self.place) = (off, id, place)
        }

        var testDescription: String { "\(off.rawValue) at \(place)" }
    }
#endif
