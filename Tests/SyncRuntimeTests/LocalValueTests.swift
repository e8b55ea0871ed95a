import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// What a person keeps to one device is found in its journal if the record goes because of somebody else.
@Suite struct LocalValueTests {
    private static func note(_ strategy: MergeStrategy) -> EntityDescriptor {
        Entities.note(
            strategy: strategy,
            fields: [
                FieldDescriptor(name: "place", type: .integer(), isRequired: true),
                FieldDescriptor(name: "draft", type: .string(), isLocalOnly: true),
            ],
            unique: [["place"]]
        )
    }

    private func drafts(_ device: World.Device, in note: EntityDescriptor) throws -> Set<String> {
        let draft = try #require(note.fields.firstIndex { $0.name == "draft" })
        return Set(try device.journal().compactMap { $0.lost.record.values[draft]?.string })
    }

    @Test(arguments: MergeStrategy.allCases, permutations(values: [0, 1]))
    func aDraftStaysWithItsDeviceIfItsRecordIsMergedIntoAnother(strategy: MergeStrategy, order: [Int])
        async throws
    {
        let note = Self.note(strategy)
        for place in World.Place.allCases {
            try await withWorld(count: 2, entities: note, place: place) { world in
                let (a, b) = (world.devices[0], world.devices[1])
                try a.put(entity: note, json: #"{"id":"a","title":"same","place":7,"draft":"word1"}"#)
                try b.put(entity: note, json: #"{"id":"b","title":"same","place":7,"draft":"word2"}"#)
                for index in order { try await world.sync(index) }
                try await world.converge(order: order)
                for (device, word) in [(a, "word1"), (b, "word2")] {
                    let shown = try ["a", "b"].compactMap {
                        try device.value(entity: note, key: $0, field: "draft")?.string
                    }
                    let kept = try drafts(device, in: note)
                    #expect(shown == [word] || kept.contains(word), "\(place) \(order) \(device.name)")
                }
            }
        }
    }

    @Test(arguments: MergeStrategy.allCases)
    func aDraftIsInTheJournalAndComesBackIfAnotherDeviceDeletesItsRecord(strategy: MergeStrategy)
        async throws
    {
        let note = Self.note(strategy)
        for place in World.Place.allCases {
            try await withWorld(count: 2, entities: note, place: place) { world in
                let (a, b) = (world.devices[0], world.devices[1])
                try a.put(entity: note, json: #"{"id":"a","title":"t","place":7}"#)
                try await world.converge()
                try b.put(entity: note, json: #"{"id":"a","title":"t","place":7,"draft":"word1"}"#)
                try a.delete(entity: note, key: "a")
                try await world.converge()
                #expect(try b.export(entity: note).isEmpty)
                #expect(try drafts(b, in: note) == ["word1"], "\(place)")
                #expect(try drafts(a, in: note) == [])
                let entry = try #require(try b.journal().first)
                #expect(entry.rule == "gone-elsewhere")
                _ = try b.writer.restore(journal: entry.id)
                #expect(try b.value(entity: note, key: "a", field: "draft")?.string == "word1")
                try await world.converge()
                #expect(try a.value(entity: note, key: "a", field: "title")?.string == "t")
                #expect(try a.value(entity: note, key: "a", field: "draft") == nil)
            }
        }
    }

    @Test func whoDeletesARecordGivesItsDraftUp() async throws {
        let note = Self.note(.lastWriteWins)
        try await withWorld(count: 1, entities: note) { world in
            let device = world.devices[0]
            try device.put(entity: note, json: #"{"id":"a","title":"t","place":7,"draft":"word1"}"#)
            try await world.converge()
            try device.delete(entity: note, key: "a")
            try await world.converge()
            #expect(try device.journal().isEmpty)
        }
    }

    /// Bringing a shared value back leaves what was kept to the device since.
    @Test func aRestoreLeavesALaterDraft() async throws {
        let note = Self.note(.lastWriteWins)
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"a","title":"t","place":7}"#)
            try await world.converge()
            try a.put(entity: note, json: #"{"id":"a","title":"word1","place":7,"draft":"word2"}"#)
            b.clock.advance(seconds: 60)
            try b.put(entity: note, json: #"{"id":"a","title":"word3","place":7}"#)
            try await world.sync(1)
            try await world.sync(0)
            try a.put(entity: note, json: #"{"id":"a","draft":"word4"}"#)
            let entry = try #require(try a.journal().first)
            _ = try a.writer.restore(journal: entry.id)
            #expect(try a.value(entity: note, key: "a", field: "title")?.string == "word1")
            #expect(try a.value(entity: note, key: "a", field: "draft")?.string == "word4")
        }
    }
}
