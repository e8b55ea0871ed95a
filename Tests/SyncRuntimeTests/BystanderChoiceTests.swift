import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// A person's choice decides about what their own device wrote. What others wrote meets as without it, also where this device
/// is the first to see both.
@Suite struct BystanderChoiceTests {
    private static let choices: [Bool?] = [nil, true, false]

    @Test(arguments: [MergeStrategy.lastWriteWins, .preserveLocal])
    func recordsOfOthersThatShareAUniqueValueMeetAsTheSchemaSays(strategy: MergeStrategy) async throws {
        let entity = Entities.note(strategy: strategy, unique: [["title"]])
        var outcomes: Set<String> = []
        for choice in Self.choices {
            try await withWorld(count: 3, entities: entity, place: .folders) { world in
                world.devices[2].prefersRecent.use { $0 = choice }
                try world.devices[0].put(entity: entity, json: #"{"id":"k1","title":"t","body":"word1"}"#)
                world.devices[1].clock.advance(seconds: 5)
                try world.devices[1].put(entity: entity, json: #"{"id":"k2","title":"t","body":"word2"}"#)
                outcomes.insert(try await outcome(of: world))
            }
        }
        #expect(outcomes.count == 1, "\(outcomes)")
        if strategy == .lastWriteWins {
            #expect(outcomes.first?.contains("word1") == false, "the later one wins")
        }
    }

    @Test(arguments: [MergeStrategy.lastWriteWins, .preserveLocal])
    func aChildOfAnotherMeetsTheDeleteOfItsParentAsTheSchemaSays(strategy: MergeStrategy) async throws {
        let box = EntityDescriptor(
            name: "box",
            typeName: "Box",
            fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)],
            key: ["id"],
            strategy: .lastWriteWins
        )
        let item = EntityDescriptor(
            name: "item",
            typeName: "Item",
            fields: ["id", "boxId", "body"].map {
                FieldDescriptor(name: $0, type: .string(), isRequired: true)
            },
            key: ["id"],
            strategy: strategy,
            references: [ReferenceDescriptor(field: "boxId", entity: "box", onDelete: .cascade)]
        )
        var outcomes: Set<String> = []
        for choice in Self.choices {
            try await withWorld(count: 3, entities: box, item, place: .folders) { world in
                try world.devices[0].put(entity: box, json: #"{"id":"b"}"#)
                try await world.converge()
                world.devices[2].prefersRecent.use { $0 = choice }
                for device in world.devices { device.clock.advance(seconds: 5) }
                try world.devices[1].put(entity: item, json: #"{"id":"i","boxId":"b","body":"word1"}"#)
                try world.devices[0].delete(entity: box, key: "b")
                outcomes.insert(try await outcome(of: world))
            }
        }
        #expect(outcomes.count == 1, "\(outcomes)")
        #expect(outcomes.first?.contains("conflicts [\"i\"]") == (strategy == .preserveLocal), "\(outcomes)")
    }

    /// What everybody sees, and who is asked, when the first two have sent their edits and the third saw both first.
    private func outcome(of world: World) async throws -> String {
        for index in 0..<2 { _ = try await world.sync(index) }
        try world.deliver()
        _ = try await world.sync(2)
        try world.deliver()
        try await world.converge()
        return try world.devices.map { device in
            try world.entities.map { entity in
                "\(device.name) \(try device.export(entity: entity)) conflicts "
                    + "\(try device.conflicts(entity: entity).map { "\($0)" })"
            }
            .joined()
        }
        .joined(separator: "\n")
    }
}
