import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// What is decided without a person takes nobody's words, and leaves what the schema asks for.
@Suite struct AutomaticDecisionTests {
    /// Notes with a unique group, which refer to other notes in the part that merges as a whole.
    private static let note = EntityDescriptor(
        name: "note",
        typeName: "Note",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "group", type: .string(), isRequired: true),
            FieldDescriptor(name: "links", type: .array(element: .string())),
            FieldDescriptor(name: "text", type: .string()),
        ],
        key: ["id"],
        strategy: .preserveLocal,
        unique: [["group"]],
        references: [ReferenceDescriptor(field: "links", entity: "note", onDelete: .keep)]
    )

    /// Both sides refer to the record that was merged, so that every device redirects both; the third device redirects
    /// the one that it has.
    @Test(arguments: [2, 3], [[0, 1, 2], [1, 0, 2], [1, 2, 0]])
    func aConflictKeepsBothSidesWhenTheirReferencesAreRedirected(count: Int, order: [Int]) async throws {
        let note = Self.note
        try await withWorld(count: count, entities: note) { world in
            for (device, (key, text)) in zip(world.devices, [("x", "HERE"), ("s", "THERE")]) {
                let json = #"{"id":"\#(key)","group":"g","links":["x","s"],"text":"\#(text)"}"#
                try device.put(entity: note, json: json)
            }
            for _ in 0..<3 { for index in order where index < count { try await world.sync(index) } }
            var found: Set<String> = []
            for device in world.devices {
                for key in try device.conflicts(entity: note) {
                    let side = try device.store.read {
                        try $0.side(entity: note, key: RecordKey(key), kind: .remote)
                    }
                    found.formUnion([side?.record.values[3]?.string].compactMap(\.self))
                }
                for key in ["x", "s"] {
                    let value = try device.value(entity: note, key: key, field: "text")
                    found.formUnion([value?.string].compactMap(\.self))
                }
                found.formUnion(try device.journal().compactMap(\.lost.record.values[3]?.string))
            }
            #expect(found == ["HERE", "THERE"])
        }
    }

    @Test func setsOfWhichEachPersonRemovesTheRestDoNotBecomeEmptyWhereTheSchemaForbidsIt() async throws {
        let tags = FieldType.array(element: .string(), isSet: true, minItems: 1)
        let entity = EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "tags", type: tags, isRequired: true),
            ],
            key: ["id"],
            strategy: .setUnion
        )
        try await withWorld(count: 3, entities: entity, place: .folders) { world in
            try world.devices[0].put(entity: entity, json: #"{"id":"n","tags":["a","b","c"]}"#)
            try await world.converge()
            for (device, tag) in zip(world.devices, ["a", "b"]) {
                device.clock.advance(seconds: 5)
                try device.put(entity: entity, json: #"{"id":"n","tags":["\#(tag)"]}"#)
            }
            // Both have sent before they hear of each other.
            for index in 0...1 { try await world.sync(index) }
            try await world.converge()
            let shown = try world.devices.map { try $0.export(entity: entity) }
            #expect(Set(shown) == [shown[0]] && !shown[0][0].contains("[]"))
            let words = try world.devices.flatMap { try $0.journal() }.map(\.lost.record.values[1])
            #expect(Set(words).count == 1, "the other person's set is in the journal")
        }
    }
}
