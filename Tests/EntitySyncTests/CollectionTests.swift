import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// Records are written and read as an app's own types.
@Suite struct CollectionTests {
    let scratch: Scratch
    let clock = ManualClock()
    let space: SyncSpace

    init() throws {
        scratch = try Scratch()
        space = try SyncSpace.open(scratch: scratch, clock: clock)
    }

    private func error(body: () throws -> Void) throws -> SyncError {
        try #require(throws: SyncError.self) { try body() }
    }

    @Test func whatIsWrittenIsReadAndOutlivesTheSpace() throws {
        let written = try space.bookmarks.insert(.verse(verse: 255, notes: "throne"))
        #expect(try space.bookmarks.find(written.id) == written)
        space.close()
        let again = try SyncSpace.open(scratch: scratch)
        #expect(try again.bookmarks.find(written.id) == written)
        #expect(try again.bookmarks.all() == [written])
        #expect(try again.status().pending == 1)
    }

    @Test func timesOfCreationAndEditAreFilledIn() throws {
        let first = try space.bookmarks.insert(.verse(verse: 1))
        #expect(first.createdAt == clock.now().date)
        #expect(first.updatedAt == clock.now().date)
        clock.advance(seconds: 60)
        let second = try space.bookmarks.save(.verse(verse: 1, notes: "made anew by the app"))
        #expect(second.createdAt == first.createdAt)
        #expect(second.updatedAt == clock.now().date)
    }

    @Test func insertRefusesAKeyThatIsTaken() throws {
        try space.bookmarks.insert(.verse(verse: 1, notes: "kept"))
        let error = try error { try space.bookmarks.insert(.verse(verse: 1, notes: "other")) }
        #expect(error.kind == .invalidInput)
        #expect(error.message == "There is a bookmark record with that key already.")
        #expect(try space.bookmarks.find(Bookmark.verse(verse: 1).id)?.notes == "kept")
    }

    @Test func updateAndDeleteNeedARecord() throws {
        #expect(try error { try space.bookmarks.update(.verse(verse: 1)) }.kind == .notFound)
        #expect(try error { try space.bookmarks.delete(Bookmark.verse(verse: 1).id) }.kind == .notFound)
        try space.bookmarks.insert(.verse(verse: 1))
        try space.bookmarks.delete(Bookmark.verse(verse: 1).id)
        #expect(try error { try space.bookmarks.update(.verse(verse: 1)) }.kind == .notFound)
        #expect(try space.bookmarks.count == 0)
    }

    @Test func aDeletedRecordIsGoneAtOnceAndMayBeMadeAgain() throws {
        try space.bookmarks.insert(.verse(verse: 1))
        try space.bookmarks.delete(Bookmark.verse(verse: 1).id)
        #expect(try space.bookmarks.find(Bookmark.verse(verse: 1).id) == nil)
        #expect(try space.bookmarks.all().isEmpty)
        try space.bookmarks.insert(.verse(verse: 1, notes: "again"))
        #expect(try space.bookmarks.count == 1)
    }

    @Test func aDuplicateIsRefusedWithTheFieldsThatClash() throws {
        try space.bookmarks.insert(.verse(verse: 1))
        var double = Bookmark.verse(verse: 1)
        double.id = UUID()
        let error = try error { try space.bookmarks.insert(double) }
        #expect(error.message.contains("the same userId, surahNumber, verseNumber already"))
        #expect(try space.bookmarks.count == 1)
    }

    @Test func aValueThatDoesNotFitIsRefusedWithItsField() throws {
        let error = try error { try space.bookmarks.insert(.verse(verse: 1, surah: 115)) }
        #expect(error.kind == .invalidInput)
        #expect(error.message.contains("'surahNumber'"))
        var place = Project.named(id: "p1")
        place.latitude = .nan
        #expect(try self.error { try space.projects.save(place) }.message.contains("'latitude'"))
        #expect(try space.status().pending == 0)
    }

    @Test func aBatchIsWrittenWholeOrNotAtAll() throws {
        try space.projects.insert(.named(id: "p1"))
        try space.write { batch in
            try batch.save(Bookmark.verse(verse: 1))
            try batch.delete(Project.self, key: "p1")
            #expect(try batch.find(Bookmark.self, key: Bookmark.verse(verse: 1).id) != nil)
        }
        #expect(try space.bookmarks.count == 1)
        #expect(try space.projects.count == 0)
        let error = try error {
            try space.write { batch in
                try batch.save(Bookmark.verse(verse: 2))
                try batch.delete(Project.self, key: "p1")
            }
        }
        #expect(error.kind == .notFound)
        #expect(try space.bookmarks.find(Bookmark.verse(verse: 2).id) == nil)
    }

