import SyncChecks
import SyncCore
import Testing

/// What a plausible engine gets wrong, as tests from the first day.
@Suite struct CounterexampleTests {
    @Test(
        arguments: [MergeStrategy.setUnion, .lastWriteWins, .preserveLocal],
        permutations(values: [0, 1, 2])
    )
    func aRemovalHoldsAndAnUnseenAddSurvives(strategy: MergeStrategy, order: [Int]) async throws {
        let note = Entities.note(strategy: strategy, fields: [Entities.tags])
        try await withWorld(count: 3, entities: note, place: .folders) { world in
            let (a, b, c) = (world.devices[0], world.devices[1], world.devices[2])
            try a.put(entity: note, json: #"{"id":"n","title":"t","tags":["x"]}"#)
            try await world.converge()
            b.clock.advance(seconds: 10)
            c.clock.advance(seconds: 20)
            try b.put(entity: note, json: #"{"id":"n","tags":[]}"#)
            try c.put(entity: note, json: #"{"id":"n","tags":["x","y"]}"#)
            // Both publish before they see each other.
            for index in order { try await world.sync(index) }
            try await world.converge(order: order)
            for device in world.devices {
                #expect(
                    try device.value(entity: note, key: "n", field: "tags")?.string == #"["y"]"#,
                    "on \(device.name)"
                )
                #expect(try device.conflicts(entity: note).isEmpty)
            }
        }
    }

    @Test(arguments: permutations(values: [0, 1, 2]), World.Place.allCases)
    func theLaterReadMarkWinsThoughAnotherFieldWasEditedLater(order: [Int], place: World.Place) async throws {
        let read = FieldDescriptor(name: "read", type: .integer())
        let note = Entities.note(strategy: .setUnion, fields: [read])
        try await withWorld(count: 3, entities: note, place: place) { world in
            try world.devices[0].put(entity: note, json: #"{"id":"n","title":"a","read":0}"#)
            try await world.converge()
            let edits = [#"{"id":"n","read":1}"#, #"{"id":"n","read":2}"#, #"{"id":"n","title":"b"}"#]
            for (index, edit) in edits.enumerated() {
                world.devices[index].clock.advance(seconds: Int64(index + 1) * 60)
                try world.devices[index].put(entity: note, json: edit)
            }
            for index in order { try await world.sync(index) }
            try await world.converge(order: order)
            for device in world.devices {
                #expect(
                    try device.value(entity: note, key: "n", field: "read") == .integer(2),
                    "on \(device.name)"
                )
                #expect(
                    try device.value(entity: note, key: "n", field: "title")?.string == "b",
                    "on \(device.name)"
                )
            }
        }
    }

    @Test(arguments: [MergeStrategy.setUnion, .lastWriteWins, .preserveLocal])
    func oneFarAheadClockCanBeOverwrittenAndDragsNoOtherRecordAlong(strategy: MergeStrategy) async throws {
        let note = Entities.note(strategy: strategy)
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try b.put(entity: note, json: #"{"id":"other","title":"right"}"#)
            a.clock.set(Timestamp("2030-01-01T00:00:00Z")!)
            try a.put(entity: note, json: #"{"id":"n","title":"from the future"}"#)
            try await world.converge()
            b.clock.advance(seconds: 5)
            let now = b.clock.now()
            try b.put(entity: note, json: #"{"id":"n","title":"later"}"#)
            try b.put(entity: note, json: #"{"id":"other","title":"edited"}"#)
            try await world.converge()
            for device in world.devices {
                #expect(try device.value(entity: note, key: "n", field: "title")?.string == "later")
                #expect(
                    try device.local(entity: note, key: "other")?.version.metadata.editTimestamp.time == now
                )
            }
        }
    }
}
