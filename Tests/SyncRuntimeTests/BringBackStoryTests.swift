import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// Stories of people who bring back what a decision took away: what it replaces is not lost in turn.
@Suite struct BringBackStoryTests {
    private static let bodies = 2
    private static let titles = 1

    /// Two devices edit a record apart, and the edit of `b` loses on `b`. Gives its journal entry.
    private func loser(
        in world: World,
        entity: EntityDescriptor,
        early: String = #"{"id":"n","title":"early"}"#,
        late: String = #"{"id":"n","title":"late"}"#
    ) async throws -> JournalEntry {
        let (a, b) = (world.devices[0], world.devices[1])
        try a.put(entity: entity, json: #"{"id":"n","title":"base","body":"base body"}"#)
        try await world.converge()
        try b.put(entity: entity, json: early)
        a.clock.advance(seconds: 60)
        b.clock.advance(seconds: 60)
        try a.put(entity: entity, json: late)
        try await world.converge()
        return try #require(try b.journal().first)
    }

    private func journaled(_ device: World.Device, field: Int) throws -> [String] {
        try device.journal().compactMap { $0.lost.record.values[field]?.string }
    }

    @Test(arguments: [MergeStrategy.lastWriteWins, .setUnion])
    func whatAnotherWroteLaterIsInTheJournalOnceItIsReplaced(strategy: MergeStrategy) async throws {
        let note = Entities.note(strategy: strategy)
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            let entry = try await loser(in: world, entity: note)
            try a.put(entity: note, json: #"{"id":"n","title":"later still"}"#)
            try await world.converge()
            #expect(try b.writer.restore(journal: entry.id).isChanged)
            #expect(try b.value(entity: note, key: "n", field: "title") == .text("early"))
            #expect(try journaled(b, field: Self.titles).contains("later still"))
            try await world.converge()
            for device in world.devices {
                #expect(try device.value(entity: note, key: "n", field: "title") == .text("early"))
            }
        }
    }

    @Test func anUnsentEditOfOnesOwnIsInTheJournalOnceItIsReplaced() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 2, entities: note) { world in
            let b = world.devices[1]
            let entry = try await loser(in: world, entity: note)
            try b.put(entity: note, json: #"{"id":"n","title":"typed just now"}"#)
            _ = try b.writer.restore(journal: entry.id)
            let replaced = try #require(
                try b.journal().first { $0.lost.record.values[Self.titles] == .text("typed just now") }
            )
            #expect(replaced.rule == "restored")
            _ = try b.writer.restore(journal: replaced.id)
            #expect(try b.value(entity: note, key: "n", field: "title") == .text("typed just now"))
        }
    }

    @Test func theLocalSideOfAnOpenConflictIsInTheJournalOnceItIsReplaced() async throws {
        let note = Entities.note(strategy: .preserveLocal)
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            try a.put(entity: note, json: #"{"id":"n","title":"base"}"#)
            try await world.converge()
            for round in ["first", "second"] {
                try a.put(entity: note, json: #"{"id":"n","title":"\#(round) by a"}"#)
                try b.put(entity: note, json: #"{"id":"n","title":"\#(round) by b"}"#)
                try await world.converge()
                #expect(try b.conflicts(entity: note) == ["n"])
                if round == "first" { try b.resolve(entity: note, key: "n", resolution: .remote) }
            }
            let entry = try #require(
                try b.journal().first { $0.lost.record.values[Self.titles] == .text("first by b") }
            )
            _ = try b.writer.restore(journal: entry.id)
            #expect(try journaled(b, field: Self.titles).contains("second by b"))
            try b.resolve(entity: note, key: "n", resolution: .local)
            try await world.converge()
            #expect(try a.value(entity: note, key: "n", field: "title") == .text("first by b"))
            #expect(try journaled(b, field: Self.titles).contains("second by a"))
        }
    }

    @Test(arguments: [MergeStrategy.lastWriteWins, .setUnion])
    func onlyTheFieldReturnsThatWasTakenAway(strategy: MergeStrategy) async throws {
        let note = Entities.note(strategy: strategy, granularity: .field, fields: [Entities.tags])
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            let entry = try await loser(
                in: world,
                entity: note,
                late: #"{"id":"n","title":"late","body":"by a, at the same time"}"#
            )
            try a.put(entity: note, json: #"{"id":"n","tags":["added later"]}"#)
            try await world.converge()
            _ = try b.writer.restore(journal: entry.id)
            try await world.converge()
            for device in world.devices {
                #expect(try device.value(entity: note, key: "n", field: "title") == .text("early"))
                #expect(
                    try device.value(entity: note, key: "n", field: "body") == .text("by a, at the same time")
                )
                #expect(try device.value(entity: note, key: "n", field: "tags") == .json(#"["added later"]"#))
            }
            let replaced = try #require(try b.journal().last)
            #expect(replaced.lost.record.values[Self.titles] == .text("late"))
            _ = try b.writer.restore(journal: replaced.id)
            #expect(try b.value(entity: note, key: "n", field: "title") == .text("late"))
            #expect(try b.value(entity: note, key: "n", field: "tags") == .json(#"["added later"]"#))
        }
    }

    @Test func aValueThatIsThereAlreadyIsNotBroughtBackAgain() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 2, entities: note) { world in
            let b = world.devices[1]
            let entry = try await loser(in: world, entity: note)
            let before = try b.restoration(of: entry, entity: note)
            #expect(before.changesRecord)
            #expect(try b.writer.restore(journal: entry.id).isChanged)
            #expect(try !b.restoration(of: entry, entity: note).changesRecord)
            let count = try b.journal().count
            #expect(try !b.writer.restore(journal: entry.id).isChanged)
            #expect(try b.journal().count == count)
        }
    }

    @Test func aRecordThatChangedSinceItWasShownIsNotReplaced() async throws {
        let note = Entities.note(strategy: .lastWriteWins)
        try await withWorld(count: 2, entities: note) { world in
            let b = world.devices[1]
            let entry = try await loser(in: world, entity: note)
            let shown = ShownVersion.version(try b.restoration(of: entry, entity: note).current)
            try b.put(entity: note, json: #"{"id":"n","title":"meanwhile"}"#)
            #expect(throws: SyncError.changedSinceShown(entity: "note")) {
                try b.writer.restore(journal: entry.id, over: shown)
            }
            #expect(try b.value(entity: note, key: "n", field: "title") == .text("meanwhile"))
        }
    }
}

extension World.Device {
    fileprivate func restoration(of entry: JournalEntry, entity: EntityDescriptor) throws -> Restoration {
        try store.read { try $0.restoration(of: entry, entity: entity) }
    }
}
