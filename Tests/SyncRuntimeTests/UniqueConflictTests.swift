import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Records that two devices create apart with the same unique values become one.
@Suite struct UniqueConflictTests {
    static func place(strategy: MergeStrategy) -> EntityDescriptor {
        Entities.note(
            strategy: strategy,
            fields: [FieldDescriptor(name: "place", type: .integer(), isRequired: true), Entities.tags],
            unique: [["place"]]
        )
    }

    @Test(arguments: MergeStrategy.allCases, permutations(values: [0, 1, 2]))
    func theSmallestKeySurvivesWhateverTheOrder(strategy: MergeStrategy, order: [Int]) async throws {
        for place in World.Place.allCases {
            let note = Self.place(strategy: strategy)
            try await withWorld(count: 3, entities: note, place: place) { world in
                for (index, key) in ["b", "a", "c"].enumerated() {
                    world.devices[index].clock.advance(seconds: Int64(index) * 10)
                    try world.devices[index].put(
                        entity: note,
                        json: #"{"id":"\#(key)","title":"by \#(key)","place":7,"tags":["\#(key)"]}"#
                    )
                }
                for index in order { try await world.sync(index) }
                try await world.converge(order: order)
                for device in world.devices {
                    let keys = try device.export(entity: note).map { String($0.prefix(9)) }
                    #expect(keys.count == 1, "\(order) on \(device.name)")
                    // Where a person decides, a key that the remote never held yields.
                    if strategy == .preserveLocal { continue }
                    #expect(keys == [#"{"id":"a""#], "\(order) on \(device.name)")
                    #expect(try device.value(entity: note, key: "b", field: "title") == nil)
                }
                try expectAllTitlesSomewhere(world, note: note)
                for device in world.devices {
                    for key in try device.conflicts(entity: note) {
                        try device.resolve(entity: note, key: key, resolution: .local)
                        try await world.converge(order: order)
                    }
                }
                let exports = try world.devices.map { try $0.export(entity: note) }
                #expect(exports[0] == exports[1] && exports[1] == exports[2], "\(order)")
                #expect(exports[0].count == 1)
            }
        }
    }

    @Test(arguments: MergeStrategy.allCases)
    func aDeletedSurvivorBringsNoHiddenRecordBack(strategy: MergeStrategy) async throws {
        let note = Self.place(strategy: strategy)
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"a","title":"same","place":7}"#)
            try b.put(entity: note, json: #"{"id":"b","title":"same","place":7}"#)
            try await world.converge()
            #expect(try b.export(entity: note).count == 1)
            try b.delete(entity: note, key: "b")
            try await world.converge()
            for device in world.devices { #expect(try device.export(entity: note).isEmpty) }
        }
    }

    @Test func equalContentIsMergedWithoutConflict() async throws {
        let note = Self.place(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: note) { world in
            try world.devices[0].put(entity: note, json: #"{"id":"a","title":"same","place":7}"#)
            world.devices[1].clock.advance(seconds: 60)
            try world.devices[1].put(entity: note, json: #"{"id":"b","title":"same","place":7}"#)
            try await world.converge()
            for device in world.devices {
                #expect(try device.conflicts(entity: note).isEmpty)
                #expect(try device.export(entity: note).count == 1)
            }
            #expect(try world.devices[0].export(entity: note) == world.devices[1].export(entity: note))
        }
    }

    @Test func anEditThatMovesAMergedRecordAwayBringsItBackAndHidesNothing() async throws {
        let note = Self.place(strategy: .lastWriteWins)
        try await withWorld(count: 3, entities: note, place: .folders) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"a","title":"one","place":7}"#)
            b.clock.advance(seconds: 10)
            try b.put(entity: note, json: #"{"id":"b","title":"two","place":7}"#)
            try await world.sync(0)
            try await world.sync(1)
            try world.deliver(from: 0, to: 2)
            try world.deliver(from: 1, to: 2)
            try await world.sync(2)
            #expect(try world.devices[2].export(entity: note).count == 1)
            // Meanwhile B, which has not seen A's record, moves its own elsewhere.
            try b.put(entity: note, json: #"{"id":"b","place":8}"#)
            try await world.converge()
            for device in world.devices {
                #expect(try device.export(entity: note).count == 2, "on \(device.name)")
                #expect(
                    try device.value(entity: note, key: "b", field: "title")?.string == "two",
                    "on \(device.name)"
                )
            }
            #expect(try world.devices[2].journal().contains { $0.lost.record.values[1]?.string == "one" })
        }
    }

    @Test func theMergeOfTwoEditsIsKeptWhenTheRecordIsResolvedAlone() async throws {
        let note = Self.place(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: note, place: .folders) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"a","title":"one","place":7}"#)
            try await world.converge()
            // One changes the tags alone, which meet by a rule of their own; the other the title, and publishes later.
            try a.put(entity: note, json: #"{"id":"a","tags":["kept"]}"#)
            try await world.sync(0)
            b.clock.advance(seconds: 60)
            try b.put(entity: note, json: #"{"id":"a","title":"two"}"#)
            try await world.sync(1)
            try world.deliver(from: 1, to: 0)
            try await world.sync(0)
            #expect(try a.value(entity: note, key: "a", field: "title")?.string == "two")
            #expect(try a.value(entity: note, key: "a", field: "tags")?.string == #"["kept"]"#)
        }
    }

    @Test func aSecondRecordWithTheSameValuesIsRefusedOnWrite() async throws {
        let note = Self.place(strategy: .preserveLocal)
        try await withWorld(count: 1, entities: note) { world in
            try world.devices[0].put(entity: note, json: #"{"id":"a","title":"one","place":7}"#)
            #expect(throws: SyncError.self) {
                try world.devices[0].put(entity: note, json: #"{"id":"b","title":"two","place":7}"#)
            }
            #expect(try world.devices[0].export(entity: note).count == 1)
        }
    }

    private func expectAllTitlesSomewhere(_ world: World, note: EntityDescriptor) throws {
        var found: Set<String> = []
        for device in world.devices {
            var versions = try device.journal().map(\.lost)
            for key in ["a", "b", "c"] {
                if let local = try device.local(entity: note, key: key) { versions.append(local.version) }
                if let remote = try device.store.read({
                    try $0.side(entity: note, key: RecordKey(key), kind: .remote)
                }) {
                    versions.append(remote)
                }
            }
            found.formUnion(versions.compactMap { $0.record.values[1]?.string })
        }
        #expect(found.isSuperset(of: ["by a", "by b", "by c"]))
    }
}
