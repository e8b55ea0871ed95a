import SyncCore
import SyncFileBackend
import SyncRuntime
import Testing

@testable import SyncChecks

/// A shared folder, backups, and devices that disappear or return: no written value is lost silently, and
/// devices that differ report it.
@Suite struct FolderStoryTests {
    /// Two devices with the same notes.
    func pair(strategy: MergeStrategy = .lastWriteWins) async throws -> (
        FolderStory, OutsideDevice, OutsideDevice
    ) {
        let story = try FolderStory(names: "A", "B", strategy: strategy)
        let (a, b) = (story.devices[0], story.devices[1])
        try story.write("first", in: "n1", on: a)
        try await story.meetAll(2)
        return (story, a, b)
    }

    func expectSame(_ story: FolderStory, expected: [String: String]? = nil) async throws {
        let first = try story.texts(device: story.devices[0])
        for device in story.devices where !device.isGone {
            #expect(try story.texts(device: device) == expected ?? first, "\(device.name)")
        }
        #expect(try await story.newcomer() == expected ?? first, "a fresh device")
    }

    // MARK: A machine restored from a backup

    /// Both the store and the copy of the folder are restored. The store publishes before the cloud restores
    /// what it had published since.
    @Test(arguments: [MergeStrategy.lastWriteWins, .preserveLocal])
    func aMachineFromABackupLosesNeitherWhatItWroteSinceNorWhatItHadWritten(strategy: MergeStrategy)
        async throws
    {
        let (story, a, b) = try await pair(strategy: strategy)
        a.backUp()
        try story.write("today", in: "n2", on: a)
        try story.write("first, changed today", in: "n1", on: a)
        try await story.meetAll(1)
        try a.putBack(a.backUps[0], withFolder: true)
        try story.write("after the backup", in: "n3", on: a)
        try story.write("first, changed after the backup", in: "n1", on: a)
        try await story.sync(a)
        try await story.meetAll(4)
        for device in [a, b] {
            #expect(try story.texts(device: device)["n2"] == "today", "\(device.name)")
            #expect(try story.texts(device: device)["n3"] == "after the backup", "\(device.name)")
        }
        var found: Set<String> = []
        for device in [a, b] { found.formUnion(try story.found(device: device)) }
        #expect(found.isSuperset(of: ["first, changed today", "first, changed after the backup"]))
        if strategy == .lastWriteWins {
            try await expectSame(story)
        } else {
            #expect(try a.conflicts().count + b.conflicts().count > 0)
        }
    }

    /// The same if only the store is restored.
    @Test func aStoreFromABackupGoesOnAsAnotherDevice() async throws {
        let (story, a, _) = try await pair()
        a.backUp()
        try story.write("today", in: "n2", on: a)
        try await story.meetAll(1)
        let before = try #require(a.id)
        try a.putBack(a.backUps[0], withFolder: false)
        try story.write("after the backup", in: "n3", on: a)
        try await story.meetAll(2)
        #expect(a.id != before)
        try await expectSame(story, expected: ["n1": "first", "n2": "today", "n3": "after the backup"])
    }

