import Foundation
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// What seeded worlds found, as the stories that people can follow.
@Suite struct FoundBySimulationTests {
    @Test(arguments: MergeStrategy.allCases)
    func aRecordMadeAgainAfterItsTombstoneWasPurgedReachesTheOthers(strategy: MergeStrategy) async throws {
        let note = Entities.note(strategy: strategy)
        try await withWorld(count: 2, entities: note, place: .server) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"n","title":"first"}"#)
            try await world.converge()
            try a.delete(entity: note, key: "n")
            try await world.converge()
            try b.put(entity: note, json: #"{"id":"n","title":"again"}"#)
            for device in world.devices { device.clock.advance(seconds: 60) }
            world.server?.clock.advance(seconds: 60)
            try await world.server?.purgeTombstones(olderThanDays: 0)
            try await world.converge()
            for device in world.devices {
                #expect(
                    try device.value(entity: note, key: "n", field: "title")?.string == "again",
                    "on \(device.name)"
                )
                #expect(try device.local(entity: note, key: "n")?.state == .synced, "on \(device.name)")
            }
        }
    }

    @Test func anEditThatIsPresentedStaysShownWhereItWasMade() async throws {
        let note = UniqueConflictTests.place(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: note, place: .folders) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"n","title":"by a","place":1}"#)
            b.clock.advance(seconds: 10)
            try b.put(entity: note, json: #"{"id":"n","title":"by b","place":2}"#)
            try await world.sync(0)
            try await world.sync(1)
            b.clock.advance(seconds: 10)
            try b.put(entity: note, json: #"{"id":"n","title":"later by b","place":3}"#)
            try await world.converge()
            #expect(try b.value(entity: note, key: "n", field: "title")?.string == "later by b")
            #expect(try b.conflicts(entity: note).isEmpty)
            #expect(try a.conflicts(entity: note) == ["n"])
            #expect(try a.value(entity: note, key: "n", field: "title")?.string == "by a")
        }
    }

    @Test(arguments: MergeStrategy.allCases, [World.Place.folders, .server])
    func whatWasMergedIntoARecordThatMovedAwayMeanwhileCanBeFound(
        strategy: MergeStrategy,
        place: World.Place
    ) async throws {
        let note = UniqueConflictTests.place(strategy: strategy)
        try await withWorld(count: 2, entities: note, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try b.put(entity: note, json: #"{"id":"a","title":"small key","place":7}"#)
            try await world.sync(1)
            try world.deliver()
            try a.put(entity: note, json: #"{"id":"b","title":"great key","place":7}"#)
            try await world.sync(0)
            #expect(try a.export(entity: note).count == 1)
            b.clock.advance(seconds: 10)
            try b.put(entity: note, json: #"{"id":"a","place":9}"#)
            try await world.converge()
            // Where a person decides, the record that moved away is in conflict with the value that met it.
            for key in try a.conflicts(entity: note) {
                try a.resolve(entity: note, key: key, resolution: .remote)
            }
            try await world.converge()
            let exports = try world.devices.map { try $0.export(entity: note) }
            #expect(exports[0] == exports[1] && exports[0].count == 1)
            let lost = try world.devices.flatMap { try $0.journal() }.map(\.lost.record.values[1]?.string)
            #expect(lost.contains("great key") || exports[0][0].contains("great key"))
            #expect(lost.contains("small key") || exports[0][0].contains("small key"))
            #expect(exports[0][0].contains(#""place":9"#))
        }
    }

    @Test func whatLostAmongOthersVersionsIsInTheJournalThoughAnEditWaitsBesideThem() async throws {
        let note = Entities.note(strategy: .setUnion)
        try await withWorld(count: 2, entities: note, place: .folders) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try b.put(entity: note, json: #"{"id":"n","title":"by b"}"#)
            a.clock.advance(seconds: 10)
            try a.put(entity: note, json: #"{"id":"n","title":"by a"}"#)
            try a.delete(entity: note, key: "n")
            try await world.sync(0)
            try await world.sync(1)
            a.clock.advance(seconds: 10)
            try a.put(entity: note, json: #"{"id":"n","title":"again by a"}"#)
            try await world.converge()
            let lost = try world.devices.flatMap { try $0.journal().map(\.lost.record) }
            let title = try #require(note.layout.position(of: "title"))
            #expect(lost.contains { $0.values[title]?.string == "by b" })
        }
    }

    @Test(arguments: [Resolution.local, .remote])
    func aConflictCanBeResolvedThoughItsValuesMeetAnotherRecords(resolution: Resolution) async throws {
        let note = UniqueConflictTests.place(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: note, place: .server) { world in
            let (a, c) = (world.devices[0], world.devices[1])
            try c.put(entity: note, json: #"{"id":"2","title":"by c","place":7}"#)
            try await world.converge()
            c.clock.advance(seconds: 10)
            try c.put(entity: note, json: #"{"id":"2","place":8}"#)
            try c.put(entity: note, json: #"{"id":"3","title":"new by c","place":7}"#)
            try a.delete(entity: note, key: "2")
            try a.put(entity: note, json: #"{"id":"2","title":"again by a","place":7}"#)
            try await world.sync(1)
            try await world.sync(0)
            #expect(try a.conflicts(entity: note).contains("2"))
            // What is chosen for the one may meet the other, and then there is one more choice.
            for _ in 0..<3 {
                for device in world.devices {
                    for key in try device.conflicts(entity: note) {
                        try device.resolve(entity: note, key: key, resolution: resolution)
                    }
                }
                try await world.converge()
            }
            for device in world.devices {
                #expect(try device.conflicts(entity: note).isEmpty, "on \(device.name)")
            }
            #expect(try a.export(entity: note) == c.export(entity: note))
            #expect(try a.export(entity: note).isEmpty == false)
        }
    }

    @Test func theEarliestTimeOfCreationIsTheSameEverywhereWhateverEachDeviceSawInBetween() async throws {
        let note = Entities.note(strategy: .setUnion)
        try await withWorld(count: 3, entities: note, place: .folders) { world in
            let (a, b, c) = (world.devices[0], world.devices[1], world.devices[2])
            try c.put(entity: note, json: #"{"id":"n","title":"first"}"#)
            b.clock.advance(seconds: 20)
            try b.put(entity: note, json: #"{"id":"n","title":"by b"}"#)
            try await world.sync(1)
            try await world.sync(2)
            // Only this device sees what the next edit takes away.
            try world.deliver(from: 1, to: 0)
            try world.deliver(from: 2, to: 0)
            try await world.sync(0)
            c.clock.advance(seconds: 40)
            try c.delete(entity: note, key: "n")
            try c.put(entity: note, json: #"{"id":"n","title":"second"}"#)
            try await world.converge()
            for device in [b, c] {
                #expect(try device.export(entity: note) == a.export(entity: note), "on \(device.name)")
            }
        }
    }

    @Test func aRecordThatIsSavedWithoutItsTimeOfCreationKeepsIt() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 1, entities: note) { world in
            let device = world.devices[0]
            try device.put(entity: note, json: #"{"id":"n","title":"first"}"#)
            let created = try #require(try device.value(entity: note, key: "n", field: "createdAt"))
            device.clock.advance(seconds: 60)
            var record = Record(empty: note)
            for (field, text) in [("id", "n"), ("title", "second")] {
                record.values[try #require(note.layout.position(of: field))] = .text(text)
            }
            _ = try device.writer.write { try $0.replace(entity: note, record: record) }
            #expect(try device.value(entity: note, key: "n", field: "title")?.string == "second")
            #expect(try device.value(entity: note, key: "n", field: "createdAt") == created)
        }
    }

    @Test(arguments: MergeStrategy.allCases)
    func aDeleteThatAServerForgotIsSentAgainWhenSomebodyBringsTheRecordBack(strategy: MergeStrategy)
        async throws
    {
        let note = Entities.note(strategy: strategy)
        try await withWorld(count: 2, entities: note, place: .server) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            let server = try #require(world.server)
            try b.put(entity: note, json: #"{"id":"m","title":"before"}"#)
            try await world.converge()
            try server.backUp(to: "\(world.path)/backup")
            try b.put(entity: note, json: #"{"id":"n","title":"by b"}"#)
            try await world.converge()
            try b.delete(entity: note, key: "n")
            try server.restore(from: "\(world.path)/backup")
            _ = try await b.engine(label: b.name).sync(SyncOptions(rejoins: true))
            for device in world.devices { device.clock.advance(seconds: 60) }
            server.clock.advance(seconds: 60)
            try await server.purgeTombstones(olderThanDays: 0)
            _ = try await a.engine(label: a.name).sync(SyncOptions(rejoins: true))
            try await world.converge()
            for device in [a, b] { #expect(try device.export(entity: note).count == 1, "on \(device.name)") }
        }
    }

    @Test func whoseRecordWasMergedIsAskedAlsoAfterTheFolderWasEmptied() async throws {
        let tag = EntityDescriptor(
            name: "tag",
            typeName: "Tag",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "name", type: .string(), isRequired: true),
                FieldDescriptor(name: "text", type: .string()),
            ],
            key: ["id"],
            strategy: .preserveLocal,
            unique: [["name"]]
        )
        try await withWorld(count: 2, entities: tag, place: .folders) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            a.clock.advance(seconds: 20)
            try a.put(entity: tag, json: #"{"id":"x","name":"same","text":"by a"}"#)
            try b.put(entity: tag, json: #"{"id":"n","name":"same","text":"by b"}"#)
            try await world.converge()
            #expect(try b.conflicts(entity: tag) == ["x"])
            for device in [b, a] {
                try FileManager.default.removeItem(atPath: "\(device.folder)/entitysync")
                _ = try await device.engine(label: device.name).sync(SyncOptions(rejoins: true))
            }
            try await world.converge()
            #expect(try b.conflicts(entity: tag) == ["x"])
        }
    }

    @Test func aRecordMadeAnewSaysAllItsValuesAnewAlsoThoseThatItHadBefore() async throws {
        let note = Entities.note(strategy: .setUnion)
        try await withWorld(count: 2, entities: note, place: .server) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"n","title":"same","body":"old"}"#)
            try await world.converge()
            try a.delete(entity: note, key: "n")
            try await world.converge()
            a.clock.advance(seconds: 10)
            b.clock.advance(seconds: 20)
            try a.put(entity: note, json: #"{"id":"n","title":"other"}"#)
            try b.put(entity: note, json: #"{"id":"n","title":"same"}"#)
            try await world.converge()
            for device in world.devices {
                #expect(
                    try device.value(entity: note, key: "n", field: "title")?.string == "same",
                    "on \(device.name)"
                )
            }
            #expect(
                try world.devices.flatMap { try $0.journal() }.contains {
                    $0.lost.record.values[1]?.string == "other"
                }
            )
        }
    }

    @Test func anEditOfThePresentedHeadIsNoConflictThoughAnotherHeadGrows() async throws {
        let note = Entities.note(strategy: .preserveLocal)
        try await withWorld(count: 3, entities: note, place: .folders) { world in
            let (a, b, d) = (world.devices[0], world.devices[1], world.devices[2])
            try a.put(entity: note, json: #"{"id":"n","title":"a1"}"#)
            try await world.sync(0)
            d.clock.advance(seconds: 20)
            try d.put(entity: note, json: #"{"id":"n","title":"d1"}"#)
            try await world.sync(2)
            try world.deliver(from: 0, to: 1)
            try world.deliver(from: 2, to: 1)
            try await world.sync(1)
            b.clock.advance(seconds: 40)
            try b.put(entity: note, json: #"{"id":"n","title":"b1"}"#)
            a.clock.advance(seconds: 10)
            try a.put(entity: note, json: #"{"id":"n","title":"a2"}"#)
            try await world.sync(0)
            try await world.converge()
            #expect(try b.conflicts(entity: note).isEmpty)
            #expect(try d.value(entity: note, key: "n", field: "title")?.string == "b1")
            #expect(try a.conflicts(entity: note) == ["n"])
        }
    }

    @Test func whatMeetsByItselfMeetsAlsoWhereTheLaterEditIsPublishedBesideAnotherHead() async throws {
        let note = Entities.note(strategy: .preserveLocal, fields: [Entities.tags])
        try await withWorld(count: 3, entities: note, place: .folders) { world in
            let (a, c, d) = (world.devices[0], world.devices[1], world.devices[2])
            try d.put(entity: note, json: #"{"id":"n","title":"t","tags":["x"]}"#)
            try await world.converge()
            d.clock.advance(seconds: 10)
            try d.put(entity: note, json: #"{"id":"n","tags":["x","y"]}"#)
            c.clock.advance(seconds: 20)
            try c.delete(entity: note, key: "n")
            try await world.sync(1)
            c.clock.advance(seconds: 10)
            try c.put(entity: note, json: #"{"id":"n","title":"anew"}"#)
            try await world.sync(2)
            try await world.converge(order: [1, 0, 2])
            let tags = try world.devices.map { try $0.value(entity: note, key: "n", field: "tags")?.string }
            #expect(Set(tags).count == 1, "\(tags)")
            #expect(try a.value(entity: note, key: "n", field: "title")?.string == "anew")
        }
    }

    @Test func whoEditsOneOfTwoRecordsThatBecameOneTakesNoUnseenValueAwaySilently() async throws {
        let note = UniqueConflictTests.place(strategy: .preserveLocal)
        try await withWorld(count: 3, entities: note, place: .folders) { world in
            let (a, b, c) = (world.devices[0], world.devices[1], world.devices[2])
            try a.put(entity: note, json: #"{"id":"a","title":"by a","place":7}"#)
            b.clock.advance(seconds: 10)
            try b.put(entity: note, json: #"{"id":"b","title":"by b","place":7}"#)
            try await world.sync(0)
            try await world.sync(1)
            try world.deliver(from: 0, to: 2)
            try world.deliver(from: 1, to: 2)
            try await world.sync(2)
            #expect(try c.value(entity: note, key: "a", field: "title")?.string == "by a")
            #expect(try c.journal().contains { $0.lost.record.values[1]?.string == "by b" })
            try c.delete(entity: note, key: "a")
            try await world.converge()
            #expect(try b.conflicts(entity: note) == ["a"], "who wrote the other value is asked")
            #expect(try b.value(entity: note, key: "a", field: "title")?.string == "by b")
        }
    }

    @Test func whatLosesComesInOneOrder() throws {
        let note = Entities.note(strategy: .setUnion)
        func version(device: UInt64, title: Int64, body: Int64) -> SyncRecord {
            let editTimestamp = EditTimestamp(
                time: Timestamp(microseconds: 1),
                device: DeviceID(bits: device),
                sequence: 1
            )
            var metadata = VersionMetadata(first: editTimestamp)
            var detail = FieldTimestamps(origin: editTimestamp)
            // Each says one field later than the other says it.
            for (name, time) in [("title", title), ("body", body)] {
                let editTimestamp = EditTimestamp(
                    time: Timestamp(microseconds: time),
                    device: editTimestamp.device,
                    sequence: 1
                )
                detail.units[name] = [Sibling(editTimestamp: editTimestamp)]
            }
            metadata.detail = detail
            var record = Record(empty: note)
            record.values[0] = .text("n")
            record.values[1] = .text("title \(device)")
            record.values[2] = .text("body \(device)")
            return SyncRecord(entity: "note", key: RecordKey("n"), record: record, metadata: metadata)
        }
        let (one, two) = (version(device: 1, title: 5, body: 3), version(device: 2, title: 4, body: 6))
        for _ in 0..<50 {
            guard case .merged(_, let lost) = Merge(descriptor: note)(one, right: two) else {
                Issue.record("a conflict")
                return
            }
            #expect(lost == [one, two])
        }
    }

    @Test func aLaterDeleteWinsThoughTheEditIsOnTopOfAnEarlierOne() {
        let note = Entities.note(strategy: .lastWriteWins)
        func version(device: UInt64, time: Int64, sequence: Int64, isDeleted: Bool) -> SyncRecord {
            var record = Record(empty: note)
            record.values[0] = .text("n")
            record.values[1] = .text("title")
            let editTimestamp = EditTimestamp(
                time: Timestamp(microseconds: time),
                device: DeviceID(bits: device),
                sequence: sequence
            )
            return SyncRecord(
                entity: "note",
                key: RecordKey("n"),
                record: record,
                isDeleted: isDeleted,
                metadata: VersionMetadata(first: editTimestamp)
            )
        }
        let base = version(device: 1, time: 4, sequence: 1, isDeleted: true)
        var mine = version(device: 2, time: 6, sequence: 1, isDeleted: false)
        mine.metadata.vector.formUnion(base.metadata.vector)
        let recordState = RecordState(local: LocalRecord(version: mine, state: .pending), base: base)
        let reconcile = Reconcile(note, own: OwnDevices(current: DeviceID(bits: 2)), remote: .forked)
        let plan = reconcile(
            recordState,
            on: .remote(version(device: 1, time: 12, sequence: 3, isDeleted: true))
        )
        #expect(plan.state.local?.version.isDeleted == true)
        #expect(plan.losses.map(\.lost) == [mine])
        // One that came before the edit does not.
        let earlier = reconcile(
            recordState,
            on: .remote(version(device: 1, time: 5, sequence: 3, isDeleted: true))
        )
        #expect(earlier.state.local?.version.isDeleted == false)
    }

    @Test func anEditInAConflictLeavesTheOtherSideThoughThatWasAnotherRecord() async throws {
        let note = UniqueConflictTests.place(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: note, place: .server) { world in
            let (a, c) = (world.devices[0], world.devices[1])
            try c.put(entity: note, json: #"{"id":"1","title":"by c","place":7}"#)
            a.clock.advance(seconds: 10)
            try a.put(entity: note, json: #"{"id":"2","title":"by a","place":7}"#)
            try await world.sync(1)
            try await world.sync(0)
            try await world.sync(1)
            #expect(try a.conflicts(entity: note) == ["1"])
            #expect(try c.conflicts(entity: note).isEmpty)
            a.clock.advance(seconds: 20)
            try a.put(entity: note, json: #"{"id":"2","title":"later by a"}"#)
            try await world.sync(0)
            #expect(try a.conflicts(entity: note) == ["1"])
            #expect(try a.value(entity: note, key: "1", field: "title")?.string == "later by a")
            // Nothing of it is at the server before somebody has decided.
            try await world.sync(1)
            #expect(try c.value(entity: note, key: "1", field: "title")?.string == "by c")
            try a.resolve(entity: note, key: "1", resolution: .local)
            try await world.converge()
            for device in world.devices {
                #expect(try device.export(entity: note).count == 1, "on \(device.name)")
                #expect(
                    try device.value(entity: note, key: "1", field: "title")?.string == "later by a",
                    "on \(device.name)"
                )
            }
            #expect(try a.journal().contains { $0.lost.record.values[1]?.string == "by c" })
        }
    }

    @Test func aTagStaysThoughAnEditWaitsAndTheOtherDeviceHasPutTheTagBackMeanwhile() async throws {
        let note = Entities.note(strategy: .preserveLocal, fields: [Entities.tags])
        try await withWorld(count: 2, entities: note, place: .server) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try b.put(entity: note, json: #"{"id":"n","title":"agreed","tags":["x"]}"#)
            a.clock.advance(seconds: 10)
            try a.put(entity: note, json: #"{"id":"n","title":"without","tags":[]}"#)
            try await world.sync(1)
            try await world.sync(0)
            try a.resolve(entity: note, key: "n", resolution: .remote)
            try await world.sync(0)
            b.clock.advance(seconds: 20)
            try b.put(entity: note, json: #"{"id":"n","body":"more of it"}"#)
            try await world.sync(1)
            // What A decided says what B's edit was made on, and is a newer version all the same.
            #expect(try b.conflicts(entity: note) == ["n"])
            try b.resolve(entity: note, key: "n", resolution: .local)
            try await world.sync(1)
            a.clock.advance(seconds: 20)
            try a.put(entity: note, json: #"{"id":"n","tags":["x","y"]}"#)
            try await world.converge()
            for device in world.devices {
                #expect(
                    try device.value(entity: note, key: "n", field: "tags") == .json(#"["x","y"]"#),
                    "on \(device.name)"
                )
                #expect(
                    try device.value(entity: note, key: "n", field: "body")?.string == "more of it",
                    "on \(device.name)"
                )
            }
        }
    }
}
