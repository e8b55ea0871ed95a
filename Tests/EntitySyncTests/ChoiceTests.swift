import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// What a person chooses in an app's settings: who wins where a record was edited twice, and what syncs at all.
@Suite struct ChoiceTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    private func open(
        _ name: String,
        entities: [any SyncEntity.Type] = Stage.entities,
        isServed: Bool = false,
        change: (inout SpaceConfiguration) -> Void = { _ in }
    ) throws -> SyncSpace {
        var configuration = SpaceConfiguration(
            folder: stage.scratch.path + "/" + name,
            entities: entities,
            remote: isServed ? try stage.remote(device: name, person: "ada") : stage.scratch.remote,
            deviceLabel: name,
            environment: SpaceEnvironment(
                clock: stage.time,
                random: SeededRandom(name.utf8.reduce(3) { $0 &* 31 &+ UInt64($1) }),
                sleeper: stage.time
            )
        )
        change(&configuration)
        return try SyncSpace.open(configuration)
    }

    // MARK: Who wins

    /// Both edit verse 1; the tablet later, and it has synced already.
    private func editTwice(_ phone: SyncSpace, _ tablet: SyncSpace, again: String = "") async throws {
        if try phone.bookmarks.count == 0 {
            try await phone.bookmarks.insert(Bookmark.verse(verse: 1, notes: "first"))
            for space in [phone, tablet] { try await space.sync() }
        }
        for (space, note) in [(phone, "phone"), (tablet, "tablet")] {
            await stage.time.advance(seconds: 5)
            try await space.bookmarks.update(Bookmark.verse(verse: 1).id) { $0.notes = note + again }
        }
        try await tablet.sync()
    }

    private func notes(_ space: SyncSpace) throws -> String? { try space.bookmarks.all().first?.notes }

    @Test(arguments: [false, true])
    func aChoiceCountsFromTheNextSyncOnWithoutOpeningTheSpaceAgain(isServed: Bool) async throws {
        let choice = Guarded<Bool?>(nil)
        let phone = try open("phone", isServed: isServed) { configuration in
            configuration.prefersRecent = { $0 is Bookmark.Type ? choice.use { $0 } : nil }
        }
        let tablet = try open("tablet", isServed: isServed)
        choice.use { $0 = true }
        try await editTwice(phone, tablet)
        try await phone.sync()
        #expect(try notes(phone) == "tablet")
        #expect(try phone.status().conflicted == 0)
        #expect(try phone.bookmarks.journal().map(\.rule) == ["last-write-wins"])

        choice.use { $0 = false }
        try await editTwice(phone, tablet, again: " again")
        try await phone.sync()
        #expect(try notes(phone) == "phone again")
        #expect(try await phone.bookmarks.conflicts().map { $0.remote?.notes } == ["tablet again"])
    }

    @Test(arguments: [nil, true] as [Bool?])
    func aRecordInConflictStaysSoUntilAPersonDecides(later: Bool?) async throws {
        let choice = Guarded<Bool?>(false)
        let entities: [any SyncEntity.Type] = [Book.self, Shelf.self]
        let phone = try open("phone", entities: entities) { configuration in
            configuration.prefersRecent = { _ in choice.use { $0 } }
        }
        let tablet = try open("tablet", entities: entities)
        let (books, others) = (phone.collection(Book.self), tablet.collection(Book.self))
        try await books.insert(Book(id: "b", title: "first", price: 1))
        for space in [phone, tablet] { try await space.sync() }
        for (collection, title) in [(books, "phone"), (others, "tablet")] {
            await stage.time.advance(seconds: 5)
            try await collection.update("b") { $0.title = title }
        }
        for space in [tablet, phone] { try await space.sync() }
        // The schema says that the last write wins, and the person that theirs is kept.
        #expect(try await books.conflicts().map { $0.remote?.title } == ["tablet"])
        choice.use { $0 = later }
        try await phone.sync()
        try await others.update("b") { $0.title = "later" }
        for space in [tablet, phone] { try await space.sync() }
        #expect(try await books.conflicts().map { $0.remote?.title } == ["later"])
        #expect(try await books.find("b")?.title == "phone")
        try await books.resolve("b", with: .remote)
        for space in [phone, tablet] { try await space.sync() }
        #expect(try await books.find("b")?.title == "later")
        #expect(try await others.find("b")?.title == "later")
        #expect(try phone.status().isInSync)
    }

    @Test func eachAccountHasItsOwnChoice() async throws {
        var configuration = AccountsConfiguration(
            folder: stage.scratch.path + "/accounts",
            entities: Stage.entities,
            environment: SpaceEnvironment(clock: stage.time, random: SeededRandom(5), sleeper: stage.time)
        ) { [stage] account in try stage.remote(device: "accounts", person: account.text ?? "") }
        configuration.prefersRecent = { account, _ in account.text == "ada" }
        let accounts = try await SyncAccounts.open(configuration)
        for person in ["ada", "bob"] {
            let tablet = try stage.space(device: "tablet-" + person, of: person)
            try await accounts.signIn(AccountID(person), adopting: .nothing)
            let space = accounts.space
            try await editTwice(space, tablet)
            try await space.sync()
            #expect(try notes(space) == (person == "ada" ? "tablet" : "phone"))
            #expect(try space.status().conflicted == (person == "ada" ? 0 : 1))
        }
        await accounts.close()
    }

    @Test func aStoreIsTheSameWhateverAPersonChose() throws {
        let schemas = try [nil, true, false].map { (choice: Bool?) in
            let name = "stored-\(choice.map { "\($0)" } ?? "none")"
            let space = try open(name) { configuration in
                configuration.environment.random = SeededRandom(7)
                if let choice { configuration.prefersRecent = { _ in choice } }
            }
            try space.bookmarks.insert(Bookmark.verse(verse: 1, notes: "n"))
            space.close()
            // The same file opens with and without the setting.
            let again = try open(name)
            #expect(try again.bookmarks.count == 1)
            return try again.sql("SELECT name, sql FROM sqlite_schema ORDER BY name").map(\.values)
        }
        #expect(schemas[0] == schemas[1])
        #expect(schemas[1] == schemas[2])
        #expect(!schemas[0].isEmpty)
    }

    // MARK: What syncs

    @Test(arguments: [false, true])
    func whatIsExcludedWaitsAndCatchesUpOnceItIsIncludedAgain(isServed: Bool) async throws {
        let without = Guarded(true)
        let phone = try open("phone", isServed: isServed) { configuration in
            configuration.excludes = { $0 is Bookmark.Type && without.use { $0 } }
        }
        let tablet = try open("tablet", isServed: isServed)
        try await phone.bookmarks.insert(Bookmark.verse(verse: 1))
        try await phone.projects.insert(Project.named(id: "p"))
        try await tablet.bookmarks.insert(Bookmark.verse(verse: 2))
        try await tablet.projects.insert(Project.named(id: "t"))
        for space in [tablet, phone, tablet] { try await space.sync() }
        #expect(try tablet.projects.count == 2)
        #expect(try tablet.bookmarks.count == 1)
        #expect(try phone.projects.count == 2)
        // A folder shows what others wrote of it.
        #expect(try phone.bookmarks.count == (isServed ? 1 : 2))
        var status = try phone.status()
        #expect(status.pending == 1)
        #expect(!status.isInSync)
        #expect(status.phase == .idle)
        #expect(status.outside.excluded == ["bookmark"])
        #expect(try await phone.projects.lastSynced("p") != nil)
        #expect(try await phone.bookmarks.lastSynced(Bookmark.verse(verse: 1).id) == nil)
        #expect(try await phone.bookmarks.lastSynced(Bookmark.verse(verse: 2).id) == nil)

        without.use { $0 = false }
        #expect(try phone.status().phase == .waiting(until: nil))
        for space in [phone, tablet] { try await space.sync() }
        #expect(try tablet.bookmarks.count == 2)
        #expect(try phone.bookmarks.count == 2)
        status = try phone.status()
        #expect(status.isInSync)
        #expect(try await phone.bookmarks.lastSynced(Bookmark.verse(verse: 2).id) == status.lastSuccess)
    }

    @Test func whatIsAskedForByNameSyncsAlthoughItIsExcluded() async throws {
        let phone = try open("phone", isServed: true) { $0.excludes = { _ in true } }
        let tablet = try open("tablet", isServed: true)
        try await phone.bookmarks.insert(Bookmark.verse(verse: 1))
        try await phone.projects.insert(Project.named(id: "p"))
        try await phone.sync()
        try await tablet.sync()
        #expect(try tablet.bookmarks.count == 0)
        try await phone.sync(SyncOptions(entities: ["bookmark"]))
        try await tablet.sync()
        #expect(try tablet.bookmarks.count == 1)
        #expect(try tablet.projects.count == 0)
        #expect(try phone.status().pending == 1)
    }

    @Test(arguments: [[], ["book"]] as [[String]])
    func aTypeToWhichAnIncludedOneRefersIsSyncedWithIt(others: [String]) async throws {
        let entities: [any SyncEntity.Type] = [Book.self, Shelf.self]
        let phone = try open("phone", entities: entities) { configuration in
            configuration.excludes = { $0 is Shelf.Type || others.contains($0.adapter.descriptor.name) }
        }
        let tablet = try open("tablet", entities: entities)
        try await phone.collection(Shelf.self).insert(Shelf(id: "s", room: "hall"))
        try await phone.collection(Book.self).insert(Book(id: "b", shelfId: "s", title: "t", price: 1))
        for space in [phone, tablet] { try await space.sync() }
        #expect(try tablet.collection(Shelf.self).count == (others.isEmpty ? 1 : 0))
        #expect(try tablet.collection(Book.self).count == (others.isEmpty ? 1 : 0))
        #expect(try phone.status().outside.excluded == (others.isEmpty ? [] : ["book", "shelf"]))
    }

    @Test func aRunningSpaceLeavesOutWhatIsExcludedAndDoesNotSyncBecauseOfIt() async throws {
        let without = Guarded(true)
        let phone = try open("phone", isServed: true) { configuration in
            configuration.excludes = { $0 is Bookmark.Type && without.use { $0 } }
        }
        async let run: Void = phone.run()
        try await stage.until(what: "the first sync") { try phone.status().lastSuccess != nil }
        await stage.time.advance(seconds: 2)
        try await stage.until(what: "nothing is left to do") { try phone.status().outside.schedule == .idle }
        let before = try phone.syncHistory().count
        for verse in 1...3 {
            try await phone.bookmarks.insert(Bookmark.verse(verse: verse))
            await stage.time.advance(seconds: 5)
        }
        try await phone.sync()
        let after = try phone.syncHistory()
        #expect(after.count == before + 1, "\(after)")
        #expect(try phone.status().pending == 3)
        #expect(try phone.status().phase == .idle)
        without.use { $0 = false }
        try await phone.sync()
        #expect(try phone.status().pending == 0)
        phone.close()
        await run
    }
}
