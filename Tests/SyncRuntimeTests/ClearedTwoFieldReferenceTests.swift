import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// A reference of two fields, of which a delete clears the one that names it: the other one stays, and may be edited.
@Suite struct ClearedTwoFieldReferenceTests {
    private func text(_ name: String, isKey: Bool = false) -> FieldDescriptor {
        FieldDescriptor(name: name, type: .string(), isNullable: !isKey, isRequired: isKey)
    }

    private func drawer(_ kind: MergeKind) -> EntityDescriptor {
        EntityDescriptor(
            name: "drawer",
            typeName: "SomeDrawer",
            fields: [text("room", isKey: true), text("number", isKey: true), text("name")] + Entities.times,
            key: ["room", "number"],
            strategy: kind.strategy,
            granularity: kind.granularity,
            created: "createdAt",
            updated: "updatedAt"
        )
    }

    private func box(_ kind: MergeKind) -> EntityDescriptor {
        EntityDescriptor(
            name: "box",
            typeName: "SomeBox",
            fields: [text("id", isKey: true), text("room"), text("drawer"), text("title")] + Entities.times,
            key: ["id"],
            strategy: kind.strategy,
            granularity: kind.granularity,
            created: "createdAt",
            updated: "updatedAt",
            references: [
                ReferenceDescriptor(
                    field: "drawer",
                    entity: "drawer",
                    onDelete: .nullify,
                    fields: ["room", "drawer"]
                )
            ]
        )
    }

    /// Puts a box into a drawer that is deleted, lets a person edit the box, and makes the drawer again.
    private func play(
        place: World.Place,
        kind: MergeKind,
        edit: String,
        leaves expected: (room: String?, drawer: String?)
    ) async throws {
        let (drawer, box) = (drawer(kind), box(kind))
        try await withWorld(count: 2, entities: drawer, box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: drawer, json: #"{"room":"kitchen","number":"1"}"#)
            try a.put(entity: box, json: #"{"id":"b","room":"kitchen","drawer":"1","title":"t"}"#)
            try await world.converge()
            try a.delete(entity: drawer, key: #"["kitchen","1"]"#)
            try await world.converge()
            b.clock.advance(seconds: 60)
            try b.put(entity: box, json: edit)
            try await world.converge()
            a.clock.advance(seconds: 120)
            try a.put(entity: drawer, json: #"{"room":"kitchen","number":"1"}"#)
            try await world.converge()
            for device in world.devices {
                let room = try device.value(entity: box, key: "b", field: "room")?.string
                let number = try device.value(entity: box, key: "b", field: "drawer")?.string
                #expect(room == expected.room && number == expected.drawer)
            }
            #expect(try a.export(entity: box) == b.export(entity: box))
        }
    }

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func whatAPersonWroteIntoTheOtherFieldStays(place: World.Place, kind: MergeKind) async throws {
        try await play(place: place, kind: kind, edit: #"{"id":"b","room":"hall"}"#, leaves: ("hall", nil))
    }

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func anEditOfAnythingElseLetsItReturn(place: World.Place, kind: MergeKind) async throws {
        try await play(place: place, kind: kind, edit: #"{"id":"b","title":"new"}"#, leaves: ("kitchen", "1"))
    }
}
