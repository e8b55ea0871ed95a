import EntitySync
import Foundation
import SyncAccounts
import SyncChecks
import SyncCore
import SyncRuntime
import Testing

@Suite struct AccountInFlightTests {
    static let anna = AccountID("anna")
    static let ben = AccountID("ben")
    let note = Entities.note(strategy: .lastWriteWins)

    enum Leaving: CaseIterable { case switching, keep, discard, wipe }

    /// What a store holds, as far as a sync can change it.
    private struct Content: Equatable {
        var records: [String: String]
        var mine: SyncState?
        var binding: String?
        var cursor: String?
        var intent: String?
        var lastSync: String?
    }

    private func content(store: any LocalStore) throws -> Content {
        try store.read { snapshot in
            Content(
                records: try store.values(entity: note),
                mine: try snapshot.load(entity: note, key: RecordKey("mine"))?.state,
                binding: try snapshot.value(name: StoreValue.binding),
                cursor: try snapshot.value(name: StoreValue.cursor),
                intent: try snapshot.value(name: StoreValue.intent),
                lastSync: try snapshot.value(name: StoreValue.lastSync)
            )
        }
    }

    /// Leaves anna's account while her sync stands at a moment, then lets the sync go on.
    private func leave(
        _ leaving: Leaving,
        at moment: PausingBackend.Moment,
        check: (AccountDevice, AccountManager, _ folder: String, _ letGo: () async throws -> Void)
            async throws
            -> Void
    ) async throws {
        try await withDevice(entities: note) { device in
            let remote = MemoryRemote(name: "annas", entities: [note])
            let other = AccountDevice(root: device.root + "-other", entities: [note], seed: 9)
            other.connect(Self.anna, to: MemoryBackend(remote))
            let there = try await other.start().signIn(Self.anna).session
            try there.put(entity: note, json: #"{"id":"theirs","title":"secret-theirs"}"#)
            try await _ = there.sync()

            let pause = Pause(at: moment)
            device.connect(Self.anna, to: PausingBackend(base: MemoryBackend(remote), pause: pause))
            let bens = MemoryRemote(name: "bens", entities: [note])
            device.connect(Self.ben, to: MemoryBackend(bens))
            let app = try device.start()
            try await app.signIn(Self.ben)
            let session = try await app.signIn(Self.anna).session
            try session.put(entity: note, json: #"{"id":"mine","title":"secret-mine"}"#)
            let sync = Task { try await session.sync() }
            await pause.arrival()
            switch leaving {
            case .switching: try await app.switchTo(Self.ben)
            case .keep: try await app.signOut(.keep)
            case .discard: try await app.signOut(.discard)
            case .wipe: try await app.wipe(Self.anna)
            }
            try await check(device, app, session.folder) {
                await pause.letGo()
                await #expect(throws: SyncError.accountLeft()) { try await sync.value }
            }
            let current = await app.current
            #expect(try current.values(entity: note).isEmpty)
            if !current.id.isGuest {
                let report = try await current.sync()
                #expect(report.entities[0].pushed == 0 && report.entities[0].pulled == 0)
            }
        }
    }

    @Test(arguments: PausingBackend.Moment.allCases, [Leaving.switching, .keep])
    func aLateAnswerChangesNothingButAcknowledgesAPush(moment: PausingBackend.Moment, leaving: Leaving)
        async throws
    {
        try await leave(leaving, at: moment) { device, app, folder, letGo in
            let before = try content(store: device.store(folder: folder))
            try await letGo()
            let after = try content(store: device.store(folder: folder))
            if moment == .beforePush || moment == .afterPush {
                #expect(before.mine == .pending)
                #expect(before.intent != nil)
                var expected = before
                (expected.mine, expected.intent, expected.cursor) = (.synced, nil, after.cursor)
                #expect(after == expected)
            } else {
                #expect(after == before)
            }
            // Nothing is lost and nothing is sent twice: the next sync ends it.
            try await app.signOut(.keep)
            let again = try await app.signIn(Self.anna).session
            try await _ = again.sync()
            #expect(try again.values(entity: note) == ["mine": "secret-mine", "theirs": "secret-theirs"])
            #expect(try again.store.read { try $0.unsent(entities: [note]) }.allSatisfy { $0.total == 0 })
            try await app.switchTo(Self.ben)
        }
    }

    @Test(arguments: PausingBackend.Moment.allCases, [Leaving.discard, .wipe])
    func aLateAnswerDoesNotBringADiscardedStoreBack(moment: PausingBackend.Moment, leaving: Leaving)
        async throws
    {
        try await leave(leaving, at: moment) { device, _, folder, letGo in
            #expect(try !device.folders().contains(folder))
            try await letGo()
            #expect(try !device.folders().contains(folder))
            #expect(try !device.holds("secret"))
        }
    }

    @Test(arguments: PausingBackend.Moment.allCases)
    func anAccountThatWasLeftWithItsStoreCanBeWipedWhileItsSyncRuns(moment: PausingBackend.Moment)
        async throws
    {
        try await leave(.keep, at: moment) { device, app, folder, letGo in
            try await app.wipe(Self.anna)
            try await letGo()
            #expect(try !device.folders().contains(folder))
            #expect(try !device.holds("secret"))
        }
    }

    @Test func aSignOutThatRequiresSyncedWaitsForTheAcknowledgement() async throws {
        try await withDevice(entities: note) { device in
            let pause = Pause(at: .afterPush)
            let remote = MemoryBackend(MemoryRemote(entities: [note]))
            device.connect(Self.anna, to: PausingBackend(base: remote, pause: pause))
            let app = try device.start()
            let session = try await app.signIn(Self.anna).session
            try session.put(entity: note, json: #"{"id":"mine","title":"t"}"#)
            let sync = Task { try await session.sync() }
            await pause.arrival()
            await #expect(throws: UnsentRecords.self) { try await app.signOut(.requireSynced) }
            await pause.letGo()
            #expect(try await sync.value.entities[0].pushed == 1)
            try await app.signOut(.requireSynced)
        }
    }

    @Test func aPreviewOrAnAdoptionIntoTheAccountInUseDoesNotDisturbItsSync() async throws {
        try await withDevice(entities: note) { device in
            let pause = Pause(at: .beforePush)
            let remote = MemoryBackend(MemoryRemote(entities: [note]))
            device.connect(Self.anna, to: PausingBackend(base: remote, pause: pause))
            let app = try device.start()
            try await app.current.put(entity: note, json: #"{"id":"guest","title":"t"}"#)
            let session = try await app.signIn(Self.anna, adopting: .nothing).session
            try session.put(entity: note, json: #"{"id":"mine","title":"t"}"#)
            let sync = Task { try await session.sync() }
            await pause.arrival()
            try await _ = app.adoptionPreview(id: Self.anna)
            let signIn = try await app.signIn(Self.anna)
            #expect(signIn.session === session && signIn.adoption?.total == 1)
            await pause.letGo()
            try await _ = sync.value
            try await _ = session.sync()
            #expect(try session.local(entity: note, key: "guest")?.state == .synced)
        }
    }
}
