import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// The accounts of a device, as an app uses them.
@Suite struct AccountTests {
    let stage: Stage
    private let ada = AccountID("ada")
    private let bob = AccountID("bob")

    init() throws { stage = try Stage() }

    @Test func aGuestsBookmarksAreCountedBeforeAndTakenAlongBySigningIn() async throws {
        let accounts = try await stage.accounts(device: "phone")
        #expect(accounts.space.account == .guest)
        let mine = try await accounts.bookmarks.insert(.verse(verse: 1, notes: "as a guest"))
        let preview = try await accounts.adoptionPreview(id: ada)
        #expect(preview.total == 1)
        #expect(try accounts.bookmarks.count == 1)
        let report = try await accounts.signIn(ada)
        #expect(report == preview)
        let adopted = try await accounts.bookmarks.find(mine.id)
        #expect(adopted?.userId == "ada")
        #expect(adopted?.notes == "as a guest")
        try await accounts.space.sync()
        #expect(try accounts.space.status().isInSync)
    }

    @Test func aFormThatWasOpenWhileAGuestSignedInIsSavedAsTheAccounts() async throws {
        let accounts = try await stage.accounts(device: "phone")
        try await accounts.bookmarks.insert(.verse(verse: 1, notes: "as a guest"))
        var form = try #require(try await accounts.bookmarks.all().first)
        try await accounts.signIn(ada)
        form.notes = "finished as ada"
        try await accounts.bookmarks.update(form)
        // The record has got its owner meanwhile, which nobody edited.
        #expect(try await accounts.bookmarks.conflicts().isEmpty)
        #expect(try await accounts.bookmarks.find(form.id)?.userId == "ada")
        try await accounts.space.sync()
        #expect(try await accounts.bookmarks.find(form.id)?.notes == "finished as ada")
        #expect(try accounts.space.status().isInSync)
    }

    @Test func aFormThatWasOpenWhileAnotherAccountSignedInIsNotSavedThere() async throws {
        let accounts = try await stage.accounts(device: "phone")
        try await accounts.signIn(ada)
        try await accounts.bookmarks.insert(.verse(verse: 1, notes: "ada's"))
        var form = try #require(try await accounts.bookmarks.all().first)
        try await accounts.signIn(bob)
        form.notes = "still ada's"
        #expect(throws: SyncError.otherStore(entity: "bookmark")) { try accounts.bookmarks.update(form) }
        #expect(try accounts.bookmarks.count == 0)
    }

    @Test func aGuestIsToldThatThereIsNobodyToSyncWith() async throws {
        let accounts = try await stage.accounts(device: "phone")
        await #expect(throws: SyncError.guestHasNoRemote()) { try await accounts.space.sync() }
        #expect(try accounts.space.status().outside.account == .guest)
        await accounts.space.run()
    }

    @Test func anAccountWhoseRemoteCannotBeMadeIsUsedAllTheSameAndSaysSoWhenItSyncs() async throws {
        let isWrong = Guarded(true)
        let configuration = AccountsConfiguration(
            folder: stage.scratch.path + "/phone",
            entities: Stage.entities
        ) { [stage] _ in
            if isWrong.use({ $0 }) { throw SyncError.offline() }
            return try stage.remote(device: "phone", person: "ada")
        }
        let accounts = try await SyncAccounts.open(configuration)
        try await accounts.signIn(ada)
        try await accounts.bookmarks.insert(.verse(verse: 1))
        await #expect(throws: SyncError.offline()) { try await accounts.space.sync() }
        isWrong.use { $0 = false }
        #expect(try await accounts.space.sync().outcome == .synced)
    }

    @Test func eachAccountKeepsItsRecordsToItself() async throws {
        let accounts = try await stage.accounts(device: "phone")
        try await accounts.signIn(ada)
        try await accounts.bookmarks.insert(.verse(verse: 1, notes: "ada's"))
        try await accounts.signIn(bob)
        #expect(try accounts.bookmarks.count == 0)
        try await accounts.bookmarks.insert(.verse(verse: 1, notes: "bob's"))
        try await accounts.switchTo(ada)
        #expect(try accounts.space.notes == [1: "ada's"])
        #expect(try accounts.space.status().pending == 1)
        #expect(try await accounts.all() == [ada, bob])
    }

