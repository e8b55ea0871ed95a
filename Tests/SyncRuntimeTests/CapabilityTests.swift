import SyncChecks
import SyncCore
import Testing

@testable import SyncRuntime

/// A sync leans on nothing that a remote does not declare.
@Suite struct CapabilityTests {
    private static let note = FullStateTests.note

    /// A remote of these notes, and a device that has taken them in.
    private func withNotes(
        count: Int,
        capabilities: RemoteCapabilities = [.compareAndSet, .revisions],
        looksUp: Bool = false,
        body: (World.Device, PlainRemote) async throws -> Void
    ) async throws {
        try await withWorld(count: 1, entities: Self.note) { world in
            let remote = PlainRemote(
                entity: Self.note.name,
                capabilities: capabilities,
                looksUp: looksUp
            )
            for number in 0..<count { await remote.write(key: "n\(number)", body: Self.body(number)) }
            _ = try await Self.sync(world.devices[0], remote: remote)
            try await body(world.devices[0], remote)
        }
    }

    private static func body(_ number: Int, title: String = "t") -> String {
        let time = "2025-12-25T09:21:01Z"
        return #"{"id":"n\#(number)","title":"\#(title)","createdAt":"\#(time)","updatedAt":"\#(time)"}"#
    }

    private static func sync(
        _ device: World.Device,
        remote: PlainRemote,
        options: SyncOptions = SyncOptions()
    ) async throws -> SyncReport {
        try await SyncEngine(
            store: device.store,
            backend: remote,
            environment: SyncEnvironment(clock: device.clock, random: SeededRandom(7), label: device.name)
        ).sync(options)
    }

    private static func title(_ device: World.Device, key: String) throws -> FieldValue? {
        try device.local(entity: note, key: key)?.version.record.values[1]
    }

    // MARK: What is refused

    @Test func aRemoteThatWouldOverwriteWhatOthersWroteIsRefused() async throws {
        try await withWorld(count: 1, entities: Self.note) { world in
            let device = world.devices[0]
            _ = try device.put(entity: Self.note, json: #"{"id":"a","title":"mine"}"#)
            let remote = PlainRemote(entity: Self.note.name, capabilities: .tombstones)
            await #expect(throws: SyncError.overwritingRemote()) {
                _ = try await Self.sync(device, remote: remote)
            }
            #expect(try device.local(entity: Self.note, key: "a")?.state == .pending)
            let binding = try device.store.read { try $0.value(name: StoreValue.binding) }
            #expect(binding == nil)
        }
    }

