import SyncChecks
import SyncCore
import SyncRuntime
import Testing

/// A remote that keeps no version metadata and no tombstones: a list of records, each with a name for its state.
@Suite struct PlainRemoteTests {
    private static func note(strategy: MergeStrategy) -> EntityDescriptor {
        Entities.note(strategy: strategy, fields: [Entities.tags])
    }

    private static func engine(device: World.Device, remote: PlainRemote) -> SyncEngine {
        SyncEngine(
            store: device.store,
            backend: remote,
            environment: SyncEnvironment(clock: device.clock, random: SeededRandom(7), label: device.name)
        )
    }

    @Test(arguments: MergeStrategy.allCases) func editsAndDeletesTravelBothWays(strategy: MergeStrategy)
        async throws
    {
        let note = Self.note(strategy: strategy)
        try await withWorld(count: 2, entities: note) { world in
            let remote = PlainRemote(entity: note.name)
            let (first, second) = (world.devices[0], world.devices[1])
            _ = try first.put(entity: note, json: #"{"id":"a","title":"one"}"#)
            _ = try first.put(entity: note, json: #"{"id":"b","title":"two"}"#)
            _ = try await Self.engine(device: first, remote: remote).sync()
            _ = try await Self.engine(device: second, remote: remote).sync()
            #expect(try second.export(entity: note) == first.export(entity: note))

            second.clock.advance(seconds: 10)
            _ = try second.put(entity: note, json: #"{"id":"a","title":"three"}"#)
            try second.delete(entity: note, key: "b")
            _ = try await Self.engine(device: second, remote: remote).sync()
            let report = try await Self.engine(device: first, remote: remote).sync()
            #expect(report.entities[0].conflicts == 0)
            #expect(try first.local(entity: note, key: "a")?.version.record.values[1] == .text("three"))
            #expect(try first.export(entity: note).count == 1)

            let idle = try await Self.engine(device: first, remote: remote).sync()
            #expect(idle.entities[0].pulled == 0)
            #expect(idle.entities[0].pushed == 0)
        }
    }

    @Test func whatTwoPeopleWroteUnseenIsMergedFromWhatBothHadSeen() async throws {
        let note = Self.note(strategy: .setUnion)
        try await withWorld(count: 2, entities: note) { world in
            let remote = PlainRemote(entity: note.name)
            let (first, second) = (world.devices[0], world.devices[1])
            _ = try first.put(entity: note, json: #"{"id":"a","title":"t","tags":["kept","gone"]}"#)
            _ = try await Self.engine(device: first, remote: remote).sync()
            _ = try await Self.engine(device: second, remote: remote).sync()
            first.clock.advance(seconds: 10)
            second.clock.advance(seconds: 20)
            _ = try first.put(entity: note, json: #"{"id":"a","tags":["kept","new"]}"#)
            _ = try second.put(entity: note, json: #"{"id":"a","title":"other"}"#)
            for device in [first, second, first] {
                _ = try await Self.engine(device: device, remote: remote).sync()
            }
            for device in [first, second] {
                let record = try #require(try device.local(entity: note, key: "a")).version.record
                #expect(record.values[1] == .text("other"))
                #expect(record.values.contains(.json(#"["kept","new"]"#)))
            }
        }
    }

    @Test func aConflictKeepsBothSidesAndAnOverwrittenValueIsInTheJournal() async throws {
        for strategy in [MergeStrategy.preserveLocal, .lastWriteWins] {
            let note = Self.note(strategy: strategy)
            try await withWorld(count: 2, entities: note) { world in
                let remote = PlainRemote(entity: note.name)
                let (first, second) = (world.devices[0], world.devices[1])
                _ = try first.put(entity: note, json: #"{"id":"a","title":"base"}"#)
                _ = try await Self.engine(device: first, remote: remote).sync()
                _ = try await Self.engine(device: second, remote: remote).sync()
                first.clock.advance(seconds: 10)
                second.clock.advance(seconds: 20)
                _ = try second.put(entity: note, json: #"{"id":"a","title":"theirs"}"#)
                _ = try first.put(entity: note, json: #"{"id":"a","title":"mine"}"#)
                _ = try await Self.engine(device: second, remote: remote).sync()
                let report = try await Self.engine(device: first, remote: remote).sync()
                let local = try #require(try first.local(entity: note, key: "a"))
                if strategy == .preserveLocal {
                    #expect(report.entities[0].conflicts == 1)
                    #expect(local.state == .conflict)
                    #expect(local.version.record.values[1] == .text("mine"))
                } else {
                    #expect(local.version.record.values[1] == .text("theirs"))
                    let lost = try first.store.read { try $0.journal() }.map(\.lost.record.values[1])
                    #expect(lost == [.text("mine")])
                }
            }
        }
    }
}
