import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// A delete that met an edit, and for which a person decides after children of the record have come from elsewhere.
@Suite struct DecidedDeleteTests {
    private func entity(
        _ name: String,
        field: String,
        strategy: MergeStrategy,
        references: [ReferenceDescriptor] = []
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: name,
            typeName: "Some" + name,
            fields: ["id", field].map {
                FieldDescriptor(name: $0, type: .string(), isNullable: $0 != "id", isRequired: $0 == "id")
            } + Entities.times,
            key: ["id"],
            strategy: strategy,
            created: "createdAt",
            updated: "updatedAt",
            references: references
        )
    }

    @Test(arguments: World.Place.allCases, [MergeStrategy.setUnion, .lastWriteWins, .preserveLocal])
    func itTakesTheChildrenThatCameMeanwhile(place: World.Place, strategy: MergeStrategy) async throws {
        let label = entity("label", field: "name", strategy: .preserveLocal)
        let reference = ReferenceDescriptor(field: "labelId", entity: "label", onDelete: .cascade)
        let box = entity("box", field: "labelId", strategy: strategy, references: [reference])
        try await withWorld(count: 3, entities: label, box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: label, json: #"{"id":"l","name":"first"}"#)
            try await world.converge()
            try b.delete(entity: label, key: "l")
            b.clock.advance(seconds: 30)
            try a.put(entity: box, json: #"{"id":"b","labelId":"l"}"#)
            try a.put(entity: label, json: #"{"id":"l","name":"edited"}"#)
            try await world.converge()
            try #require(try b.conflicts(entity: label) == ["l"])
            b.clock.advance(seconds: 30)
            try b.resolve(entity: label, key: "l", resolution: .local)
            try await world.converge()
            for device in world.devices {
                #expect(try device.conflicts(entity: box).isEmpty, "\(device.name)")
                #expect(try device.local(entity: label, key: "l")?.visibility != .live, "\(device.name)")
                #expect(try device.local(entity: box, key: "b")?.visibility != .live, "\(device.name)")
            }
        }
    }
}
