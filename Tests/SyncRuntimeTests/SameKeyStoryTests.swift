import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Two people give the same key to records of their own.
@Suite struct SameKeyStoryTests {
    @Test(arguments: World.Place.allCases)
    func aRecordThatWasDeletedBeforeItWasSentMeetsAnotherOfItsKey(place: World.Place) async throws {
        let set = try #require(OutsideSchemas.relations.first { $0.name == "members-nullify" })
        let person = set.entities[0]
        try await withWorld(count: 2, entities: set.entities[0], set.entities[1], place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            for device in world.devices { device.clock.advance(seconds: 8) }
            try b.put(entity: person, json: #"{"id":"k3","name":"name-3"}"#)
            for device in world.devices { device.clock.advance(seconds: 8) }
            try a.put(entity: person, json: #"{"id":"k3","name":"name-3"}"#)
            for device in world.devices { device.clock.advance(seconds: 16) }
            try b.delete(entity: person, key: "k3")
            try await world.sync(1)
            try b.put(entity: set.entities[1], json: #"{"id":"k3","members":[],"readers":[]}"#)
            try await world.sync(1)
            try await world.sync(0)
            try world.deliver()
            try await world.sync(1)
            try await world.converge()
            let exports = try world.devices.map { try $0.export(entity: person) }
            #expect(exports[0] == exports[1])
        }
    }

    @Test(arguments: World.Place.allCases)
    func whatLostToAnEarlierRecordOfTheSameKeyIsBroughtBackWhole(place: World.Place) async throws {
        let score = EntityDescriptor(
            name: "score",
            typeName: "Score",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "title", type: .string(), isNullable: true),
                FieldDescriptor(name: "least", type: .integer(), merge: .min),
                FieldDescriptor(name: "best", type: .integer(), merge: .max),
            ] + Entities.times,
            key: ["id"],
            strategy: .preserveLocal,
            granularity: .field,
            created: "createdAt",
            updated: "updatedAt"
        )
        try await withWorld(count: 2, entities: score, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try b.put(entity: score, json: #"{"id":"k","title":"theirs","least":4,"best":5}"#)
            for device in world.devices { device.clock.advance(seconds: 8) }
            try a.put(entity: score, json: #"{"id":"k","title":"mine","least":9,"best":6}"#)
            try a.put(entity: score, json: #"{"id":"k","best":7}"#)
            try await world.sync(1)
            try world.deliver()
            try await world.sync(0)
            let entry = try #require(
                try a.journal().first { $0.lost.record.values.contains(.integer(9)) }
            )
            try a.writer.write { _ = try $0.restore(journal: entry.id) }
            #expect(try a.value(entity: score, key: "k", field: "least") == .integer(9))
        }
    }
}