    /// At first, only the present device file returns.
    @Test func aDeviceFileThatTellsOfMoreThanTheStoreWroteIsBelieved() async throws {
        let (story, a, _) = try await pair()
        a.backUp()
        try story.write("today", in: "n1", on: a)
        try await story.meetAll(1)
        let before = try #require(a.id)
        try a.putBack(a.backUps[0], withFolder: true)
        story.travel(a, only: "device.json")
        try story.write("after the backup", in: "n1", on: a)
        try await story.sync(a)
        #expect(a.id != before)
        try await story.meetAll(3)
        try await expectSame(story, expected: ["n1": "after the backup"])
        #expect(
            try a.journal().contains {
                story.world.json(record: $0.lost.record, entity: story.entity).contains("today")
            }
        )
    }

    /// The backup is from before the first sync, and the folder is empty, so it has no evidence of the device.
    @Test func aStoreFromABackupThatHadNeverSyncedIsHeardByTheOthers() async throws {
        let story = try FolderStory(names: "A", "B")
        let (a, b) = (story.devices[0], story.devices[1])
        try story.write("first", in: "n1", on: a)
        a.backUp()
        try story.write("second", in: "n1", on: a)
        try await story.meetAll(2)
        try a.putBack(a.backUps[0], withFolder: false)
        story.lose { _ in true }
        try await story.meet(a)
        try await story.meet(b, rejoins: true)
        try story.write("after the backup", in: "n1", on: a)
        try await story.meetAll(3)
        try await expectSame(story, expected: ["n1": "after the backup"])
        #expect(
            try a.journal().contains {
                story.world.json(record: $0.lost.record, entity: story.entity).contains("second")
            }
        )
    }

    /// The same if others have published the lost records again.
    @Test func aStoreFromABackupThatHadNeverSyncedIsHeardThoughItsFilesAreGone() async throws {
        let story = try FolderStory(names: "A", "B")
        let (a, b) = (story.devices[0], story.devices[1])
        try story.write("first", in: "n1", on: b)
        b.backUp()
        try story.write("second", in: "n1", on: b)
        try await story.meetAll(2)
        let id = try #require(b.id?.description)
        story.lose { $0.contains(id) }
        try await story.meet(a)
        try await story.meet(b, rejoins: true)
        try await story.meetAll(2)
        try b.putBack(b.backUps[0], withFolder: false)
        try story.write("after the backup", in: "n1", on: b)
        try await story.meetAll(3)
        try await expectSame(story, expected: ["n1": "after the backup"])
    }

    @Test func aDeviceThatNobodyCopiedKeepsItsIdentity() async throws {
        var simulator = OutsideSimulator(places: [.folder, .cloud])
        simulator.without = [.reinstall, .putBack, .emptyFolder, .loseFiles, .retire]
        simulator.promises = []
        for seed in UInt64(0)..<80 {
            let story = simulator.story(seed: seed)
            let world = OutsideWorld(
                story: story,
                entities: simulator.schemas[story.schemas].entities,
                promises: []
            )
            try await world.run()
            for device in world.devices where !device.isGone {
                let former = try device.value(name: "former")
                #expect(former == nil, "seed \(seed), \(device.name)")
            }
            world.closeAll()
        }
    }

    @Test func twoContentsOfOneNumberAreTwoFilesAndBothAreRead() async throws {
        let (story, a, b) = try await pair()
        let c = try story.add("C")
        try await story.meetAll(2)
        a.backUp()
        try story.write("today", in: "n2", on: a)
        try await story.meet(a)
        try await story.meet(b)
        try a.putBack(a.backUps[0], withFolder: true)
        try story.write("after the backup", in: "n3", on: a)
        try await story.sync(a)
        // A's new files reach B before A has seen its own earlier ones.
        let id = try #require(a.id?.description)
        for (path, bytes) in story.world.files(of: a) where path.contains(id) && !path.hasSuffix(".json") {
            if story.world.cloud[path] == nil { story.world.cloud[path] = bytes }
        }
        try await story.meet(b)
        try await story.meet(c)
        for device in [b, c] {
            #expect(
                try story.texts(device: device) == ["n1": "first", "n2": "today", "n3": "after the backup"]
            )
        }
    }

    @Test func olderFilesOverNewerOnesChangeNothing() async throws {
        let (story, a, b) = try await pair()
        let (first, second) = (story.world.files(of: a), story.world.cloud)
        try story.write("second", in: "n1", on: a)
        try story.write("another", in: "n2", on: b)
        try await story.meetAll(3)
        for (path, bytes) in first.merging(second, uniquingKeysWith: { old, _ in old }) {
            for device in [a, b] {
                try device.disk.writeAtomically(bytes, to: OutsideWorld.folder + "/" + path, replaces: true)
                device.travelled[path] = bytes
            }
            story.world.cloud[path] = bytes
        }
        let ids = [a.id, b.id]
        try story.write("third", in: "n1", on: a)
        let reports = try await story.meetAll(3)
        #expect(reports.allSatisfy { $0.outcome == .synced }, "\(reports.map(\.rules))")
        #expect([a.id, b.id] == ids)
        try await expectSame(story, expected: ["n1": "third", "n2": "another"])
    }

    /// The files that a device published since its backup are lost after others have read them.
    @Test func aStoreThatPublishesUnderANumberThatOthersReadIsToldByThem() async throws {
        let (story, a, b) = try await pair()
        try story.write("one", in: "n2", on: a)
        a.backUp()
        try story.write("two", in: "n2", on: a)
        try await story.meetAll(1)
        let id = try #require(a.id?.description)
        story.lose { $0.contains(id) }
        try a.putBack(a.backUps[0], withFolder: true)
        try await story.sync(a)
        try await story.meetAll(4)
        try await expectSame(story, expected: ["n1": "first", "n2": "two"])
        #expect(try a.status().isInSync && b.status().isInSync)
    }

    // MARK: An emptied folder

    @Test func aStoreFromABackupThatJoinsAnEmptiedFolderIsHeardByTheOthers() async throws {
        let (story, a, b) = try await pair()
        a.backUp()
        try story.write("newer", in: "n1", on: a)
        try story.write("lost with the machine", in: "n2", on: a)
        try await story.meetAll(2)
        try a.putBack(a.backUps[0], withFolder: false)
        story.lose { _ in true }
        try await story.meet(a, rejoins: true)
        try story.write("after the backup", in: "n1", on: a)
        try await story.meet(a)
        try story.write("after that", in: "n4", on: a)
        try await story.meet(a)
        try await story.meet(b, rejoins: true)
        try await story.meetAll(2)
        try await expectSame(
            story,
            expected: ["n1": "after the backup", "n2": "lost with the machine", "n4": "after that"]
        )
        #expect(try story.found(device: a).union(story.found(device: b)).contains("newer"))
        #expect(try a.status().isInSync && b.status().isInSync)
    }

    // MARK: Files that vanish

    @Test func whatTheFolderHasLostIsPublishedAgainByWhoHoldsIt() async throws {
        let (story, a, b) = try await pair()
        try story.write("of B", in: "n2", on: b)
        try await story.meetAll(2)
        let id = try #require(a.id?.description)
        a.isGone = true
        story.lose { $0.contains(id) }
        let first = try await story.meet(b)
        #expect(first.outcome == .partial)
        #expect(first.rules == ["shrunk-device"])
        #expect(try !b.status().isInSync)
        let second = try await story.meet(b)
        #expect(second.diagnostics.allSatisfy { !$0.isSerious })
        #expect(try await story.newcomer() == ["n1": "first", "n2": "of B"])
        #expect(try b.status().isInSync)
        let pushed = try await story.meet(b).entities.reduce(0) { $0 + $1.pushed }
        #expect(pushed == 0, "once is enough")
    }

    @Test func retiringADeviceWhoseFilesAreGoneGivesNothingUpThatSomebodyHolds() async throws {
        let (story, a, b) = try await pair()
        let (old, own) = (try #require(a.id), try #require(b.id))
        a.isGone = true
        story.lose { $0.contains(old.description) }
        let backend = story.world.folderBackend(device: b)
        try await backend.retire(old, by: own)
        try await story.meetAll(2)
        #expect(try await story.newcomer() == ["n1": "first"])
    }

    @Test func retiringADeviceTellsHowMuchOfItNeverArrived() async throws {
        let (story, a, b) = try await pair()
        try story.write("second", in: "n1", on: a)
        try await story.sync(a)
        story.travel(a, only: "device.json")
        story.travel(b)
        let (old, own) = (try #require(a.id), try #require(b.id))
        #expect(try await story.world.folderBackend(device: b).retire(old, by: own).givenUp == 1)
    }

    @Test func aSegmentThatIsMissedOnceMayBeOnItsWay() async throws {
        let (story, a, b) = try await pair()
        let id = try #require(a.id?.description)
        let files = story.world.files(of: b).filter { $0.key.contains(id) && $0.key.hasSuffix(".ndjson") }
        for path in files.keys { try b.disk.remove(OutsideWorld.folder + "/" + path) }
        let report = try await story.sync(b)
        #expect(report.outcome == .partial)
        for (path, bytes) in files {
            try b.disk.writeAtomically(bytes, to: OutsideWorld.folder + "/" + path, replaces: true)
        }
        let next = try await story.sync(b)
        #expect(next.outcome == .synced)
        #expect(next.entities.allSatisfy { $0.pushed == 0 })
    }

    // MARK: Devices that differ

    @Test func devicesThatHaveSeenTheSameAndHoldOthersSaySo() async throws {
        let (story, a, b) = try await pair()
        try await story.meetAll(3)
        #expect(try a.status().isInSync && b.status().isInSync)
        try b.damage { transaction in
            var local = try #require(try transaction.load(entity: story.entity, key: RecordKey("n1")))
            local.version.record.values[1] = .text("something else")
            try transaction.save(entity: story.entity, record: local)
        }
        var reports = try await story.meetAll(2)
        #expect(reports.contains { $0.outcome == .partial && $0.rules == ["records-differ"] })
        #expect(try !a.status().isInSync || !b.status().isInSync)
        #expect(reports.flatMap(\.diagnostics).allSatisfy { !$0.message.contains("something else") })
        try await story.meet(b, rejoins: true)
        reports = try await story.meetAll(3)
        #expect(reports.allSatisfy { $0.outcome == .synced })
        try await expectSame(story)
    }

    // MARK: The last instant

    @Test func aNoteOfTheYear9999TakesFurtherEdits() async throws {
        let (story, a, b) = try await pair()
        let last = "9999-12-31T23:59:59.999999Z"
        for device in [a, b, a] {
            let json = #"{"id":"n1","text":"by \#(device.name)","updatedAt":"\#(last)"}"#
            _ = try device.write { try $0.put(entity: story.entity, json: Array(json.utf8)) }
            try await story.meetAll(2)
            try await expectSame(story, expected: ["n1": "by \(device.name)"])
        }
        try story.write("an ordinary edit", in: "n1", on: b)
        try await story.meetAll(2)
        try await expectSame(story, expected: ["n1": "an ordinary edit"])
        try story.delete("n1", on: a)
        try await story.meetAll(2)
        try await expectSame(story, expected: [:])
    }
}
