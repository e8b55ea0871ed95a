import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// What seeded worlds found, as the stories that people can follow.
@Suite struct FoundBySimulationTests {
    @Test(arguments: MergeStrategy.allCases)
    func aRecordMadeAgainAfterItsTombstoneWasPurgedReachesTheOthers(strategy: MergeStrategy) async throws {
        let note = Entities.note(strategy)
        try await withWorld(2, note, place: .server) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(note, #"{"id":"n","title":"first"}"#)
            try await world.settle()
            try a.delete(note, "n")
            try await world.settle()
            try b.put(note, #"{"id":"n","title":"again"}"#)
            for device in world.devices { device.clock.advance(seconds: 60) }
            world.server?.clock.advance(seconds: 60)
            try world.server?.purgeTombstones(olderThanDays: 0)
            try await world.settle()
            for device in world.devices {
                #expect(try device.value(note, "n", "title")?.string == "again", "on \(device.name)")
                #expect(try device.local(note, "n")?.state == .synced, "on \(device.name)")
            }
        }
    }

    @Test func anEditThatIsPresentedStaysShownWhereItWasMade() async throws {
        let note = SettlementTests.place(.preserveLocal)
        try await withWorld(2, note, place: .folders) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(note, #"{"id":"n","title":"by a","place":1}"#)
            b.clock.advance(seconds: 10)
            try b.put(note, #"{"id":"n","title":"by b","place":2}"#)
            try await world.sync(0)
            try await world.sync(1)
            b.clock.advance(seconds: 10)
            try b.put(note, #"{"id":"n","title":"later by b","place":3}"#)
            try await world.settle()
            #expect(try b.value(note, "n", "title")?.string == "later by b")
            #expect(try b.conflicts(note).isEmpty)
            #expect(try a.conflicts(note) == ["n"])
            #expect(try a.value(note, "n", "title")?.string == "by a")
        }
    }

    @Test(arguments: MergeStrategy.allCases, [World.Place.folders, .server])
    func whatWasMergedIntoARecordThatMovedAwayMeanwhileCanBeFound(
        strategy: MergeStrategy,
        place: World.Place
    ) async throws {
        let note = SettlementTests.place(strategy)
        try await withWorld(2, note, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try b.put(note, #"{"id":"a","title":"small key","place":7}"#)
            try await world.sync(1)
            try world.deliver()
            try a.put(note, #"{"id":"b","title":"great key","place":7}"#)
            try await world.sync(0)
            #expect(try a.export(note).count == 1)
            b.clock.advance(seconds: 10)
            try b.put(note, #"{"id":"a","place":9}"#)
            try await world.settle()
            // Where a person decides, the record that moved away is in conflict with the value that met it.
            for key in try a.conflicts(note) { try a.resolve(note, key, .remote) }
            try await world.settle()
            let exports = try world.devices.map { try $0.export(note) }
            #expect(exports[0] == exports[1] && exports[0].count == 1)
            let lost = try world.devices.flatMap { try $0.journal() }.map(\.lost.record.values[1]?.string)
            #expect(lost.contains("great key") || exports[0][0].contains("great key"))
            #expect(lost.contains("small key") || exports[0][0].contains("small key"))
            #expect(exports[0][0].contains(#""place":9"#))
        }
    }

    @Test func whatLostAmongOthersVersionsIsInTheJournalThoughAnEditWaitsBesideThem() async throws {
        let note = Entities.note(.setUnion)
        try await withWorld(2, note, place: .folders) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try b.put(note, #"{"id":"n","title":"by b"}"#)
            a.clock.advance(seconds: 10)
            try a.put(note, #"{"id":"n","title":"by a"}"#)
            try a.delete(note, "n")
            try await world.sync(0)
            try await world.sync(1)
            a.clock.advance(seconds: 10)
            try a.put(note, #"{"id":"n","title":"again by a"}"#)
            try await world.settle()
            let lost = try world.devices.flatMap { try $0.journal().map(\.lost.record) }
            let title = try #require(note.layout.position(of: "title"))
            #expect(lost.contains { $0.values[title]?.string == "by b" })
        }
    }

    @Test(arguments: [Resolution.local, .remote])
    func aConflictCanBeSettledThoughItsValuesMeetAnotherRecords(resolution: Resolution) async throws {
        let note = SettlementTests.place(.preserveLocal)
        try await withWorld(2, note, place: .server) { world in
            let (a, c) = (world.devices[0], world.devices[1])
            try c.put(note, #"{"id":"2","title":"by c","place":7}"#)
            try await world.settle()
            c.clock.advance(seconds: 10)
            try c.put(note, #"{"id":"2","place":8}"#)
            try c.put(note, #"{"id":"3","title":"new by c","place":7}"#)
            try a.delete(note, "2")
            try a.put(note, #"{"id":"2","title":"again by a","place":7}"#)
            try await world.sync(1)
            try await world.sync(0)
            #expect(try a.conflicts(note).contains("2"))
            // What is chosen for the one may meet the other, and then there is one more choice.
            for _ in 0..<3 {
                for device in world.devices {
                    for key in try device.conflicts(note) { try device.resolve(note, key, resolution) }
                }
                try await world.settle()
            }
            for device in world.devices { #expect(try device.conflicts(note).isEmpty, "on \(device.name)") }
            #expect(try a.export(note) == c.export(note))
            #expect(try a.export(note).isEmpty == false)
        }
    }

    @Test func theEarliestTimeOfCreationIsTheSameEverywhereWhateverEachDeviceSawInBetween() async throws {
        let note = Entities.note(.setUnion)
        try await withWorld(3, note, place: .folders) { world in
            let (a, b, c) = (world.devices[0], world.devices[1], world.devices[2])
            try c.put(note, #"{"id":"n","title":"first"}"#)
            b.clock.advance(seconds: 20)
            try b.put(note, #"{"id":"n","title":"by b"}"#)
            try await world.sync(1)
            try await world.sync(2)
            // Only this device sees what the next edit takes away.
            try world.deliver(from: 1, to: 0)
            try world.deliver(from: 2, to: 0)
            try await world.sync(0)
            c.clock.advance(seconds: 40)
            try c.delete(note, "n")
            try c.put(note, #"{"id":"n","title":"second"}"#)
            try await world.settle()
            for device in [b, c] { #expect(try device.export(note) == a.export(note), "on \(device.name)") }
        }
    }

    @Test func aRecordThatIsSavedWithoutItsTimeOfCreationKeepsIt() async throws {
        let note = Entities.note(.lastWriteWins)
        try await withWorld(1, note) { world in
            let device = world.devices[0]
            try device.put(note, #"{"id":"n","title":"first"}"#)
            let created = try #require(try device.value(note, "n", "createdAt"))
            device.clock.advance(seconds: 60)
            var record = Record(empty: note)
            for (field, text) in [("id", "n"), ("title", "second")] {
                record.values[try #require(note.layout.position(of: field))] = .text(text)
            }
            _ = try device.writer.write { try $0.replace(note, record) }
            #expect(try device.value(note, "n", "title")?.string == "second")
            #expect(try device.value(note, "n", "createdAt") == created)
        }
    }

    @Test(arguments: MergeStrategy.allCases)
    func aDeleteThatAServerForgotIsSentAgainWhenSomebodyBringsTheRecordBack(strategy: MergeStrategy)
        async throws
    {
        let note = Entities.note(strategy)
        try await withWorld(2, note, place: .server) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            let server = try #require(world.server)
            try b.put(note, #"{"id":"m","title":"before"}"#)
            try await world.settle()
            try server.backUp(to: "\(world.path)/backup")
            try b.put(note, #"{"id":"n","title":"by b"}"#)
            try await world.settle()
            try b.delete(note, "n")
            try server.restore(from: "\(world.path)/backup")
            _ = try await b.engine(label: b.name).sync(SyncOptions(rejoins: true))
            for device in world.devices { device.clock.advance(seconds: 60) }
            server.clock.advance(seconds: 60)
            try server.purgeTombstones(olderThanDays: 0)
            _ = try await a.engine(label: a.name).sync(SyncOptions(rejoins: true))
            try await world.settle()
            for device in [a, b] { #expect(try device.export(note).count == 1, "on \(device.name)") }
        }
    }

    @Test func aRecordMadeAnewSaysAllItsValuesAnewAlsoThoseThatItHadBefore() async throws {
        let note = Entities.note(.setUnion)
        try await withWorld(2, note, place: .server) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(note, #"{"id":"n","title":"same","body":"old"}"#)
            try await world.settle()
            try a.delete(note, "n")
            try await world.settle()
            a.clock.advance(seconds: 10)
            b.clock.advance(seconds: 20)
            try a.put(note, #"{"id":"n","title":"other"}"#)
            try b.put(note, #"{"id":"n","title":"same"}"#)
            try await world.settle()
            for device in world.devices {
                #expect(try device.value(note, "n", "title")?.string == "same", "on \(device.name)")
            }
            #expect(
                try world.devices.flatMap { try $0.journal() }.contains {
                    $0.lost.record.values[1]?.string == "other"
                }
            )
        }
    }

    @Test func anEditOfThePresentedHeadIsNoConflictThoughAnotherHeadGrows() async throws {
        let note = Entities.note(.preserveLocal)
        try await withWorld(3, note, place: .folders) { world in
            let (a, b, d) = (world.devices[0], world.devices[1], world.devices[2])
            try a.put(note, #"{"id":"n","title":"a1"}"#)
            try await world.sync(0)
            d.clock.advance(seconds: 20)
            try d.put(note, #"{"id":"n","title":"d1"}"#)
            try await world.sync(2)
            try world.deliver(from: 0, to: 1)
            try world.deliver(from: 2, to: 1)
            try await world.sync(1)
            b.clock.advance(seconds: 40)
            try b.put(note, #"{"id":"n","title":"b1"}"#)
            a.clock.advance(seconds: 10)
            try a.put(note, #"{"id":"n","title":"a2"}"#)
            try await world.sync(0)
            try await world.settle()
            #expect(try b.conflicts(note).isEmpty)
            #expect(try d.value(note, "n", "title")?.string == "b1")
            #expect(try a.conflicts(note) == ["n"])
        }
    }

    @Test func whatMeetsByItselfMeetsAlsoWhereTheLaterEditIsPublishedBesideAnotherHead() async throws {
        let note = Entities.note(.preserveLocal, fields: [Entities.tags])
        try await withWorld(3, note, place: .folders) { world in
            let (a, c, d) = (world.devices[0], world.devices[1], world.devices[2])
            try d.put(note, #"{"id":"n","title":"t","tags":["x"]}"#)
            try await world.settle()
            d.clock.advance(seconds: 10)
            try d.put(note, #"{"id":"n","tags":["x","y"]}"#)
            c.clock.advance(seconds: 20)
            try c.delete(note, "n")
            try await world.sync(1)
            c.clock.advance(seconds: 10)
            try c.put(note, #"{"id":"n","title":"anew"}"#)
            try await world.sync(2)
            try await world.settle(order: [1, 0, 2])
            let tags = try world.devices.map { try $0.value(note, "n", "tags")?.string }
            #expect(Set(tags).count == 1, "\(tags)")
            #expect(try a.value(note, "n", "title")?.string == "anew")
        }
    }

    @Test func whoEditsOneOfTwoRecordsThatBecameOneTakesNoUnseenValueAwaySilently() async throws {
        let note = SettlementTests.place(.preserveLocal)
        try await withWorld(3, note, place: .folders) { world in
            let (a, b, c) = (world.devices[0], world.devices[1], world.devices[2])
            try a.put(note, #"{"id":"a","title":"by a","place":7}"#)
            b.clock.advance(seconds: 10)
            try b.put(note, #"{"id":"b","title":"by b","place":7}"#)
            try await world.sync(0)
            try await world.sync(1)
            try world.deliver(from: 0, to: 2)
            try world.deliver(from: 1, to: 2)
            try await world.sync(2)
            #expect(try c.value(note, "a", "title")?.string == "by a")
            #expect(try c.journal().contains { $0.lost.record.values[1]?.string == "by b" })
            try c.delete(note, "a")
            try await world.settle()
            #expect(try b.conflicts(note) == ["a"], "who wrote the other value is asked")
            #expect(try b.value(note, "a", "title")?.string == "by b")
        }
    }

    @Test func whatLosesComesInOneOrder() throws {
        let note = Entities.note(.setUnion)
        func version(_ device: UInt64, _ title: Int64, _ body: Int64) -> SyncRecord {
            let mark = EditMark(time: Timestamp(microseconds: 1), device: DeviceID(bits: device), sequence: 1)
            var stamp = Stamp(first: mark)
            var detail = StampDetail(origin: mark)
            // Each says one field later than the other says it.
            for (name, time) in [("title", title), ("body", body)] {
                let mark = EditMark(time: Timestamp(microseconds: time), device: mark.device, sequence: 1)
                detail.units[name] = [Sibling(mark: mark)]
            }
            stamp.detail = detail
            var record = Record(empty: note)
            record.values[0] = .text("n")
            record.values[1] = .text("title \(device)")
            record.values[2] = .text("body \(device)")
            return SyncRecord(entity: "note", key: RecordKey("n"), record: record, stamp: stamp)
        }
        let (one, two) = (version(1, 5, 3), version(2, 4, 6))
        for _ in 0..<50 {
            guard case .merged(_, let lost) = Merge(note)(one, two) else {
                Issue.record("a conflict")
                return
            }
            #expect(lost == [one, two])
        }
    }

    @Test func aLaterDeleteWinsThoughTheEditIsOnTopOfAnEarlierOne() {
        let note = Entities.note(.lastWriteWins)
        func version(_ device: UInt64, _ time: Int64, _ sequence: Int64, isDeleted: Bool) -> SyncRecord {
            var record = Record(empty: note)
            record.values[0] = .text("n")
            record.values[1] = .text("title")
            let mark = EditMark(
                time: Timestamp(microseconds: time),
                device: DeviceID(bits: device),
                sequence: sequence
            )
            return SyncRecord(
                entity: "note",
                key: RecordKey("n"),
                record: record,
                isDeleted: isDeleted,
                stamp: Stamp(first: mark)
            )
        }
        let base = version(1, 4, 1, isDeleted: true)
        var mine = version(2, 6, 1, isDeleted: false)
        mine.stamp.vector.formUnion(base.stamp.vector)
        let trees = Planner.Trees(local: LocalRecord(version: mine, state: .pending), base: base)
        let planner = Planner(note, own: OwnDevices(DeviceID(bits: 2)), isLinear: false)
        let plan = planner.plan(trees, incoming: version(1, 12, 3, isDeleted: true))
        #expect(plan.trees.local?.version.isDeleted == true)
        #expect(plan.losses.map(\.lost) == [mine])
        // One that came before the edit does not.
        let earlier = planner.plan(trees, incoming: version(1, 5, 3, isDeleted: true))
        #expect(earlier.trees.local?.version.isDeleted == false)
    }

    @Test func anEditInAConflictLeavesTheOtherSideThoughThatWasAnotherRecord() async throws {
        let note = SettlementTests.place(.preserveLocal)
        try await withWorld(2, note, place: .server) { world in
            let (a, c) = (world.devices[0], world.devices[1])
            try c.put(note, #"{"id":"1","title":"by c","place":7}"#)
            a.clock.advance(seconds: 10)
            try a.put(note, #"{"id":"2","title":"by a","place":7}"#)
            try await world.sync(1)
            try await world.sync(0)
            try await world.sync(1)
            #expect(try a.conflicts(note) == ["1"])
            #expect(try c.conflicts(note).isEmpty)
            a.clock.advance(seconds: 20)
            try a.put(note, #"{"id":"2","title":"later by a"}"#)
            try await world.sync(0)
            #expect(try a.conflicts(note) == ["1"])
            #expect(try a.value(note, "1", "title")?.string == "later by a")
            // Nothing of it is at the server before somebody has decided.
            try await world.sync(1)
            #expect(try c.value(note, "1", "title")?.string == "by c")
            try a.resolve(note, "1", .local)
            try await world.settle()
            for device in world.devices {
                #expect(try device.export(note).count == 1, "on \(device.name)")
                #expect(try device.value(note, "1", "title")?.string == "later by a", "on \(device.name)")
            }
            #expect(try a.journal().contains { $0.lost.record.values[1]?.string == "by c" })
        }
    }

    @Test func aTagStaysThoughAnEditWaitsAndTheOtherDeviceHasPutTheTagBackMeanwhile() async throws {
        let note = Entities.note(.preserveLocal, fields: [Entities.tags])
        try await withWorld(2, note, place: .server) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try b.put(note, #"{"id":"n","title":"agreed","tags":["x"]}"#)
            a.clock.advance(seconds: 10)
            try a.put(note, #"{"id":"n","title":"without","tags":[]}"#)
            try await world.sync(1)
            try await world.sync(0)
            try a.resolve(note, "n", .remote)
            try await world.sync(0)
            b.clock.advance(seconds: 20)
            try b.put(note, #"{"id":"n","body":"more of it"}"#)
            try await world.sync(1)
            // What A decided says what B's edit was made on, and is a newer version all the same.
            #expect(try b.conflicts(note) == ["n"])
            try b.resolve(note, "n", .local)
            try await world.sync(1)
            a.clock.advance(seconds: 20)
            try a.put(note, #"{"id":"n","tags":["x","y"]}"#)
            try await world.settle()
            for device in world.devices {
                #expect(try device.value(note, "n", "tags") == .json(#"["x","y"]"#), "on \(device.name)")
                #expect(try device.value(note, "n", "body")?.string == "more of it", "on \(device.name)")
            }
        }
    }
}
