import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// A reference that was cleared because its record was deleted returns when that record lives again.
@Suite struct ClearedReferenceTests {
    fileprivate static func text(_ name: String) -> FieldDescriptor {
        FieldDescriptor(name: name, type: .string(), isNullable: true)
    }

    fileprivate static func entity(
        _ name: String,
        fields: [FieldDescriptor],
        strategy: MergeStrategy,
        granularity: MergeGranularity = .record,
        references: [ReferenceDescriptor] = []
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: name,
            typeName: "Some" + name,
            fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)] + fields
                + Entities.times,
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            created: "createdAt",
            updated: "updatedAt",
            references: references
        )
    }

    private func fill(_ device: World.Device, kind: MergeKind) throws {
        for key in ["l", "m"] {
            try device.put(entity: kind.label, json: #"{"id":"\#(key)","name":"\#(key)"}"#)
        }
        let json =
            #"{"id":"b","title":"box","labelId":"l","moreIds":["l","m"],"listIds":["m","l"]}"#
        try device.put(entity: kind.box, json: json)
    }

    /// Fills the first device, and deletes a label there that the box refers to; everybody sees the references cleared.
    private func clear(_ world: World, kind: MergeKind) async throws {
        try fill(world.devices[0], kind: kind)
        try await world.converge()
        try world.devices[0].delete(entity: kind.label, key: "l")
        try await world.converge()
    }

    private func expect(
        _ world: World,
        kind: MergeKind,
        labelId: String?,
        moreIds: String,
        listIds: String? = nil,
        _ comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for device in world.devices {
            let single = try device.value(entity: kind.box, key: "b", field: "labelId")
            let more = try device.value(entity: kind.box, key: "b", field: "moreIds")
            let list = try device.value(entity: kind.box, key: "b", field: "listIds")
            #expect(single?.string == labelId, comment, sourceLocation: sourceLocation)
            #expect(more?.string == moreIds, comment, sourceLocation: sourceLocation)
            if let listIds { #expect(list?.string == listIds, comment, sourceLocation: sourceLocation) }
        }
        let exports = try world.devices.map { try $0.export(entity: kind.box, includeHidden: true) }
        for export in exports { #expect(export == exports[0], sourceLocation: sourceLocation) }
    }

    /// Decides every conflict for the value that is no delete, or for that of the device that is asked.
    private func keepAll(_ world: World, kind: MergeKind) async throws {
        for device in world.devices {
            for entity in [kind.label, kind.box] {
                for key in try device.conflicts(entity: entity) {
                    let isDeleted = try device.local(entity: entity, key: key)?.version.isDeleted == true
                    try device.resolve(entity: entity, key: key, resolution: isDeleted ? .remote : .local)
                }
            }
        }
        try await world.converge()
    }

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func aReferenceReturnsWhenAnUnseenEditKeepsItsTarget(place: World.Place, kind: MergeKind) async throws {
        for order in permutations(values: [0, 1, 2]) {
            try await withWorld(count: 3, entities: kind.label, kind.box, place: place) { world in
                let (a, b) = (world.devices[0], world.devices[1])
                try fill(a, kind: kind)
                try await world.converge()
                try a.delete(entity: kind.label, key: "l")
                b.clock.advance(seconds: 60)
                try b.put(entity: kind.label, json: #"{"id":"l","name":"edited"}"#)
                try await world.converge(order: order)
                try await keepAll(world, kind: kind)
                try expect(
                    world,
                    kind: kind,
                    labelId: "l",
                    moreIds: #"["l","m"]"#,
                    listIds: #"["m","l"]"#,
                    "\(order)"
                )
            }
        }
    }

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func aReferenceReturnsWhenItsTargetIsMadeAgain(place: World.Place, kind: MergeKind) async throws {
        try await withWorld(count: 2, entities: kind.label, kind.box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try await clear(world, kind: kind)
            try expect(world, kind: kind, labelId: nil, moreIds: #"["m"]"#, listIds: #"["m"]"#)
            try b.put(entity: kind.box, json: #"{"id":"b","title":"renamed"}"#)
            try await world.converge()
            try b.put(entity: kind.label, json: #"{"id":"l","name":"again"}"#)
            #expect(try b.value(entity: kind.box, key: "b", field: "labelId")?.string == "l", "at once")
            try await world.converge()
            try expect(world, kind: kind, labelId: "l", moreIds: #"["l","m"]"#, listIds: #"["m","l"]"#)
            #expect(try a.value(entity: kind.box, key: "b", field: "title")?.string == "renamed")
            // And once more: a reference that has returned is as any other.
            try b.delete(entity: kind.label, key: "l")
            try await world.converge()
            try expect(world, kind: kind, labelId: nil, moreIds: #"["m"]"#)
            try a.put(entity: kind.label, json: #"{"id":"l","name":"third"}"#)
            try await world.converge()
            try expect(world, kind: kind, labelId: "l", moreIds: #"["l","m"]"#)
        }
    }

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func aReferenceThatReturnsIsNoConflictWithAnEditOfAnotherField(place: World.Place, kind: MergeKind)
        async throws
    {
        try await withWorld(count: 2, entities: kind.label, kind.box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try await clear(world, kind: kind)
            try a.put(entity: kind.label, json: #"{"id":"l","name":"anew"}"#)
            b.clock.advance(seconds: 60)
            try b.put(entity: kind.box, json: #"{"id":"b","title":"edited"}"#)
            try await world.converge()
            for device in world.devices {
                #expect(try device.conflicts(entity: kind.box) == [], "on \(device.name)")
                let title = try device.value(entity: kind.box, key: "b", field: "title")
                #expect(title?.string == "edited", "on \(device.name)")
                let label = try device.value(entity: kind.box, key: "b", field: "labelId")
                #expect(label?.string == "l", "on \(device.name)")
            }
        }
    }

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func whatAPersonSetMeanwhileStays(place: World.Place, kind: MergeKind) async throws {
        try await withWorld(count: 2, entities: kind.label, kind.box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, kind: kind)
            try await world.converge()
            try a.delete(entity: kind.label, key: "l")
            try await world.converge()
            try b.put(entity: kind.box, json: #"{"id":"b","labelId":"m","moreIds":[]}"#)
            try await world.converge()
            try a.put(entity: kind.label, json: #"{"id":"l","name":"again"}"#)
            try await world.converge()
            try expect(world, kind: kind, labelId: "m", moreIds: #"["l"]"#, "only what was cleared returns")
        }
    }

    @Test(arguments: World.Place.allCases, MergeKind.allCases)
    func aKeyThatAPersonTookOutMeanwhileStaysOut(place: World.Place, kind: MergeKind) async throws {
        try await withWorld(count: 2, entities: kind.label, kind.box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try fill(a, kind: kind)
            try await world.converge()
            b.clock.advance(seconds: 60)
            try b.put(entity: kind.box, json: #"{"id":"b","labelId":"m","moreIds":["m"]}"#)
            try a.delete(entity: kind.label, key: "l")
            try await world.converge()
            try await keepAll(world, kind: kind)
            try a.put(entity: kind.label, json: #"{"id":"l","name":"again"}"#)
            try await world.converge()
            try expect(world, kind: kind, labelId: "m", moreIds: #"["m"]"#)
        }
    }

    @Test func aClearedReferenceIsInTheJournalUntilItReturns() async throws {
        let kind = MergeKind.wholeRecord
        try await withWorld(count: 1, entities: kind.label, kind.box) { world in
            let device = world.devices[0]
            try fill(device, kind: kind)
            try device.delete(entity: kind.label, key: "l")
            let entries = try device.journal().filter { $0.rule == "nullify" }
            #expect(entries.count == 3)
            #expect(entries.contains { $0.lost.record.values.contains(.text("l")) })
            try device.put(entity: kind.label, json: #"{"id":"l","name":"again"}"#)
            #expect(try device.journal().filter { $0.rule == "nullify" }.isEmpty)
        }
    }

    @Test func aClearedReferenceIsRestoredFromTheJournalTogetherWithItsTarget() async throws {
        let kind = MergeKind.wholeRecord
        try await withWorld(count: 2, entities: kind.label, kind.box) { world in
            let device = world.devices[0]
            try fill(device, kind: kind)
            try await world.converge()
            try device.delete(entity: kind.label, key: "l")
            let entry = try #require(
                try device.journal().first {
                    $0.rule == "nullify" && $0.lost.record.values.contains(.text("l"))
                }
            )
            #expect(throws: SyncError.self) { try device.writer.restore(journal: entry.id) }
            _ = try device.writer.restore(journal: entry.id, withParents: true)
            try await world.converge()
            try expect(world, kind: kind, labelId: "l", moreIds: #"["l","m"]"#)
        }
    }

    @Test(arguments: World.Place.allCases)
    func aReferenceReturnsToTheSurvivorOfItsTarget(place: World.Place) async throws {
        let kind = MergeKind.byField
        let label = EntityDescriptor(
            name: "label",
            typeName: "Label",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "name", type: .string(), isRequired: true),
            ] + Entities.times,
            key: ["id"],
            strategy: .lastWriteWins,
            created: "createdAt",
            updated: "updatedAt",
            unique: [["name"]]
        )
        try await withWorld(count: 2, entities: label, kind.box, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: label, json: #"{"id":"z","name":"red"}"#)
            try a.put(entity: kind.box, json: #"{"id":"b","labelId":"z","moreIds":["z"]}"#)
            try await world.converge()
            try a.delete(entity: label, key: "z")
            try a.put(entity: label, json: #"{"id":"a","name":"red"}"#)
            b.clock.advance(seconds: 60)
            try b.put(entity: kind.box, json: #"{"id":"b","title":"unseen"}"#)
            try b.put(entity: label, json: #"{"id":"z","name":"red","createdAt":"2020-01-01T00:00:00Z"}"#)
            try await world.converge()
            for device in world.devices {
                #expect(try device.export(entity: label).count == 1)
                #expect(try device.value(entity: kind.box, key: "b", field: "labelId")?.string == "a")
                #expect(try device.value(entity: kind.box, key: "b", field: "moreIds")?.string == #"["a"]"#)
            }
        }
    }
}

extension MergeKind {
    fileprivate var label: EntityDescriptor {
        ClearedReferenceTests.entity(
            "label",
            fields: [ClearedReferenceTests.text("name")],
            strategy: strategy,
            granularity: granularity
        )
    }

    fileprivate var box: EntityDescriptor {
        ClearedReferenceTests.entity(
            "box",
            fields: [
                ClearedReferenceTests.text("title"), ClearedReferenceTests.text("labelId"),
                FieldDescriptor(
                    name: "moreIds",
                    type: .array(element: .string(), isSet: true),
                    merge: .union
                ),
                FieldDescriptor(name: "listIds", type: .array(element: .string())),
            ],
            strategy: strategy,
            granularity: granularity,
            references: ["labelId", "moreIds", "listIds"].map {
                ReferenceDescriptor(field: $0, entity: "label", onDelete: .nullify)
            }
        )
    }
}
