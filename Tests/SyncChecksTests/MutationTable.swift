import SyncChecks
import SyncCore
import SyncEntities
import Testing

#if Mutations
    /// The guards of the product, each with what misses it.
    enum MutationTable {
        /// Worlds in which a promise is broken without a guard.
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
                seed: 29,
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
                off: .settlement,
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
                faults: [.strangers],
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
            // NB: the two halves of compare-and-set stand in for each other, and what both let through is healed by
            // the device that finds its edit forgotten. All three missing are missed.
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
            // A rare meeting of three mishaps: among stories of any kind.
            MutationRow(
                off: .acknowledgedPlace,
                seed: 231_254_957_328_692,
                within: 7_000,
                rule: "same-everywhere"
            ),
            // What disks must do: syncing folders and files.
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

        /// Stories about planning alone, of one entity each, in which a promise is broken without a guard.
        static let plans: [GuardPlan] = [
            GuardPlan(off: .smallestKey, entity: "u-unique", seed: 1196, within: 1300, rule: "nothing-lost")
        ]

        /// Checks of the suite for backends that fail without a guard, with the real server or folder.
        static let checks: [GuardCheck] = [
            GuardCheck(off: .baseRevision, id: "edit-of-purged", place: .server),
            GuardCheck(off: .seenState, id: "unseen-vector", place: .server),
            GuardCheck(off: .repeatedPush, id: "repeated-push", place: .server),
            GuardCheck(off: .copyNoticed, id: "copied-store", place: .server),
            GuardCheck(off: .copyNoticed, id: "copied-store", place: .folders),
        ]

        /// Guards that no world misses yet, because the rest of the product heals what they let through or the worlds have no
        /// such mishap: each with the test that is written for it.
        static let tests: [Safeguard: (file: String, test: String)] = [
            .accountGate: (
                "SyncRuntimeTests/AccountInFlightTests.swift", "aLateAnswerChangesNothingButAcknowledgesAPush"
            ),
            .settlementRemembered: (
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
            .markTick: (
                "SyncChecksTests/MutationTests.swift",
                "anEditIsLaterThanWhatItReplacesThoughTheClockWasSetBack"
            ),
        ]
    }

    /// A line of the table: guards that are switched off together, the worlds that miss them, and one of these by its seed.
    struct MutationRow: Sendable, CustomTestStringConvertible {
        var off: Set<Safeguard>
        var simulator: Simulator
        /// The seed of a world in which the promise is broken.
        var seed: UInt64
        /// Among so many seeds from 0 on is one.
        var within: UInt64
        /// The promise.
        var rule: String

        /// - Parameters:
        ///   - faults: What may go wrong; nil is anything.
        ///   - devices: The greatest number of devices.
        ///   - often: Kinds of steps that happen more often, with how much.
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
            var teller = StoryGenerator(
                maxDevices: devices,
                faults: faults ?? Set(StoryFault.allCases),
                places: [place]
            )
            teller.often = often.flatMap { Array(repeating: $0.key, count: $0.value) }
            simulator = Simulator(entities: SyncRegistry.descriptors, teller: teller)
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

        /// What is missing.
        var testDescription: String {
            (off.map(\.rawValue).sorted() + simulator.diskFlaws.map { "\($0)" }).joined(separator: " + ")
        }

        /// The promise that is broken in a world without the guards.
        func violation(seed: UInt64) async -> StoryViolation? {
            await Mutation.$disabled.withValue(off) { await simulator.play(seed).violation }
        }

        /// The promise that is broken in the same world with them.
        func violationWithGuards(seed: UInt64) async -> StoryViolation? {
            var sound = simulator
            sound.diskFlaws = []
            return await sound.play(seed).violation
        }
    }

    /// A line of the table: a guard, and a story about planning that misses it.
    struct GuardPlan: Sendable, CustomTestStringConvertible {
        var off: Safeguard
        var entity: String
        var seed: UInt64
        /// Among so many seeds from 0 on is one.
        var within: UInt64
        /// The promise.
        var rule: String

        init(off: Safeguard, entity: String, seed: UInt64, within: UInt64, rule: String) {
            (self.off, self.entity, self.seed, self.within, self.rule) = (off, entity, seed, within, rule)
        }

        /// What is missing.
        var testDescription: String { "\(off.rawValue), \(entity)" }
    }

    /// A line of the table: a guard, and the check of the suite for backends that misses it.
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
