import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Stories that were played from outside: what a person decides takes nothing away unseen.
@Suite struct DecisionStoryTests {
    private static func task(strategy: MergeStrategy, bodyRule: MergeRule? = nil) -> EntityDescriptor {
        EntityDescriptor(
            name: "task",
            typeName: "TaskItem",
            fields: [
                FieldDescriptor(name: "id", type: .string(), isRequired: true),
                FieldDescriptor(name: "title", type: .string(), isRequired: true),
                FieldDescriptor(name: "body", type: .string(), isNullable: true, merge: bodyRule),
                FieldDescriptor(name: "done", type: .boolean, isNullable: true),
            ] + Entities.times,
            key: ["id"],
            strategy: strategy,
            granularity: .field,
            created: "createdAt",
            updated: "updatedAt"
        )
    }

    @Test(arguments: World.Place.allCases)
    func wordsOfARecordThatWasDeletedElsewhereCanBeBroughtBack(place: World.Place) async throws {
        let task = Self.task(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: task, place: place) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: task, json: #"{"id":"t","title":"t0"}"#)
            try await world.converge()
            try a.put(entity: task, json: #"{"id":"t","title":"by a"}"#)
            try a.delete(entity: task, key: "t")
            b.clock.advance(seconds: 5)
            try b.put(entity: task, json: #"{"id":"t","title":"by b"}"#)
            try await world.sync(0)
            try world.deliver()
            try await world.sync(1)
            try #require(try b.conflicts(entity: task) == ["t"])
            try b.resolve(entity: task, key: "t", resolution: .local)
            try await world.converge()
            #expect(try b.value(entity: task, key: "t", field: "title")?.string == "by b")
            let lost = try b.journal().map(\.lost)
            #expect(lost.map { $0.record.values[1]?.string } == ["by a"])
            #expect(lost.allSatisfy { !$0.isDeleted })
        }
    }

    @Test(arguments: [false, true], World.Place.allCases)
    func fieldsThatDoNotConflictMergeAtOnceAndStayMerged(isByRule: Bool, place: World.Place) async throws {
        let task =
            isByRule
            ? Self.task(strategy: .lastWriteWins, bodyRule: .preserveLocal)
            : Self.task(strategy: .preserveLocal)
        for keepsLocal in [true, false] {
            try await withWorld(count: 2, entities: task, place: place) { world in
                let (a, b) = (world.devices[0], world.devices[1])
                try a.put(entity: task, json: #"{"id":"t","title":"t0","body":"b0","done":false}"#)
                try await world.converge()
                try a.put(entity: task, json: #"{"id":"t","title":"by a","body":"by a"}"#)
                b.clock.advance(seconds: 5)
                try b.put(entity: task, json: #"{"id":"t","body":"by b","done":true}"#)
                try await world.sync(0)
                try world.deliver()
                try await world.sync(1)
                #expect(try b.conflicts(entity: task) == ["t"])
                #expect(
                    try b.value(entity: task, key: "t", field: "title")?.string == "by a",
                    "merged at once"
                )
                try b.resolve(entity: task, key: "t", resolution: keepsLocal ? .local : .remote)
                try await world.converge()
                for device in world.devices {
                    #expect(try device.value(entity: task, key: "t", field: "title")?.string == "by a")
                    #expect(try device.value(entity: task, key: "t", field: "done") == .boolean(true))
                    #expect(
                        try device.value(entity: task, key: "t", field: "body")?.string
                            == (keepsLocal ? "by b" : "by a")
                    )
                    #expect(try device.conflicts(entity: task).isEmpty)
                }
                let lost = try b.journal().compactMap { $0.lost.record.values[2]?.string }
                #expect(lost.contains(keepsLocal ? "by a" : "by b"), "what was given up can be brought back")
            }
        }
    }

    @Test func aDecisionReplacesOnlyTheVersionsThatWereShown() async throws {
        let note = Entities.note(strategy: .preserveLocal)
        try await withWorld(count: 3, entities: note, place: .folders) { world in
            try world.devices[0].put(entity: note, json: #"{"id":"n","title":"base"}"#)
            try await world.converge()
            for (index, device) in world.devices.enumerated() {
                device.clock.advance(seconds: Int64(index + 1) * 10)
                try device.put(entity: note, json: #"{"id":"n","title":"by \#(device.name)"}"#)
                try await world.sync(index)
            }
            try await world.converge()
            let (a, b, c) = (world.devices[0], world.devices[1], world.devices[2])
            for device in [a, b] { #expect(try device.conflicts(entity: note) == ["n"]) }
            #expect(try c.conflicts(entity: note).isEmpty)
            try a.resolve(entity: note, key: "n", resolution: .local)
            try await world.converge()
            #expect(try b.conflicts(entity: note) == ["n"], "B was not asked yet")
            #expect(try b.value(entity: note, key: "n", field: "title")?.string == "by B")
            #expect(try a.journal().contains { $0.lost.record.values[1]?.string == "by C" })
            try b.resolve(entity: note, key: "n", resolution: .remote)
            try await world.converge()
            for device in world.devices {
                #expect(try device.value(entity: note, key: "n", field: "title")?.string == "by A")
                #expect(try device.conflicts(entity: note).isEmpty)
            }
            #expect(try b.journal().contains { $0.lost.record.values[1]?.string == "by B" })
        }
    }

    @Test(arguments: MergeStrategy.allCases, [[0, 1], [1, 0]])
    func anEditThatReturnsToTheBaseIsAnEditInEveryOrder(strategy: MergeStrategy, order: [Int]) async throws {
        let note = Entities.note(strategy: strategy, fields: [Entities.tags])
        for place in World.Place.allCases {
            try await withWorld(count: 2, entities: note, place: place) { world in
                let (a, b) = (world.devices[0], world.devices[1])
                try a.put(entity: note, json: #"{"id":"n","title":"t","tags":["x","y"]}"#)
                try await world.converge()
                a.clock.advance(seconds: 10)
                b.clock.advance(seconds: 20)
                try a.put(entity: note, json: #"{"id":"n","tags":["y"]}"#)
                try b.put(entity: note, json: #"{"id":"n","tags":["y"]}"#)
                try b.put(entity: note, json: #"{"id":"n","tags":["x","y"]}"#)
                for index in order { try await world.sync(index) }
                try await world.converge(order: order)
                for device in world.devices {
                    #expect(
                        try device.value(entity: note, key: "n", field: "tags")?.string == #"["x","y"]"#,
                        "\(place) \(order)"
                    )
                }
            }
        }
    }

    @Test func aDecisionAboutAVersionThatNobodySawIsAskedAgain() async throws {
        let note = Entities.note(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"n","title":"base"}"#)
            try await world.converge()
            try a.put(entity: note, json: #"{"id":"n","title":"a1"}"#)
            try b.put(entity: note, json: #"{"id":"n","title":"b1"}"#)
            try await world.sync(0)
            try await world.sync(1)
            let shown = try #require(
                try b.store.read { try $0.side(entity: note, key: RecordKey("n"), kind: .remote) }
            ).metadata
                .editTimestamp
            try a.put(entity: note, json: #"{"id":"n","title":"a2"}"#)
            try await world.sync(0)
            try await world.sync(1)
            #expect(throws: SyncError.conflictChanged(entity: "note")) {
                try b.writer.resolve(entity: note, key: RecordKey("n"), with: .local, answering: shown)
            }
            #expect(try b.conflicts(entity: note) == ["n"])
            let present = try #require(
                try b.store.read { try $0.side(entity: note, key: RecordKey("n"), kind: .remote) }
            ).metadata
                .editTimestamp
            try b.writer.resolve(entity: note, key: RecordKey("n"), with: .local, answering: present)
            #expect(try b.journal().contains { $0.lost.record.values[1]?.string == "a2" })
        }
    }
}
