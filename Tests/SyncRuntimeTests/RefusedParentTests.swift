import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// A record that was deleted everywhere and made anew here, but that the server refuses: nobody else has it, so nothing
/// is concluded from it until the server takes it.
@Suite struct RefusedParentTests {
    private func label(maxLength: Int? = nil) -> EntityDescriptor {
        EntityDescriptor(
            name: "label",
            typeName: "SomeLabel",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "name", type: .string(maxLength: maxLength), isNullable: true),
            ] + Entities.times,
            key: ["id"],
            strategy: .lastWriteWins,
            created: "createdAt",
            updated: "updatedAt"
        )
    }

    private func box(onDelete: DeleteRule) -> EntityDescriptor {
        EntityDescriptor(
            name: "box",
            typeName: "SomeBox",
            fields: ["id", "labelId"].map {
                FieldDescriptor(name: $0, type: .string(), isNullable: $0 != "id", isRequired: $0 == "id")
            } + Entities.times,
            key: ["id"],
            strategy: .lastWriteWins,
            created: "createdAt",
            updated: "updatedAt",
            references: [ReferenceDescriptor(field: "labelId", entity: "label", onDelete: onDelete)]
        )
    }

    @Test(arguments: [DeleteRule.nullify, .cascade])
    func devicesComeToRestBesideIt(onDelete: DeleteRule) async throws {
        let (label, box) = (label(), box(onDelete: onDelete))
        let served = [self.label(maxLength: 4), box]
        try await withWorld(count: 2, entities: label, box, served: served, place: .server) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: label, json: #"{"id":"l","name":"good"}"#)
            try a.put(entity: box, json: #"{"id":"first","labelId":"l"}"#)
            try await world.converge()
            try a.delete(entity: label, key: "l")
            b.clock.advance(seconds: 60)
            try b.put(entity: box, json: #"{"id":"second","labelId":"l"}"#)
            _ = try await world.sync(0)
            a.clock.advance(seconds: 60)
            try a.put(entity: label, json: #"{"id":"l","name":"refused"}"#)
            try await world.converge()
            #expect(try a.local(entity: label, key: "l")?.state == .rejected)
            // Once the server takes it, everything that its delete took comes back everywhere.
            try a.put(entity: label, json: #"{"id":"l","name":"nice"}"#)
            try await world.converge()
            for device in world.devices {
                for key in ["first", "second"] {
                    let value = try device.value(entity: box, key: key, field: "labelId")
                    #expect(value?.string == "l", "\(key) on \(device.name)")
                    #expect(try device.local(entity: box, key: key)?.visibility == .live)
                }
            }
        }
    }
}
