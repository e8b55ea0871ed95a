import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// A value that somebody wrote is written, also if the schema would have given it anyway.
@Suite struct ExplicitDefaultTests {
    private static func task(
        _ strategy: MergeStrategy,
        granularity: MergeGranularity,
        unique: Bool = false
    ) -> EntityDescriptor {
        EntityDescriptor(
            name: "task",
            typeName: "TaskItem",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "name", type: .string()),
                FieldDescriptor(name: "level", type: .string(), isRequired: true, defaultJSON: #""easy""#),
                FieldDescriptor(
                    name: "labels",
                    type: .array(element: .string(), isSet: true),
                    isRequired: true,
                    merge: .union,
                    defaultJSON: "[]"
                ),
            ] + Entities.times,
            key: ["id"],
            strategy: strategy,
            granularity: granularity,
            created: "createdAt",
            updated: "updatedAt",
            unique: unique ? [["name"]] : []
        )
    }

    /// Values of a field that a person finds: in records, conflicts and journals.
    private func found(_ field: String, entity: EntityDescriptor, in world: World) throws -> Set<String> {
        let index = try #require(entity.layout.position(of: field))
        var found: Set<String> = []
        for device in world.devices {
            try device.store.read { snapshot in
                var versions = try snapshot.journal().map(\.lost)
                try snapshot.scan(entity: entity, includeHidden: false) { versions.append($0.version) }
                for key in try snapshot.keys(entity: entity, in: .conflict, after: nil, limit: .max) {
                    versions += [try snapshot.side(entity: entity, key: key, kind: .remote)].compactMap { $0 }
                }
                found.formUnion(versions.compactMap { $0.record.values[index]?.string })
            }
        }
        return found
    }

    @Test(arguments: MergeStrategy.allCases, [MergeGranularity.record, .field])
    func aWrittenDefaultIsFoundAfterTwoMadeTheSameRecord(
        strategy: MergeStrategy,
        granularity: MergeGranularity
    ) async throws {
        for isUnique in [false, true] {
            let task = Self.task(strategy, granularity: granularity, unique: isUnique)
            for isFirst in [true, false] {
                for place in World.Place.allCases {
                    try await withWorld(count: 2, entities: task, place: place) { world in
                        let levels = isFirst ? ["hard", "easy"] : ["easy", "hard"]
                        for (index, device) in world.devices.enumerated() {
                            device.clock.advance(seconds: Int64(index) * 60)
                            let key = isUnique ? "k\(index)" : "k"
                            let json = #"{"id":"\#(key)","name":"n","level":"\#(levels[index])"}"#
                            _ = try device.put(entity: task, json: json)
                        }
                        try await world.converge()
                        #expect(try found("level", entity: task, in: world) == ["hard", "easy"])
                        for device in world.devices {
                            for key in try device.conflicts(entity: task) {
                                try device.resolve(entity: task, key: key, resolution: .local)
                            }
                        }
                        try await world.converge()
                        let shown = try world.devices.map { try $0.export(entity: task) }
                        #expect(Set(shown).count == 1)
                        #expect(try found("level", entity: task, in: world) == ["hard", "easy"])
                    }
                }
            }
        }
    }

    @Test(arguments: [MergeStrategy.lastWriteWins, .setUnion])
    func aFieldThatWasLeftOutGivesWayToAnyValue(strategy: MergeStrategy) async throws {
        let task = Self.task(strategy, granularity: .field)
        for isLeftOutLater in [true, false] {
            try await withWorld(count: 2, entities: task) { world in
                let records = [#"{"id":"k","level":"hard"}"#, #"{"id":"k"}"#]
                for (index, device) in world.devices.enumerated() {
                    device.clock.advance(seconds: Int64(index) * 60)
                    _ = try device.put(entity: task, json: records[isLeftOutLater ? index : 1 - index])
                }
                try await world.converge()
                for device in world.devices {
                    #expect(try device.value(entity: task, key: "k", field: "level")?.string == "hard")
                    #expect(try device.journal().isEmpty)
                }
            }
        }
    }
}
