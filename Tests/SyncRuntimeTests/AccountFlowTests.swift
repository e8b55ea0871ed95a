import EntitySync
import Foundation
import SyncAccounts
import SyncChecks
import SyncCore
import SyncFileBackend
import SyncRuntime
import Testing

@Suite struct AccountFlowTests {
    static let anna = AccountID("anna")
    static let ben = AccountID("ben")
    static let owner = FieldDescriptor(name: "owner", type: .string(), isNullable: true)
    let note = Entities.note(strategy: .lastWriteWins, fields: [owner])

    @Test func aGuestAddsABookmarkOfflineSignsUpLaterAndItIsUploaded() async throws {
        let owners = ["note": "owner"]
        try await withDevice(entities: note, ownerFields: owners) { phone in
            let shared = phone.root + "-shared"
            phone.connect(Self.anna, to: FolderBackend(root: shared))
            let app = try phone.start()
            let guest = await app.current
            #expect(guest.id == .guest)
            try guest.put(entity: note, json: #"{"id":"n","title":"a verse"}"#)
            await #expect(throws: SyncError.guestHasNoRemote()) { try await guest.sync() }

            // The app is started again later; what the guest wrote is still there.
            let later = try phone.start()
            let signIn = try await later.signIn(Self.anna)
            #expect(signIn.adoption?.total == 1)
            #expect(try signIn.session.values(entity: note) == ["n": "a verse"])
            #expect(try signIn.session.values(entity: note, field: "owner") == ["n": "anna"])
            #expect(try await signIn.session.sync().entities[0].pushed == 1)

            let tablet = AccountDevice(
                root: phone.root + "-tablet",
                entities: [note],
                ownerFields: owners,
                seed: 8
            )
            tablet.connect(Self.anna, to: FolderBackend(root: shared))
            let other = try await tablet.start().signIn(Self.anna).session
            #expect(try await other.sync().entities[0].pulled == 1)
            #expect(try other.values(entity: note) == ["n": "a verse"])
            #expect(try other.values(entity: note, field: "owner") == ["n": "anna"])
        }
    }

    @Test func oneAccountNeverSeesAnothersData() async throws {
        try await withDevice(entities: note) { device in
            let annas = MemoryRemote(name: "annas", entities: [note])
            let bens = MemoryRemote(name: "bens", entities: [note])
            device.connect(Self.anna, to: MemoryBackend(annas))
            device.connect(Self.ben, to: MemoryBackend(bens))
            let app = try device.start()
            for id in [Self.anna, Self.ben] {
                let session = try await app.signIn(id).session
                try session.put(entity: note, json: #"{"id":"same","title":"by \#(id.text ?? "")"}"#)
                try await _ = session.sync()
                #expect(try session.values(entity: note) == ["same": "by \(id.text ?? "")"])
                try await app.signOut(.keep)
                #expect(try await app.current.values(entity: note).isEmpty)
            }
            for id in [Self.anna, Self.ben, Self.anna] {
                let session = try await app.switchTo(id)
                #expect(session.id == id)
                let report = try await session.sync()
                #expect(report.entities[0].pushed == 0 && report.entities[0].pulled == 0)
                #expect(try session.values(entity: note) == ["same": "by \(id.text ?? "")"])
            }
            #expect(try await app.accounts() == [Self.anna, Self.ben])
            #expect(device.asked.use { $0.allSatisfy { !$0.isGuest } })
        }
    }

    @Test func aSessionThatWasLeftTakesAndShowsNothing() async throws {
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            let app = try device.start()
            let session = try await app.signIn(Self.anna).session
            try session.put(entity: note, json: #"{"id":"n","title":"t"}"#)
            try await app.switchTo(.guest)
            #expect(!session.isCurrent)
            #expect(throws: SyncError.accountLeft()) {
                try session.put(entity: note, json: #"{"id":"m","title":"t"}"#)
            }
            #expect(throws: SyncError.accountLeft()) { try session.values(entity: note) }
            #expect(throws: SyncError.accountLeft()) { try session.store.lease() }
            await #expect(throws: SyncError.accountLeft()) { try await session.sync() }
            let again = try await app.switchTo(Self.anna)
            #expect(again.generation > session.generation)
            #expect(try again.values(entity: note) == ["n": "t"])
            #expect(!session.isCurrent)
        }
    }

    @Test func theAccountInUseIsStillInUseAfterAStart() async throws {
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            try await device.start().signIn(Self.anna).session.put(
                entity: note,
                json: #"{"id":"n","title":"t"}"#
            )
            let session = try await device.start().current
            #expect(session.id == Self.anna)
            #expect(try session.values(entity: note) == ["n": "t"])
        }
    }

    @Test func aSignOutThatRequiresSyncedRefusesWithCountsAndChangesNothing() async throws {
        let note = Entities.note(strategy: .preserveLocal)
        try await withDevice(entities: note) { device in
            let remote = MemoryRemote(entities: [note])
            device.connect(Self.anna, to: MemoryBackend(remote))
            let app = try device.start()
            let session = try await app.signIn(Self.anna).session
            try session.put(entity: note, json: #"{"id":"a","title":"t"}"#)
            try await _ = session.sync()

            let other = AccountDevice(root: device.root + "-other", entities: [note], seed: 9)
            other.connect(Self.anna, to: MemoryBackend(remote))
            let there = try await other.start().signIn(Self.anna).session
            try await _ = there.sync()
            try there.put(entity: note, json: #"{"id":"a","title":"there"}"#)
            try await _ = there.sync()
            try session.put(entity: note, json: #"{"id":"a","title":"here"}"#)
            try await _ = session.sync()
            try session.put(entity: note, json: #"{"id":"b","title":"t"}"#)
            try session.put(entity: note, json: #"{"id":"c","title":"t"}"#)

            let expected = [UnsentCounts(entity: "note", pending: 2, conflicts: 1)]
            #expect(try await app.pendingCounts() == expected)
            await #expect(throws: UnsentRecords(counts: expected)) {
                try await app.signOut(.requireSynced)
            }
            #expect(session.isCurrent)
            #expect(await app.current === session)
            try session.put(entity: note, json: #"{"id":"d","title":"t"}"#)

            try session.writer.resolve(entity: note, key: RecordKey("a"), with: .local)
            try await _ = session.sync()
            #expect(try await app.signOut(.requireSynced) == [UnsentCounts(entity: "note")])
            #expect(await app.current.id == .guest)
            #expect(try await app.accounts().isEmpty)
        }
    }

    @Test func aSignOutThatKeepsTellsWhatWaitsAndSendsItAfterTheNextSignIn() async throws {
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            let app = try device.start()
            try await app.signIn(Self.anna).session.put(entity: note, json: #"{"id":"n","title":"t"}"#)
            #expect(try await app.signOut(.keep) == [UnsentCounts(entity: "note", pending: 1)])
            let again = try await app.signIn(Self.anna).session
            #expect(try await again.sync().entities[0].pushed == 1)
        }
    }

    /// What cannot be removed is told to whoever had it removed, keeps nobody from the other accounts, and is removed later.
    @Test func aFolderThatCannotBeRemovedKeepsNobodyFromTheOtherAccounts() async throws {
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            let failing = FailingRemovals(base: device.files)
            let app = try device.start(storage: failing)
            try await app.signIn(Self.anna).session.put(entity: note, json: #"{"id":"n","title":"secret"}"#)
            try await app.switchTo(.guest)
            try await app.current.put(entity: note, json: #"{"id":"n","title":"guest"}"#)
            failing.fails.use { $0 = true }
            await #expect(throws: SyncError.self) { try await app.wipe(Self.anna) }
            #expect(try await app.accounts().isEmpty)
            #expect(try await device.start(storage: failing).current.values(entity: note) == ["n": "guest"])
            failing.fails.use { $0 = false }
            #expect(try await device.start(storage: failing).accounts().isEmpty)
            #expect(try !device.holds("secret"))
        }
    }

    @Test func aWipeLeavesNoTraceOfAnyValueInAnyFile() async throws {
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            device.connect(Self.ben, to: MemoryBackend(MemoryRemote(name: "ben", entities: [note])))
            let app = try device.start()
            let session = try await app.signIn(Self.anna).session
            try session.put(entity: note, json: #"{"id":"n","title":"first-secret"}"#)
            try await _ = session.sync()
            try session.put(entity: note, json: #"{"id":"n","title":"second-secret"}"#)
            try session.put(entity: note, json: #"{"id":"m","title":"deleted-secret"}"#)
            try session.writer.delete(entity: note, key: RecordKey("m"))
            #expect(try device.holds("second-secret"))
            try await app.wipe(Self.anna)
            #expect(await app.current.id == .guest)

            // Another account that is not in use.
            try await app.signIn(Self.ben).session.put(
                entity: note,
                json: #"{"id":"n","title":"ben-secret"}"#
            )
            try await app.switchTo(.guest)
            #expect(try device.holds("ben-secret"))
            try await app.wipe(Self.ben)
            for text in ["secret", "anna", "ben"] { #expect(try !device.holds(text)) }
            #expect(try device.folders().count == 1)
            #expect(try await app.accounts().isEmpty)
            await #expect(throws: SyncError.unknownAccount()) { try await app.wipe(Self.ben) }
        }
    }

    @Test func anAdoptionAndADiscardLeaveNoTraceOfWhatTheyEmptied() async throws {
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            let app = try device.start()
            try await app.current.put(entity: note, json: #"{"id":"n","title":"guest-secret"}"#)
            try await app.signIn(Self.anna)
            #expect(try device.folders().count == 1)
            #expect(try await app.signOut(.discard) == [UnsentCounts(entity: "note", pending: 1)])
            #expect(try !device.holds("guest-secret"))
            #expect(try await app.current.values(entity: note).isEmpty)
        }
    }

    @Test func anotherRemoteUnderAnAccountIsRefused() async throws {
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(name: "one", entities: [note])))
            let app = try device.start()
            let session = try await app.signIn(Self.anna).session
            try session.put(entity: note, json: #"{"id":"n","title":"t"}"#)
            try await _ = session.sync()
            try await app.signOut(.keep)
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(name: "two", entities: [note])))
            let again = try await app.signIn(Self.anna).session
            let error = await #expect(throws: SyncError.self) { try await again.sync() }
            #expect(error?.kind == .wrongRemote)
            #expect(try again.values(entity: note) == ["n": "t"])
        }
    }

    @Test func anAccountsNameMayHoldAnythingAndIsComparedAsBytes() async throws {
        try await withDevice(entities: note) { device in
            let names = [
                "../../outside", "a/b", "caf\u{e9}", "cafe\u{301}", "nul\u{0}", "\"}",
                String(repeating: "x", count: 5000),
            ]
            for name in names {
                device.connect(
                    AccountID(name),
                    to: MemoryBackend(MemoryRemote(name: "r", entities: [note]))
                )
            }
            let app = try device.start()
            for (position, name) in names.enumerated() {
                try await app.signIn(AccountID(name), adopting: .nothing).session
                    .put(entity: note, json: #"{"id":"n","title":"\#(position)"}"#)
            }
            let again = try device.start()
            #expect(try await again.accounts() == names.map { AccountID($0) })
            for (position, name) in names.enumerated() {
                #expect(
                    try await again.switchTo(AccountID(name)).values(entity: note) == ["n": "\(position)"]
                )
            }
            let parent = (device.root as NSString).deletingLastPathComponent
            #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == ["accounts"])
            await #expect(throws: SyncError.noAccountName()) { try await again.signIn(AccountID("")) }
            await #expect(throws: SyncError.noAccountName()) { try await again.signIn(.guest) }
            await #expect(throws: SyncError.unknownAccount()) { try await again.switchTo(AccountID("new")) }
        }
    }

    @Test func adoptingNothingLeavesTheGuestsRecordsWithTheGuest() async throws {
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            let app = try device.start()
            try await app.current.put(entity: note, json: #"{"id":"n","title":"guest"}"#)
            let signIn = try await app.signIn(Self.anna, adopting: .nothing)
            #expect(signIn.adoption == nil)
            #expect(try signIn.session.values(entity: note).isEmpty)
            #expect(try await app.switchTo(.guest).values(entity: note) == ["n": "guest"])
        }
    }

    @Test func aDamagedIndexIsRefusedAndLeftAlone() async throws {
        try await withDevice(entities: note) { device in
            try await device.start().current.put(entity: note, json: #"{"id":"n","title":"t"}"#)
            let whole = try #require(try device.files.readIndex())
            let text = String(decoding: whole, as: UTF8.self)
            for bad in [
                "", "{", "[]", text.replacing("\"format\":1", with: "\"format\":2"),
                text.replacing("-", with: "/"), text.replacing("\"doomed\":[]", with: "\"doomed\":[\"..\"]"),
            ] {
                try device.files.writeIndex(Array(bad.utf8))
                #expect(throws: SyncError.damagedAccountIndex(), "\(bad)") { try device.start() }
                #expect(try device.files.readIndex() == Array(bad.utf8))
            }
            try device.files.writeIndex(whole)
            #expect(try await device.start().current.values(entity: note) == ["n": "t"])
        }
    }

    @Test func aSwitchInAnotherProcessIsFollowedByTheNextOperation() async throws {
        try await withDevice(entities: note) { device in
            device.connect(Self.anna, to: MemoryBackend(MemoryRemote(entities: [note])))
            let (app, helper) = (try device.start(), try device.start())
            let guest = await helper.current
            try guest.put(entity: note, json: #"{"id":"n","title":"t"}"#)
            try await app.signIn(Self.anna)
            // The other process has not noticed yet: its session is shut out all the same.
            #expect(throws: (any Error).self) {
                try guest.put(entity: note, json: #"{"id":"m","title":"t"}"#)
            }
            #expect(try await helper.accounts() == [Self.anna])
            #expect(await helper.current.id == Self.anna)
            #expect(try await helper.current.values(entity: note) == ["n": "t"])
            let lock = try device.files.lock()
            await #expect(throws: SyncError.accountsBusy()) { try await app.signOut(.keep) }
            lock.close()
            try await app.signOut(.keep)
        }
    }
}
