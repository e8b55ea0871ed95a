import EntitySync
import EntitySyncFolder
import Foundation
import SyncEntities
import Testing

@Suite struct AccountSnippets {
    let desk: Desk

    init() throws { desk = try Desk() }

    private func device() async throws -> SyncAccounts {
        let (folder, shared) = (desk.path + "/accounts", desk.path)
        // snippet: accounts-open
        var configuration = AccountsConfiguration(
            folder: folder,
            entities: [Bookmark.self, Project.self]
        ) { account in
            FolderBackend(root: "\(shared)/of-\(account.text ?? "")")
        }
        configuration.setOwner(Bookmark.Fields.userId)
        let accounts = try await SyncAccounts.open(configuration)
        // snippet end
        return accounts
    }

    @Test func theLimitOfRecordsIsThatOfThePerson() async throws {
        let shared = desk.path
        var configuration = AccountsConfiguration(folder: desk.path + "/limits", entities: [Bookmark.self]) {
            _ in
            FolderBackend(root: "\(shared)/of-ada")
        }
        let subscribers: Set<AccountID> = [AccountID("ada")]
        // snippet: accounts-limit
        configuration.limit = { account, type in
            type is Bookmark.Type ? (subscribers.contains(account) ? 10_000 : 100) : nil
        }
        // snippet end
        let accounts = try await SyncAccounts.open(configuration)
        func add(_ verses: ClosedRange<Int>) throws {
            for verse in verses {
                try accounts.space.collection(Bookmark.self)
                    .insert(Bookmark(userId: "ada", surahNumber: 2, verseNumber: verse))
            }
        }
        try add(1...100)
        #expect(throws: SyncError.self) { try add(101...101) }
        try await accounts.signIn(AccountID("ada"), adopting: .guestRecords)
        try add(101...102)
        try await accounts.signOut(.keep)
        try await accounts.signIn(AccountID("bob"), adopting: .nothing)
        try add(1...100)
        #expect(throws: SyncError.self) { try add(101...101) }
    }

    @Test func aGuestSignsInAndTakesTheRecordsAlong() async throws {
        let accounts = try await device()
        // snippet: accounts-guest
        let guest = accounts.space
        try await guest.collection(Bookmark.self)
            .insert(Bookmark(userId: "guest", surahNumber: 2, verseNumber: 255))
        // snippet end
        var asked: [Int] = []
        func confirm(_ count: Int) -> Bool {
            asked.append(count)
            return true
        }
        // snippet: accounts-sign-in
        let ada = AccountID("ada")
        let preview = try await accounts.adoptionPreview(id: ada)
        let takesAlong = preview.total > 0 && confirm(preview.total)
        try await accounts.signIn(ada, adopting: takesAlong ? .guestRecords : .nothing)
        try await accounts.space.sync()
        // snippet end
        #expect(asked == [1])
        #expect(try await accounts.space.collection(Bookmark.self).all().map(\.userId) == ["ada"])
        #expect(try accounts.space.status().isInSync)
        #expect(throws: SyncError.accountLeft()) { try guest.collection(Bookmark.self).all() }
    }

    @Test func anAccountIsLeftAndNothingIsLostUnasked() async throws {
        let accounts = try await device()
        try await accounts.signIn(AccountID("bob"))
        try await accounts.signIn(AccountID("ada"))
        let bookmark = Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255)
        try await accounts.space.collection(Bookmark.self).insert(bookmark)
        var asked: [Int] = []
        func confirm(_ count: Int) -> Bool {
            asked.append(count)
            return false
        }
        // snippet: accounts-sign-out
        do {
            try await accounts.signOut(.requireSynced)
        } catch let refusal as UnsentRecords {
            let lost = refusal.counts.reduce(0) { $0 + $1.total }
            if confirm(lost) { try await accounts.signOut(.discard) }
        }
        // snippet end
        #expect(asked == [1])
        #expect(accounts.space.account == AccountID("ada"))
        // snippet: accounts-switch
        try await accounts.switchTo(AccountID("bob"))
        let known = try await accounts.all()
        // snippet end
        #expect(known == [AccountID("bob"), AccountID("ada")])
        // snippet: accounts-wipe
        try await accounts.wipe(AccountID("ada"))
        // snippet end
        #expect(try await accounts.all() == [AccountID("bob")])
        await accounts.close()
    }

    @Test func whoFollowsTheSpacesSeesTheOneInUse() async throws {
        let accounts = try await device()
        try await accounts.signIn(AccountID("ada"))
        let app = Task {
            var shown: [AccountID?] = []
            func show(_ space: SyncSpace) {
                shown.append(space.account)
                withUnsafeCurrentTask { $0?.cancel() }
            }
            // snippet: accounts-spaces
            let running = Task { await accounts.run() }
            for await space in accounts.spaces() {
                show(space)
            }
            // snippet end
            running.cancel()
            await running.value
            return shown
        }
        #expect(await app.value == [AccountID("ada")])
    }
}