    @Test func aSpaceThatWasLeftRefusesEverythingAndItsObservationsEnd() async throws {
        let accounts = try await stage.accounts(device: "phone")
        try await accounts.signIn(ada)
        let left = accounts.space
        try await left.bookmarks.insert(.verse(verse: 1))
        var seen = left.bookmarks.observe().makeAsyncIterator()
        #expect(try await seen.next()?.count == 1)
        var statuses = left.statuses().makeAsyncIterator()
        #expect(try await statuses.next()?.pending == 1)
        try await accounts.switchTo(.guest)
        #expect(try await seen.next() == nil)
        #expect(try await statuses.next() == nil)
        #expect(throws: SyncError.accountLeft()) { try left.bookmarks.insert(.verse(verse: 2)) }
        #expect(throws: SyncError.accountLeft()) { try left.bookmarks.all() }
        #expect(throws: SyncError.accountLeft()) { try left.bookmarks.find(Bookmark.verse(verse: 1).id) }
        await #expect(throws: SyncError.accountLeft()) { try await left.sync() }
    }

    @Test func signingOutTellsWhatWouldBeLostAndLosesNothingUnlessToldTo() async throws {
        let accounts = try await stage.accounts(device: "phone")
        try await accounts.signIn(ada)
        try await accounts.bookmarks.insert(.verse(verse: 1))
        let refusal = await #expect(throws: UnsentRecords.self) { try await accounts.signOut(.requireSynced) }
        #expect(refusal?.counts.reduce(0) { $0 + $1.total } == 1)
        #expect(accounts.space.account == ada)
        #expect(try await accounts.unsent().reduce(0) { $0 + $1.total } == 1)
        #expect(try await accounts.signOut(.keep).reduce(0) { $0 + $1.total } == 1)
        #expect(accounts.space.account == .guest)
        try await accounts.switchTo(ada)
        #expect(try accounts.space.status().pending == 1)
        try await accounts.space.sync()
        try await accounts.signOut(.requireSynced)
        #expect(try await accounts.all().isEmpty)
    }

    @Test func theAccountInUseIsTheOneAfterTheAppHasStartedAgain() async throws {
        let accounts = try await stage.accounts(device: "phone")
        try await accounts.signIn(ada)
        try await accounts.bookmarks.insert(.verse(verse: 1))
        await accounts.close()
        let again = try await stage.accounts(device: "phone")
        #expect(again.space.account == ada)
        #expect(try again.bookmarks.count == 1)
    }

    @Test func eachSpaceThatComesIntoUseSyncsByItself() async throws {
        let accounts = try await stage.accounts(device: "phone")
        let run = Task { await accounts.run() }
        try await accounts.bookmarks.insert(.verse(verse: 1))
        try await accounts.signIn(ada)
        try await stage.until(what: "ada's is uploaded") { try accounts.space.status().isInSync }
        try await accounts.signIn(bob)
        try await accounts.bookmarks.insert(.verse(verse: 2))
        try await stage.until(what: "bob's is uploaded") { try accounts.space.status().isInSync }
        try await accounts.switchTo(ada)
        try await accounts.bookmarks.insert(.verse(verse: 3))
        try await stage.until(what: "ada's second is uploaded") { try accounts.space.status().isInSync }
        run.cancel()
        await run.value
        let other = try stage.space(device: "tablet")
        try await other.sync()
        #expect(try other.notes.keys.sorted() == [1, 3])
    }

    @Test func aViewLearnsOfEachSpaceThatComesIntoUse() async throws {
        let accounts = try await stage.accounts(device: "phone")
        var spaces = accounts.spaces().makeAsyncIterator()
        #expect(await spaces.next()?.account == .guest)
        try await accounts.signIn(ada)
        #expect(await spaces.next()?.account == ada)
        try await accounts.signOut(.discard)
        #expect(await spaces.next()?.account == .guest)
    }

    @Test func wipingAnAccountLeavesNoTraceInItsFiles() async throws {
        let accounts = try await stage.accounts(device: "phone")
        try await accounts.signIn(ada)
        try await accounts.bookmarks.insert(.verse(verse: 1, notes: "a secret that nobody else shall read"))
        try await accounts.wipe(ada)
        #expect(accounts.space.account == .guest)
        let folder = stage.scratch.path + "/phone"
        let files = FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []
        #expect(files.contains { $0.hasSuffix("store.sqlite") })
        for file in files {
            guard let bytes = FileManager.default.contents(atPath: folder + "/" + file) else { continue }
            #expect(bytes.range(of: Data("a secret".utf8)) == nil, "in \(file)")
        }
    }
}
