import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Stories that were played from outside: devices that create the same thing apart, with what belongs to it.
@Suite struct MergedRecordStoryTests {
    private static func shelf(
        _ strategy: MergeStrategy = .lastWriteWins,
        granularity: MergeGranularity = .record
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: "shelf",
            typeName: "Shelf",
            fields: [
                FieldDescriptor("id", type: .string(), isRequired: true),
                FieldDescriptor("owner", type: .string(), isRequired: true),
                FieldDescriptor("name", type: .string(), isRequired: true),
                FieldDescriptor("note", type: .string(), isNullable: true),
            ] + Entities.times,
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            created: "createdAt",
            updated: "updatedAt",
            unique: [["owner", "name"]]
        )
    }

    private static func box(_ rule: DeleteRule, _ strategy: MergeStrategy = .lastWriteWins)
        -> EntityDescriptor
    {
        EntityDescriptor(
            name: "box",
            typeName: "Box",
            fields: [
                FieldDescriptor("id", type: .string(), isRequired: true),
                FieldDescriptor("title", type: .string(), isRequired: true),
                FieldDescriptor("shelfId", type: .string(), isNullable: true),
            ] + Entities.times,
            key: ["id"],
            strategy: strategy,
            created: "createdAt",
            updated: "updatedAt",
            references: [ReferenceDescriptor(field: "shelfId", entity: "shelf", onDelete: rule)]
        )
    }

    private static let link = EntityDescriptor(
        name: "link",
        typeName: "Link",
        fields: [
            FieldDescriptor("boxId", type: .string(), isRequired: true),
            FieldDescriptor("shelfId", type: .string(), isRequired: true),
            FieldDescriptor("why", type: .string(), isNullable: true),
        ] + Entities.times,
        key: ["boxId", "shelfId"],
        strategy: .lastWriteWins,
        created: "createdAt",
        updated: "updatedAt",
        references: [ReferenceDescriptor(field: "shelfId", entity: "shelf", onDelete: .cascade)]
    )

    private func settleAndExpectSame(_ world: World, _ entities: EntityDescriptor...) async throws {
        try await world.settle()
        for entity in entities {
            let exports = try world.devices.map { try $0.export(entity) }
            for export in exports.dropFirst() { #expect(export == exports[0], "\(entity.name)") }
        }
    }

    @Test(arguments: World.Place.allCases)
    func restoringTheLoserOfAMergeStopsNobodysSync(place: World.Place) async throws {
        let (shelf, box) = (Self.shelf(granularity: .field), Self.box(.cascade))
        try await withWorld(2, shelf, box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(shelf, #"{"id":"s2","owner":"o","name":"n0","note":"by a"}"#)
            try a.put(box, #"{"id":"b1","title":"box","shelfId":"s2"}"#)
            b.clock.advance(seconds: 5)
            try b.put(shelf, #"{"id":"s1","owner":"o","name":"n0","note":"by b"}"#)
            try await world.sync(0)
            try world.deliver()
            try await world.sync(1)
            let lost = try #require(try b.journal().first)
            _ = try b.writer.restore(journal: lost.id)
            for _ in 0..<3 {
                for index in [1, 0] {
                    try world.deliver()
                    #expect(try await world.sync(index).outcome == .synced)
                }
            }
            try a.put(box, #"{"id":"b2","title":"later"}"#)
            try await settleAndExpectSame(world, shelf, box)
            #expect(try b.value(box, "b2", "title")?.string == "later")
            #expect(try a.value(shelf, "s1", "note")?.string == "by a", "what was brought back is shown")
            #expect(try b.value(box, "b1", "shelfId")?.string == "s1")
        }
    }

    @Test(arguments: World.Place.allCases, [DeleteRule.cascade, .nullify, .restrict])
    func childrenOfAMergedParentBelongToTheSurvivor(place: World.Place, rule: DeleteRule) async throws {
        let (shelf, box) = (Self.shelf(), Self.box(rule))
        try await withWorld(3, shelf, box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(shelf, #"{"id":"s2","owner":"o","name":"later"}"#)
            try a.put(box, #"{"id":"of-a","title":"one","shelfId":"s2"}"#)
            try b.put(shelf, #"{"id":"s1","owner":"o","name":"later"}"#)
            try b.put(box, #"{"id":"of-b","title":"two","shelfId":"s1"}"#)
            try await settleAndExpectSame(world, shelf, box)
            for device in world.devices {
                #expect(try device.export(shelf).count == 1)
                for key in ["of-a", "of-b"] {
                    #expect(try device.value(box, key, "shelfId")?.string == "s1", "\(key) on \(device.name)")
                }
                let children = try device.store.read {
                    try $0.children(box, field: "shelfId", parent: RecordKey("s1"))
                }
                #expect(children.count == 2)
            }
            // Who still means the merged one writes to the survivor, and a child too.
            try a.put(box, #"{"id":"new","title":"three","shelfId":"s2"}"#)
            #expect(try a.value(box, "new", "shelfId")?.string == "s1")
            try await settleAndExpectSame(world, shelf, box)
        }
    }

    @Test(arguments: World.Place.allCases)
    func twoLinksToOneMergedParentBecomeOne(place: World.Place) async throws {
        let (shelf, link) = (Self.shelf(), Self.link)
        try await withWorld(2, shelf, link, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(shelf, #"{"id":"s2","owner":"o","name":"ai"}"#)
            try a.put(link, #"{"boxId":"x","shelfId":"s2","why":"a"}"#)
            try a.put(link, #"{"boxId":"y","shelfId":"s2","why":"alone"}"#)
            b.clock.advance(seconds: 5)
            try b.put(shelf, #"{"id":"s1","owner":"o","name":"ai"}"#)
            try b.put(link, #"{"boxId":"x","shelfId":"s1","why":"b"}"#)
            try await settleAndExpectSame(world, shelf, link)
            for device in world.devices {
                let links = try device.export(link)
                #expect(links.count == 2)
                #expect(links.allSatisfy { $0.contains(#""shelfId":"s1""#) })
                #expect(
                    links.contains { $0.contains(#""why":"b""#) }
                        && links.contains { $0.contains(#""why":"alone""#) }
                )
            }
            let lost = try world.devices.flatMap { try $0.journal() }.compactMap {
                $0.lost.record.values[2]?.string
            }
            #expect(lost.contains("a"), "the other reason can be brought back")
        }
    }

    @Test(arguments: World.Place.allCases, ["ka", "kz"])
    func aWriteThatMeetsAnotherRecordAtTheRemoteIsAConflictWhereItWasMade(
        place: World.Place,
        key: String
    ) async throws {
        let shelf = Self.shelf(.preserveLocal)
        try await withWorld(2, shelf, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(shelf, #"{"id":"km","owner":"o","name":"verse","note":"older"}"#)
            try await world.sync(0)
            // A is never seen again.
            b.clock.advance(seconds: 60)
            try b.put(shelf, #"{"id":"\#(key)","owner":"o","name":"verse","note":"newer"}"#)
            try world.deliver()
            try await world.sync(1)
            let conflicts = try b.conflicts(shelf)
            #expect(conflicts.count == 1)
            #expect(try b.export(shelf).count == 1)
            let shown = try #require(conflicts.first)
            #expect(try b.value(shelf, shown, "note")?.string == "newer", "what was written here stays shown")
            let remote = try b.store.read { try $0.side(shelf, RecordKey(shown), .remote) }
            #expect(remote?.record.values[3]?.string == "older")
            try b.resolve(shelf, shown, .local)
            #expect(try b.journal().contains { $0.lost.record.values[3]?.string == "older" })
            try await settleAndExpectSame(world, shelf)
            #expect(try a.value(shelf, shown, "note")?.string == "newer")
        }
    }

    @Test(arguments: MergeStrategy.allCases, permutations([0, 1, 2]))
    func aMergeHidesNoValueInAnyOrder(strategy: MergeStrategy, order: [Int]) async throws {
        let shelf = Self.shelf(strategy)
        for place in World.Place.allCases {
            try await withWorld(3, shelf, place: place) { world in
                for (index, key) in ["b", "a", "c"].enumerated() {
                    world.devices[index].clock.advance(seconds: Int64(index) * 10)
                    try world.devices[index].put(
                        shelf,
                        #"{"id":"\#(key)","owner":"o","name":"n","note":"by \#(key)"}"#
                    )
                }
                for index in order { try await world.sync(index) }
                try await world.settle(order: order)
                var found: Set<String> = []
                for device in world.devices {
                    #expect(try device.export(shelf).count == 1)
                    let shown = try device.conflicts(shelf)
                    for key in shown {
                        let remote = try device.store.read { try $0.side(shelf, RecordKey(key), .remote) }
                        if let note = remote?.record.values[3]?.string { found.insert(note) }
                    }
                    for line in try device.export(shelf) {
                        for key in ["a", "b", "c"] where line.contains("by \(key)") {
                            found.insert("by \(key)")
                        }
                    }
                    found.formUnion(try device.journal().compactMap { $0.lost.record.values[3]?.string })
                }
                #expect(found.isSuperset(of: ["by a", "by b", "by c"]), "\(place) \(order)")
            }
        }
    }

    @Test(arguments: World.Place.allCases)
    func bringingBackAChildNamesItsDeletedParentOrBringsItBack(place: World.Place) async throws {
        let (shelf, box) = (Self.shelf(), Self.box(.cascade))
        try await withWorld(2, shelf, box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(shelf, #"{"id":"s","owner":"o","name":"n"}"#)
            try await world.settle()
            try a.delete(shelf, "s")
            b.clock.advance(seconds: 5)
            try b.put(box, #"{"id":"b","title":"unseen","shelfId":"s"}"#)
            try await world.settle()
            let holder = try #require(world.devices.first { try !$0.journal().isEmpty })
            let entry = try #require(try holder.journal().first { $0.lost.key == RecordKey("b") })
            let error = #expect(throws: SyncError.self) { try holder.writer.restore(journal: entry.id) }
            #expect(error?.message == "That box record belongs to a shelf record that is deleted.")
            _ = try holder.writer.restore(journal: entry.id, withParents: true)
            try await settleAndExpectSame(world, shelf, box)
            #expect(try a.value(box, "b", "title")?.string == "unseen")
            #expect(try a.value(shelf, "s", "name")?.string == "n")
        }
    }

    @Test func bringingBackAChildOfAParentThatIsGoneIsRefusedWithTheReason() async throws {
        let (shelf, box) = (Self.shelf(), Self.box(.cascade))
        try await withWorld(2, shelf, box, place: .folder) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(shelf, #"{"id":"s","owner":"o","name":"n"}"#)
            try await world.settle()
            try a.delete(shelf, "s")
            b.clock.advance(seconds: 5)
            try b.put(box, #"{"id":"b","title":"unseen","shelfId":"s"}"#)
            try await world.settle()
            let holder = try #require(world.devices.first { try !$0.journal().isEmpty })
            let entry = try #require(try holder.journal().first { $0.lost.key == RecordKey("b") })
            // Tombstones that all devices have are dropped.
            try holder.store.write(.full) { try $0.remove(shelf, RecordKey("s")) }
            for withParents in [false, true] {
                let error = #expect(throws: SyncError.self) {
                    try holder.writer.restore(journal: entry.id, withParents: withParents)
                }
                #expect(
                    error?.message
                        == "That box record belongs to a shelf record of which nothing is left here."
                )
            }
            try holder.put(shelf, #"{"id":"s","owner":"o","name":"again"}"#)
            _ = try holder.writer.restore(journal: entry.id)
            #expect(try holder.value(box, "b", "title")?.string == "unseen")
        }
    }

    @Test func recordsThatClashOnASecondListTakeEditsOfOtherFields() async throws {
        let note = Entities.note(
            .lastWriteWins,
            fields: [FieldDescriptor("place", type: .integer(), isNullable: true)],
            unique: [["title"], ["place"]]
        )
        try await withWorld(2, note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(note, #"{"id":"a","title":"one","place":7}"#)
            try b.put(note, #"{"id":"b","title":"two","place":7}"#)
            try await world.settle()
            try a.put(note, #"{"id":"a","body":"still writable"}"#)
            #expect(throws: SyncError.self) { try a.put(note, #"{"id":"c","title":"three","place":7}"#) }
            try await settleAndExpectSame(world, note)
            #expect(try b.value(note, "a", "body")?.string == "still writable")
        }
    }
}
