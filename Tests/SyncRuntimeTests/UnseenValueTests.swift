import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// What somebody has written and nobody has seen since is not taken away without a trace.
@Suite struct UnseenValueTests {
    private let note = Entities.note(
        strategy: .preserveLocal,
        fields: [FieldDescriptor(name: "draft", type: .string(), isLocalOnly: true)]
    )

    @Test func aValueOfThisDeviceThatAnOlderFormOverwritesIsInTheJournal() async throws {
        let draft = try #require(note.layout.position(of: "draft"))
        try await withWorld(count: 1, entities: note) { world in
            let device = world.devices[0]
            try device.put(entity: note, json: #"{"id":"n","title":"t","draft":"as all read it"}"#)
            let read = try #require(try device.local(entity: note, key: "n")).version.record
            for word in ["word1", "word2", "word3"] {
                var form = read
                form.values[draft] = .text(word)
                let edited = form
                _ = try device.writer.write { try $0.save(entity: note, record: edited, since: read) }
            }
            let lost = try device.journal().map { $0.lost.record.values[draft]?.string }
            #expect(lost == ["word1", "word2"])
            #expect(try device.value(entity: note, key: "n", field: "draft")?.string == "word3")
        }
    }

    /// Such as by an import of what another device exported.
    @Test(arguments: [#","draft":"theirs""#, ""])
    func aValueOfThisDeviceIsInTheJournalWhereALineReplacesItsRecord(draft: String) async throws {
        let position = try #require(note.layout.position(of: "draft"))
        try await withWorld(count: 1, entities: note) { world in
            let device = world.devices[0]
            try device.put(entity: note, json: #"{"id":"n","title":"t","draft":"word1"}"#)
            var decoder = RecordDecoder(descriptor: note, form: .plain)
            decoder.requiresAll = false
            let record = try decoder.record(Array(#"{"id":"n","title":"t"\#(draft)}"#.utf8))
            _ = try device.writer.write { session throws in
                try session.replace(entity: note, record: record, keepsTimes: true, journalsReplaced: true)
            }
            #expect(try device.journal().map { $0.lost.record.values[position]?.string } == ["word1"])
        }
    }

    /// An update of the app shares what each device kept to itself. Meanwhile, a person deletes the record.
    @Test func aDeleteDuringTheFirstSyncOfAnUpdatedAppIsNotUndone() async throws {
        let shared = Entities.note(
            strategy: .preserveLocal,
            fields: [FieldDescriptor(name: "draft", type: .string())]
        )
        for turn in 0..<12 {
            try await withFolder { path in
                let app = try App(name: "phone", path: path, entity: note)
                try app.put(#"{"id":"n","title":"t","draft":"word1"}"#)
                try await app.sync()
                try app.update(entity: shared)
                let turns = Guarded(0)
                let store = InterruptedStore(app.store) {
                    turns.use { count in
                        defer { count += 1 }
                        return count == turn
                    }
                } meanwhile: {
                    try app.delete(key: "n")
                }
                try await app.sync(through: store)
                if turns.use({ $0 }) > turn {
                    #expect(try app.counts(entity: shared).records == 0, "turn \(turn)")
                }
            }
        }
    }

    @Test func atTheLimitAConflictCanBeDecidedAndASeedComes() async throws {
        let note = EntityDescriptor(
            name: "note",
            typeName: "Note",
            fields: Entities.note(strategy: .preserveLocal).fields,
            key: ["id"],
            strategy: .preserveLocal,
            created: "createdAt",
            updated: "updatedAt",
            limit: 2
        )
        try await withWorld(count: 2, entities: note) { world in
            let (a, b) = (world.devices[0], world.devices[1])
            for key in ["r1", "r2"] { try a.put(entity: note, json: #"{"id":"\#(key)","title":"t"}"#) }
            try await world.converge()
            try b.put(entity: note, json: #"{"id":"r1","title":"edited"}"#)
            try a.delete(entity: note, key: "r1")
            try a.put(entity: note, json: #"{"id":"r3","title":"t"}"#)
            try await world.sync(1)
            try await world.sync(0)
            try #require(try a.local(entity: note, key: "r1")?.state == .conflict)
            #expect(throws: SyncError.self) { try a.put(entity: note, json: #"{"id":"r4","title":"t"}"#) }
            try a.writer.resolve(entity: note, key: RecordKey("r1"), with: .remote)
            #expect(try a.value(entity: note, key: "r1", field: "title")?.string == "edited")
            _ = try a.writer.seed(entity: note, json: Array(#"{"id":"r5","title":"of the app"}"#.utf8))
            #expect(try a.export(entity: note).count == 4)
            #expect(throws: SyncError.self) { try a.put(entity: note, json: #"{"id":"r4","title":"t"}"#) }
        }
    }
}
