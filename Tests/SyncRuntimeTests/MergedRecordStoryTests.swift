import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Stories that were played from outside: devices that create the same thing apart, with what belongs to it.
@Suite struct MergedRecordStoryTests {
    private static func shelf(
        strategy: MergeStrategy = .lastWriteWins,
        granularity: MergeGranularity = .record
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: "shelf",
            typeName: "Shelf",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "owner", type: .string(), isRequired: true),
                FieldDescriptor(name: "name", type: .string(), isRequired: true),
                FieldDescriptor(name: "note", type: .string(), isNullable: true),
            ] + Entities.times,
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            created: "createdAt",
            updated: "updatedAt",
            unique: [["owner", "name"]]
        )
    }

    private static func box(rule: DeleteRule, strategy: MergeStrategy = .lastWriteWins)
        -> EntityDescriptor
    {
        EntityDescriptor(
            name: "box",
            typeName: "Box",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "title", type: .string(), isRequired: true),
                FieldDescriptor(name: "shelfId", type: .string(), isNullable: true),
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
            FieldDescriptor(name: "boxId", type: .string(), isRequired: true),
            FieldDescriptor(name: "shelfId", type: .string(), isRequired: true),
            FieldDescriptor(name: "why", type: .string(), isNullable: true),
        ] + Entities.times,
        key: ["boxId", "shelfId"],
        strategy: .lastWriteWins,
        created: "createdAt",
        updated: "updatedAt",
        references: [ReferenceDescriptor(field: "shelfId", entity: "shelf", onDelete: .cascade)]
    )

    private func convergeAndExpectSame(_ world: World, entities: EntityDescriptor...) async throws {
        try await world.converge()
        for entity in entities {
            let exports = try world.devices.map { try $0.export(entity: entity) }
            for export in exports.dropFirst() { #expect(export == exports[0], "\(entity.name)") }
        }
    }

    @Test(arguments: World.Place.allCases)
    func restoringTheLoserOfAMergeStopsNobodysSync(place: World.Place) async throws {
        let (shelf, box) = (Self.shelf(granularity: .field), Self.box(rule: .cascade))
        try await withWorld(count: 2, entities: shelf, box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: shelf, json: #"{"id":"s2","owner":"o","name":"n0","note":"by a"}"#)
            try a.put(entity: box, json: #"{"id":"b1","title":"box","shelfId":"s2"}"#)
            b.clock.advance(seconds: 5)
            try b.put(entity: shelf, json: #"{"id":"s1","owner":"o","name":"n0","note":"by b"}"#)
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
            try a.put(entity: box, json: #"{"id":"b2","title":"later"}"#)
            try await convergeAndExpectSame(world, entities: shelf, box)
            #expect(try b.value(entity: box, key: "b2", field: "title")?.string == "later")
            #expect(
                try a.value(entity: shelf, key: "s1", field: "note")?.string == "by a",
                "what was brought back is shown"
            )
            #expect(try b.value(entity: box, key: "b1", field: "shelfId")?.string == "s1")
        }
    }

    @Test(arguments: World.Place.allCases, [DeleteRule.cascade, .nullify, .restrict])
    func childrenOfAMergedParentBelongToTheSurvivor(place: World.Place, rule: DeleteRule) async throws {
        let (shelf, box) = (Self.shelf(), Self.box(rule: rule))
        try await withWorld(count: 3, entities: shelf, box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: shelf, json: #"{"id":"s2","owner":"o","name":"later"}"#)
            try a.put(entity: box, json: #"{"id":"of-a","title":"one","shelfId":"s2"}"#)
            try b.put(entity: shelf, json: #"{"id":"s1","owner":"o","name":"later"}"#)
            try b.put(entity: box, json: #"{"id":"of-b","title":"two","shelfId":"s1"}"#)
            try await convergeAndExpectSame(world, entities: shelf, box)
            for device in world.devices {
                #expect(try device.export(entity: shelf).count == 1)
                for key in ["of-a", "of-b"] {
                    #expect(
                        try device.value(entity: box, key: key, field: "shelfId")?.string == "s1",
                        "\(key) on \(device.name)"
                    )
                }
                let children = try device.store.read {
                    try $0.children(entity: box, reference: box.references[0], parent: RecordKey("s1"))
                }
                #expect(children.count == 2)
            }
            // Who still means the merged one writes to the survivor, and a child too.
            try a.put(entity: box, json: #"{"id":"new","title":"three","shelfId":"s2"}"#)
            #expect(try a.value(entity: box, key: "new", field: "shelfId")?.string == "s1")
            try await convergeAndExpectSame(world, entities: shelf, box)
        }
    }

    @Test(arguments: World.Place.allCases)
    func twoLinksToOneMergedParentBecomeOne(place: World.Place) async throws {
        let (shelf, link) = (Self.shelf(), Self.link)
        try await withWorld(count: 2, entities: shelf, link, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: shelf, json: #"{"id":"s2","owner":"o","name":"ai"}"#)
            try a.put(entity: link, json: #"{"boxId":"x","shelfId":"s2","why":"a"}"#)
            try a.put(entity: link, json: #"{"boxId":"y","shelfId":"s2","why":"alone"}"#)
            b.clock.advance(seconds: 5)
            try b.put(entity: shelf, json: #"{"id":"s1","owner":"o","name":"ai"}"#)
            try b.put(entity: link, json: #"{"boxId":"x","shelfId":"s1","why":"b"}"#)
            try await convergeAndExpectSame(world, entities: shelf, link)
            for device in world.devices {
                let links = try device.export(entity: link)
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
        let shelf = Self.shelf(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: shelf, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: shelf, json: #"{"id":"km","owner":"o","name":"verse","note":"older"}"#)
            try await world.sync(0)
            // A is never seen again.
            b.clock.advance(seconds: 60)
            try b.put(entity: shelf, json: #"{"id":"\#(key)","owner":"o","name":"verse","note":"newer"}"#)
            try world.deliver()
            try await world.sync(1)
            let conflicts = try b.conflicts(entity: shelf)
            #expect(conflicts.count == 1)
            #expect(try b.export(entity: shelf).count == 1)
            let shown = try #require(conflicts.first)
            #expect(
                try b.value(entity: shelf, key: shown, field: "note")?.string == "newer",
                "what was written here stays shown"
            )
            let remote = try b.store.read { try $0.side(entity: shelf, key: RecordKey(shown), kind: .remote) }
            #expect(remote?.record.values[3]?.string == "older")
            try b.resolve(entity: shelf, key: shown, resolution: .local)
            #expect(try b.journal().contains { $0.lost.record.values[3]?.string == "older" })
            try await convergeAndExpectSame(world, entities: shelf)
            #expect(try a.value(entity: shelf, key: shown, field: "note")?.string == "newer")
        }
    }

    @Test(arguments: MergeStrategy.allCases, permutations(values: [0, 1, 2]))
    func aMergeHidesNoValueInAnyOrder(strategy: MergeStrategy, order: [Int]) async throws {
        let shelf = Self.shelf(strategy: strategy)
        for place in World.Place.allCases {
            try await withWorld(count: 3, entities: shelf, place: place) { world in
                for (index, key) in ["b", "a", "c"].enumerated() {
                    world.devices[index].clock.advance(seconds: Int64(index) * 10)
                    try world.devices[index].put(
                        entity: shelf,
                        json: #"{"id":"\#(key)","owner":"o","name":"n","note":"by \#(key)"}"#
                    )
                }
                for index in order { try await world.sync(index) }
                try await world.converge(order: order)
                var found: Set<String> = []
                for device in world.devices {
                    #expect(try device.export(entity: shelf).count == 1)
                    let shown = try device.conflicts(entity: shelf)
                    for key in shown {
                        let remote = try device.store.read {
                            try $0.side(entity: shelf, key: RecordKey(key), kind: .remote)
                        }
                        if let note = remote?.record.values[3]?.string { found.insert(note) }
                    }
                    for line in try device.export(entity: shelf) {
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
        let (shelf, box) = (Self.shelf(), Self.box(rule: .cascade))
        try await withWorld(count: 2, entities: shelf, box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: shelf, json: #"{"id":"s","owner":"o","name":"n"}"#)
            try await world.converge()
            try a.delete(entity: shelf, key: "s")
            b.clock.advance(seconds: 5)
            try b.put(entity: box, json: #"{"id":"b","title":"unseen","shelfId":"s"}"#)
            try await world.converge()
            let holder = try #require(world.devices.first { try !$0.journal().isEmpty })
            let entry = try #require(try holder.journal().first { $0.lost.key == RecordKey("b") })
            let error = #expect(throws: SyncError.self) { try holder.writer.restore(journal: entry.id) }
            #expect(error?.message == "That box record belongs to a shelf record that is deleted.")
            _ = try holder.writer.restore(journal: entry.id, withParents: true)
            try await convergeAndExpectSame(world, entities: shelf, box)
            #expect(try a.value(entity: box, key: "b", field: "title")?.string == "unseen")
            #expect(try a.value(entity: shelf, key: "s", field: "name")?.string == "n")
        }
    }

    @Test func bringingBackAChildOfAParentThatIsGoneIsRefusedWithTheReason() async throws {
        let (shelf, box) = (Self.shelf(), Self.box(rule: .cascade))
        try await withWorld(count: 2, entities: shelf, box, place: .folder) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: shelf, json: #"{"id":"s","owner":"o","name":"n"}"#)
            try await world.converge()
            try a.delete(entity: shelf, key: "s")
            b.clock.advance(seconds: 5)
            try b.put(entity: box, json: #"{"id":"b","title":"unseen","shelfId":"s"}"#)
            try await world.converge()
            let holder = try #require(world.devices.first { try !$0.journal().isEmpty })
            let entry = try #require(try holder.journal().first { $0.lost.key == RecordKey("b") })
            // Tombstones that all devices have are dropped.
            try holder.store.write(.full) { try $0.remove(entity: shelf, key: RecordKey("s")) }
            for withParents in [false, true] {
                let error = #expect(throws: SyncError.self) {
                    try holder.writer.restore(journal: entry.id, withParents: withParents)
                }
                #expect(
                    error?.message
                        == "That box record belongs to a shelf record of which nothing is left here."
                )
            }
            try holder.put(entity: shelf, json: #"{"id":"s","owner":"o","name":"again"}"#)
            _ = try holder.writer.restore(journal: entry.id)
            #expect(try holder.value(entity: box, key: "b", field: "title")?.string == "unseen")
        }
    }

    @Test func recordsThatClashOnASecondListTakeEditsOfOtherFields() async throws {
        let note = Entities.note(
            strategy: .lastWriteWins,
            fields: [FieldDescriptor(name: "place", type: .integer(), isNullable: true)],
            unique: [["title"], ["place"]]
        )
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"a","title":"one","place":7}"#)
            try b.put(entity: note, json: #"{"id":"b","title":"two","place":7}"#)
            try await world.converge()
            try a.put(entity: note, json: #"{"id":"a","body":"still writable"}"#)
            #expect(throws: SyncError.self) {
                try a.put(entity: note, json: #"{"id":"c","title":"three","place":7}"#)
            }
            try await convergeAndExpectSame(world, entities: note)
            #expect(try b.value(entity: note, key: "a", field: "body")?.string == "still writable")
        }
    }
}
