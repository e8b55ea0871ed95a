import SyncChecks
import SyncCore
import SyncEntities
import Testing

#if DEBUG
    /// The guards of the product, each with what misses it.
    enum GuardTable {
        /// Worlds in which a promise is broken without a guard.
        static let worlds: [GuardRow] = [
            GuardRow(
                .durableWrites,
                .folders,
                [.crashes],
                2,
                [.crash: 10],
                seed: 2,
                within: 10,
                "nothing-lost"
            ),
            GuardRow(
                .cursorWithRows,
                .folders,
                nil,
                3,
                [.crash: 6, .sync: 6],
                seed: 29,
                within: 80,
                "same-everywhere"
            ),
            GuardRow(.acknowledgementByEdit, .folders, [], 3, seed: 61, within: 70, "same-everywhere"),
            GuardRow(.conflictsKept, .folders, [], 3, seed: 2, within: 10, "nothing-lost"),
            GuardRow(.journal, .folders, [], 3, seed: 1, within: 10, "nothing-lost"),
            GuardRow(.settlement, .folders, [], 3, [.create: 8], seed: 102, within: 120, "one-of-each"),
            GuardRow(
                .tieBreak,
                .folders,
                [],
                2,
                [.edit: 16, .create: 8],
                seed: 46,
                within: 60,
                "same-everywhere"
            ),
            GuardRow(.headsByVector, .folders, nil, 3, seed: 12, within: 20, "nothing-lost"),
            GuardRow(.entriesByVector, .folders, nil, 3, seed: 39, within: 50, "same-everywhere"),
            GuardRow(
                .intentKnown,
                .folders,
                [.crashes],
                2,
                [.crash: 10, .sync: 5],
                seed: 91,
                within: 100,
                "deletes-stay"
            ),
            GuardRow(
                .wholeSegments,
                .folders,
                [.folders],
                3,
                [.deliverHalf: 8, .sync: 8],
                seed: 8,
                within: 20,
                "same-everywhere"
            ),
            GuardRow(
                .filePlace,
                .folders,
                [.strangers],
                2,
                [.strangeFile: 6],
                seed: 27,
                within: 40,
                "same-everywhere"
            ),
            GuardRow(.rejectionApart, .folders, nil, 3, seed: 6, within: 10, "syncs-again"),
            GuardRow(.pageKind, .server, [], 2, seed: 1, within: 10, "nothing-lost"),
            GuardRow(.sameHistory, .server, [.servers], 3, seed: 8, within: 20, "same-everywhere"),
            GuardRow(
                .tombstoneFloor,
                .server,
                [.servers],
                3,
                [.purge: 6, .delete: 8, .create: 8],
                seed: 41,
                within: 60,
                "same-everywhere"
            ),
            // NB: the two halves of compare-and-set stand in for each other, and what both let through is healed by
            // the device that finds its edit forgotten. All three missing are missed.
            GuardRow(
                [.baseRevision, .seenState, .forgottenEdits],
                .server,
                [],
                3,
                [.syncBusily: 16, .edit: 10],
                seed: 12,
                within: 20,
                "nothing-lost"
            ),
            // A rare meeting of three mishaps: among stories of any kind.
            GuardRow(.acknowledgedPlace, seed: 231_254_957_328_692, within: 7_000, "same-everywhere"),
            // What disks must do: syncing folders and files.
            GuardRow(flaw: .ignoresFolderSync, .folders, [.crashes], 3, seed: 8, within: 20, "nothing-lost"),
            GuardRow(flaw: .ignoresFileSync, .folders, [.crashes], 3, seed: 8, within: 20, "starts-again"),
        ]

        /// Stories about planning alone, of one entity each, in which a promise is broken without a guard.
        static let plans: [GuardPlan] = [
            GuardPlan(.smallestKey, entity: "u-unique", seed: 1196, within: 1300, "nothing-lost")
        ]

        /// Checks of the suite for backends that fail without a guard, with the real server or folder.
        static let checks: [GuardCheck] = [
            GuardCheck(.baseRevision, "edit-of-purged", .server),
            GuardCheck(.seenState, "unseen-vector", .server),
            GuardCheck(.repeatedPush, "repeated-push", .server),
            GuardCheck(.copyNoticed, "copied-store", .server),
            GuardCheck(.copyNoticed, "copied-store", .folders),
        ]

        /// Guards that no world misses yet, because the rest of the product heals what they let through or the worlds have no
        /// such mishap: each with the test that is written for it.
        static let tests: [Guard: (file: String, test: String)] = [
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
                "SyncChecksTests/GuardTests.swift", "anEditIsLaterThanWhatItReplacesThoughTheClockWasSetBack"
            ),
        ]
    }

    /// A line of the table: guards that are switched off together, the worlds that miss them, and one of these by its seed.
    struct GuardRow: Sendable, CustomTestStringConvertible {
        var off: Set<Guard>
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
            _ off: Set<Guard>,
            flaw: DiskFlaw? = nil,
            _ place: World.Place,
            _ faults: Set<StoryFault>?,
            _ devices: Int,
            _ often: KeyValuePairs<StoryStep.Kind, Int> = [:],
            seed: UInt64,
            within: UInt64,
            _ rule: String
        ) {
            self.off = off
            var teller = StoryTeller(
                maxDevices: devices,
                faults: faults ?? Set(StoryFault.allCases),
                places: [place]
            )
            teller.often = often.flatMap { Array(repeating: $0.key, count: $0.value) }
            simulator = Simulator(SyncRegistry.descriptors, teller: teller)
            simulator.diskFlaws = Set([flaw].compactMap { $0 })
            (self.seed, self.within, self.rule) = (seed, within, rule)
        }

        init(
            _ off: Guard,
            _ place: World.Place,
            _ faults: Set<StoryFault>?,
            _ devices: Int,
            _ often: KeyValuePairs<StoryStep.Kind, Int> = [:],
            seed: UInt64,
            within: UInt64,
            _ rule: String
        ) {
            self.init([off], place, faults, devices, often, seed: seed, within: within, rule)
        }

        init(
            flaw: DiskFlaw,
            _ place: World.Place,
            _ faults: Set<StoryFault>?,
            _ devices: Int,
            seed: UInt64,
            within: UInt64,
            _ rule: String
        ) {
            self.init([], flaw: flaw, place, faults, devices, seed: seed, within: within, rule)
        }

        init(_ off: Guard, seed: UInt64, within: UInt64, _ rule: String) {
            self.off = [off]
            simulator = Simulator(SyncRegistry.descriptors)
            (self.seed, self.within, self.rule) = (seed, within, rule)
        }

        /// What is missing.
        var testDescription: String {
            (off.map(\.rawValue).sorted() + simulator.diskFlaws.map { "\($0)" }).joined(separator: " + ")
        }

        /// The promise that is broken in a world without the guards.
        func violation(_ seed: UInt64) async -> StoryViolation? {
            await Guard.$switchedOff.withValue(off) { await simulator.play(seed).violation }
        }

        /// The promise that is broken in the same world with them.
        func violationWithGuards(_ seed: UInt64) async -> StoryViolation? {
            var sound = simulator
            sound.diskFlaws = []
            return await sound.play(seed).violation
        }
    }

    /// A line of the table: a guard, and a story about planning that misses it.
    struct GuardPlan: Sendable, CustomTestStringConvertible {
        var off: Guard
        var entity: String
        var seed: UInt64
        /// Among so many seeds from 0 on is one.
        var within: UInt64
        /// The promise.
        var rule: String

        init(_ off: Guard, entity: String, seed: UInt64, within: UInt64, _ rule: String) {
            (self.off, self.entity, self.seed, self.within, self.rule) = (off, entity, seed, within, rule)
        }

        /// What is missing.
        var testDescription: String { "\(off.rawValue), \(entity)" }
    }

    /// A line of the table: a guard, and the check of the suite for backends that misses it.
    struct GuardCheck: Sendable, CustomTestStringConvertible {
        var off: Guard
        var id: String
        var place: World.Place

        init(_ off: Guard, _ id: String, _ place: World.Place) {
            (self.off, self.id, self.place) = (off, id, place)
        }

        var testDescription: String { "\(off.rawValue) at \(place)" }
    }
#endif