    @Test func refusedRecordsAreListedWithTheirReasonUntilTheyAreEdited() throws {
        let bookmark = try space.bookmarks.insert(.verse(verse: 1))
        try space.localStore.write(.full) { transaction in
            let (entity, key) = (BookmarkAdapter.descriptor, Bookmark.recordKey(bookmark.id))
            var header = try #require(try transaction.header(entity: entity, key: key))
            header.state = .rejected
            try transaction.update(entity: entity, key: key, header: header)
            try transaction.setRejection(
                Rejection(
                    entity: entity.name,
                    key: key,
                    reason: "too long",
                    attempts: 2,
                    raw: nil,
                    since: clock.now()
                )
            )
        }
        let rejection = try #require(try space.bookmarks.rejected().first)
        #expect(rejection.id == Bookmark.recordKey(bookmark.id))
        #expect(rejection.reason == "too long")
        #expect(rejection.attempts == 2)
        #expect(rejection.local == bookmark)
        #expect(try space.status().rejected == 1)
        #expect(try space.projects.rejected().isEmpty)
        try space.bookmarks.save(.verse(verse: 1, notes: "shorter"))
        #expect(try space.bookmarks.rejected().isEmpty)
        #expect(try space.status().pending == 1)
    }

    @Test func aCollectionOfAnotherEntityThrows() throws {
        let money = space.collection(Transaction.self)
        #expect(try error { _ = try money.all() }.message == "There is no entity 'transaction'.")
    }

    @Test func aSpaceWithoutRemoteSaysSoWhenAskedToSync() async throws {
        let error = await #expect(throws: SyncError.self) { try await space.sync() }
        #expect(error?.message == "This space has no remote to sync with.")
    }
}

/// What other devices did is seen and resolved as an app's own types.
@Suite struct ConflictTests {
    let scratch: Scratch
    let a: SyncSpace
    let b: SyncSpace
    let key = Bookmark.verse(verse: 1).id

    init() throws {
        scratch = try Scratch()
        a = try SyncSpace.open(scratch: scratch, name: "a", remote: scratch.remote)
        b = try SyncSpace.open(scratch: scratch, name: "b", remote: scratch.remote)
    }

    private func edit(_ space: SyncSpace, notes: String) throws {
        var bookmark = try #require(try space.bookmarks.find(key))
        bookmark.notes = notes
        try space.bookmarks.update(bookmark)
    }

    private func conflictOnA() async throws -> SyncConflict<Bookmark> {
        try await a.bookmarks.insert(.verse(verse: 1, notes: "base"))
        try await a.sync()
        try await b.sync()
        try edit(a, notes: "of a")
        try edit(b, notes: "of b")
        try await b.sync()
        try await a.sync()
        return try #require(try await a.bookmarks.conflicts().first)
    }

    @Test func aConflictShowsBaseLocalAndRemote() async throws {
        let conflict = try await conflictOnA()
        #expect(conflict.base?.notes == "base")
        #expect(conflict.local?.notes == "of a")
        #expect(conflict.remote?.notes == "of b")
        #expect(try await a.bookmarks.find(key)?.notes == "of a")
        #expect(try a.status().conflicted == 1)
        #expect(try !a.status().isInSync)
    }

    @Test(arguments: ["of a", "of b", "of both"])
    func aResolutionReachesTheOtherDevice(result: String) async throws {
        let conflict = try await conflictOnA()
        switch result {
        case "of a": try await a.bookmarks.resolve(conflict, with: .local)
        case "of b": try await a.bookmarks.resolve(key, with: .remote)
        default: try await a.bookmarks.resolve(key, with: .value(.verse(verse: 1, notes: result)))
        }
        #expect(try await a.bookmarks.conflicts().isEmpty)
        try await a.sync()
        try await b.sync()
        for space in [a, b] { #expect(try await space.bookmarks.find(key)?.notes == result) }
        #expect(throws: SyncError.self) { try a.bookmarks.resolve(key, with: .local) }
    }

    @Test func aMergedKeyAnswersItsSurvivor() async throws {
        var other = Bookmark.verse(verse: 1, notes: "of b")
        other.id = UUID(uuid: (255, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))
        try await a.bookmarks.insert(.verse(verse: 1, notes: "of a"))
        try await b.bookmarks.insert(other)
        for space in [a, b, a, b] { try await space.sync() }
        #expect(try await a.bookmarks.find(other.id)?.id == key)
        #expect(try a.bookmarks.count == 1)
    }
}