    @Test func aPageThatNeedsMoreThanTheRemoteDeclaresIsNotBelieved() async throws {
        try await withNotes(count: 2) { device, _ in
            let now = device.clock.now()
            var pulling = Pull(SyncRunState(entities: [Self.note], device: DeviceID(bits: 1), now: now))
            let scope = SnapshotScope(entity: Self.note.name, fields: ["title": .text("t")])
            let part = RemotePage(
                kind: .snapshot(of: [scope], isFirst: true, isComplete: true),
                changes: [],
                cursor: "part"
            )
            let header = Change.Header(
                entity: Self.note.name,
                key: RecordKey("n0"),
                kind: .outOfScope,
                metadata: nil
            )
            let leaving = RemotePage(changes: [Change(header, body: [UInt8]())], cursor: "left")
            for page in [part, leaving] {
                #expect(throws: SyncError.self) {
                    try device.store.write(.pulled) { try pulling.take([page], transaction: $0) }
                }
            }
            let kept = try device.export(entity: Self.note)
            #expect(kept.count == 2)
        }
    }

    @Test func aVersionWithoutMetadataIsSetAsideWhereTheRemoteKeepsThem() async throws {
        let capabilities: RemoteCapabilities = [.compareAndSet, .revisions, .versionMetadata]
        try await withNotes(count: 1, capabilities: capabilities) { device, _ in
            let local = try device.local(entity: Self.note, key: "n0")
            #expect(local == nil)
            let rejections = try device.store.read { try $0.rejections() }
            #expect(rejections.map(\.key.text) == ["n0"])
            #expect(rejections.first?.raw?.isEmpty == false)
        }
    }

    // MARK: A remote without tombstones

    @Test func aListThatIsEmptyAllAtOnceDeletesNothingUntilAPersonSaysSo() async throws {
        try await withNotes(count: 20) { device, remote in
            await remote.empty()
            let report = try await Self.sync(device, remote: remote)
            #expect(report.outcome == .partial)
            #expect(report.diagnostics.map(\.rule) == ["missing-at-remote"])
            #expect(try device.export(entity: Self.note).count == 20)

            let again = try await Self.sync(
                device,
                remote: remote,
                options: SyncOptions(acceptsMissing: true)
            )
            #expect(again.outcome == .synced)
            #expect(try device.export(entity: Self.note).isEmpty)
        }
    }

    @Test func anIncompleteListingDeletesNothing() async throws {
        try await withNotes(count: 40) { device, remote in
            await remote.keep(keys: ["n7"])
            for _ in 0..<2 {
                let report = try await Self.sync(device, remote: remote)
                #expect(report.outcome == .partial)
                #expect(report.diagnostics.map(\.rule) == ["missing-at-remote"])
                #expect(report.diagnostics[0].message.contains("39 of 40"))
                #expect(try device.export(entity: Self.note).count == 40)
            }
        }
    }

    /// A listing of another account shows many records, and none of those that are known.
    @Test func newRecordsDoNotHideThatOldOnesAreMissing() async throws {
        try await withNotes(count: 10) { device, remote in
            await remote.empty()
            for number in 100..<200 { await remote.write(key: "n\(number)", body: Self.body(number)) }
            let report = try await Self.sync(device, remote: remote)
            #expect(report.diagnostics.map(\.rule) == ["missing-at-remote"])
            #expect(try device.export(entity: Self.note).count == 110)
        }
    }

    @Test func aFewRecordsThatAreGoneWereDeleted() async throws {
        try await withNotes(count: 10) { device, remote in
            await remote.keep(keys: Set((0..<6).map { "n\($0)" }))
            let report = try await Self.sync(device, remote: remote)
            #expect(report.outcome == .synced)
            #expect(try device.export(entity: Self.note).count == 6)
        }
    }

    @Test func anEmptiedShortListIsDoubtedToo() async throws {
        try await withNotes(count: 3) { device, remote in
            await remote.empty()
            let report = try await Self.sync(device, remote: remote)
            #expect(report.outcome == .partial)
            #expect(try device.export(entity: Self.note).count == 3)
        }
    }

    @Test func whatIsPendingIsNeitherDeletedNorCounted() async throws {
        try await withNotes(count: 4) { device, remote in
            _ = try device.put(entity: Self.note, json: #"{"id":"n0","title":"mine"}"#)
            await remote.keep(keys: ["n1", "n2"])
            let report = try await Self.sync(device, remote: remote)
            #expect(report.outcome == .synced)
            #expect(try Self.title(device, key: "n0") == .text("mine"))
            #expect(try device.export(entity: Self.note).count == 3)
        }
    }

    // MARK: Patterns

    @Test func aPatternThatCannotBeMatchedIsToldAndRefusesNothing() async throws {
        let fields = [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "code", type: .string(pattern: "^(?=a)b")),
        ]
        let coded = EntityDescriptor(
            name: "coded",
            typeName: "Coded",
            fields: fields,
            key: ["id"],
            strategy: .lastWriteWins
        )
        try await withWorld(count: 1, entities: coded) { world in
            _ = try world.devices[0].put(entity: coded, json: #"{"id":"a","code":"any"}"#)
            let report = try await world.sync(0)
            #expect(report.outcome == .synced)
            let diagnostic = try #require(report.diagnostics.first)
            #expect(diagnostic.rule == "pattern-not-checked")
            #expect(diagnostic.place == "coded.code")
            #expect(diagnostic.message.contains("looking around is not supported"))
        }
    }

    // MARK: Revisions and look-ups

    @Test func withoutRevisionsOnlyWhatChangedIsNews() async throws {
        let capabilities: RemoteCapabilities = .compareAndSet
        try await withNotes(count: 3, capabilities: capabilities) { device, remote in
            let idle = try await Self.sync(device, remote: remote)
            #expect(idle.entities[0].pulled == 0)
            #expect(idle.entities[0].pushed == 0)
            device.clock.advance(seconds: 60)
            await remote.write(key: "n1", body: Self.body(1, title: "theirs"))
            let report = try await Self.sync(device, remote: remote)
            #expect(report.entities[0].pulled == 1)
            #expect(try Self.title(device, key: "n1") == .text("theirs"))
        }
    }

    @Test func aTimeThatTheRemoteDoesNotMoveDoesNotDateItsEdit() async throws {
        try await withNotes(count: 1) { device, remote in
            device.clock.advance(seconds: 60)
            _ = try device.put(entity: Self.note, json: #"{"id":"n0","title":"mine"}"#)
            device.clock.advance(seconds: 60)
            await remote.write(key: "n0", body: Self.body(0, title: "theirs"))
            _ = try await Self.sync(device, remote: remote)
            let local = try #require(try device.local(entity: Self.note, key: "n0"))
            // Whoever wins, the remote's edit is not taken for as old as the time that it left alone.
            let versions = try device.store.read { snapshot in
                [local.version, try snapshot.side(entity: Self.note, key: RecordKey("n0"), kind: .remote)]
                    .compactMap { $0 }
            }
            #expect(versions.contains { $0.metadata.editTimestamp.time >= device.clock.now() })
        }
    }

    @Test func onlyBodiesThatTheStoreDoesNotKnowAreFetched() async throws {
        try await withNotes(count: 5, looksUp: true) { device, remote in
            #expect(await remote.fetched.count == 5)
            await remote.write(key: "n3", body: Self.body(3, title: "new"))
            _ = try await Self.sync(device, remote: remote)
            #expect(await remote.fetched.dropFirst(5).map(\.text) == ["n3"])
            #expect(try device.export(entity: Self.note).count == 5)
            #expect(try Self.title(device, key: "n3") == .text("new"))
        }
    }

    // MARK: Out of scope

    @Test func whatWaitsAndLeftTheScopeIsTold() async throws {
        try await withNotes(count: 2) { device, _ in
            _ = try device.put(entity: Self.note, json: #"{"id":"n0","title":"mine"}"#)
            let sync = SyncRunState(
                entities: [Self.note],
                device: DeviceID(bits: 1),
                remote: PulledRemote(capabilities: .scopes),
                now: device.clock.now()
            )
            var pulling = Pull(sync)
            let changes = ["n0", "n1"].map { key in
                Change(
                    Change.Header(
                        entity: Self.note.name,
                        key: RecordKey(key),
                        kind: .outOfScope,
                        metadata: nil
                    ),
                    body: [UInt8]()
                )
            }
            try device.store.write(.pulled) {
                try pulling.take([RemotePage(changes: changes, cursor: "left")], transaction: $0)
            }
            #expect(pulling.diagnostics.map(\.rule) == ["out-of-scope"])
            #expect(pulling.diagnostics.map(\.place) == [Self.note.name])
            #expect(try Self.title(device, key: "n0") == .text("mine"))
        }
    }
}
