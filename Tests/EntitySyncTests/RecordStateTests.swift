import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import SyncServer
import Testing

/// Where a record stands towards the remote, beside its value.
@Suite struct RecordStateTests {
    let stage: Stage
    let phone: SyncSpace
    let key = Bookmark.verse(verse: 1).id

    init() throws {
        stage = try Stage()
        phone = try stage.space(device: "phone")
    }

    @Test func aWriteIsPendingUntilTheRemoteHasIt() async throws {
        #expect(try phone.bookmarks.state(of: key) == nil)
        #expect(try phone.bookmarks.findStated(key) == nil)
        try await phone.bookmarks.insert(.verse(verse: 1, notes: "first"))
        #expect(try phone.bookmarks.state(of: key) == .pendingSync)
        try await phone.sync()
        let record = try #require(try phone.bookmarks.findStated(key))
        #expect(record.state == .synced)
        #expect(record.value.notes == "first" && record.notes == "first")
    }

    @Test func anObservedStateGoesFromPendingToSynced() async throws {
        var states = phone.bookmarks.observeState(of: key).makeAsyncIterator()
        var records = phone.bookmarks.observeStated(key).makeAsyncIterator()
        var lists = phone.bookmarks.observeStated().makeAsyncIterator()
        #expect(try await states.next() == .some(nil))
        #expect(try await records.next() == .some(nil))
        #expect(try await lists.next()?.map(\.state) == [])
        try await phone.bookmarks.insert(.verse(verse: 1))
        #expect(try await states.next() == .pendingSync)
        #expect(try await records.next()??.state == .pendingSync)
        #expect(try await lists.next()?.map(\.state) == [.pendingSync])
        try await phone.sync()
        #expect(try await states.next() == .synced)
        #expect(try await records.next()??.state == .synced)
        #expect(try await lists.next()?.map(\.state) == [.synced])
    }

    @Test func anObservedStateOfADeleteIsKnownUntilTheRemoteHasIt() async throws {
        try await phone.bookmarks.insert(.verse(verse: 1))
        try await phone.sync()
        try await phone.bookmarks.delete(key)
        #expect(try phone.bookmarks.state(of: key) == .pendingSync)
        #expect(try phone.bookmarks.findStated(key) == nil)
        let deleted = try phone.bookmarks.queryStated(SyncQuery().includingDeleted())
        #expect(deleted.map(\.state) == [.pendingSync])
        try await phone.sync()
        #expect(try phone.bookmarks.state(of: key) == .synced)
    }

    @Test func aConflictIsAStateUntilItIsResolved() async throws {
        let tablet = try stage.space(device: "tablet")
        try await phone.bookmarks.insert(.verse(verse: 1, notes: "base"))
        try await phone.sync()
        try await tablet.sync()
        for (space, notes) in [(tablet, "of the tablet"), (phone, "of the phone")] {
            var bookmark = try #require(try await space.bookmarks.find(key))
            bookmark.notes = notes
            try await space.bookmarks.update(bookmark)
            try await space.sync()
        }
        var states = phone.bookmarks.observeState(of: key).makeAsyncIterator()
        #expect(try await states.next() == .conflict)
        try await phone.bookmarks.resolve(key, with: .local)
        #expect(try await states.next() == .pendingSync)
        try await phone.sync()
        #expect(try await states.next() == .synced)
    }

    @Test func aRefusalIsAStateAmongTheResultsOfAQuery() async throws {
        stage.server.setFaults { _, request in
            let isPoisoned = String(decoding: request.body, as: UTF8.self).contains("poison")
            return isPoisoned ? .answer(HTTPResponse(status: 503)) : nil
        }
        try await phone.bookmarks.insert(.verse(verse: 1, notes: "poison"))
        try await phone.bookmarks.insert(.verse(verse: 2, notes: "fine"))
        let query = SyncQuery<Bookmark>().sort(by: Bookmark.Fields.createdAt).limit(10)
        var lists = phone.bookmarks.observeStated(query).makeAsyncIterator()
        #expect(try await lists.next()?.map(\.state) == [.pendingSync, .pendingSync])
        let phone = phone
        _ = try await stage.passing(seconds: 60) { try await phone.sync() }
        let found = try phone.bookmarks.queryStated(query)
        #expect(found.map(\.value) == (try await phone.bookmarks.query(query)))
        #expect(found.map(\.state) == [.rejected, .synced])
        while let list = try await lists.next(), list != found {}
    }

    @Test func aStateIsReadAndObservedWithoutAWrite() async throws {
        try await phone.bookmarks.insert(.verse(verse: 1))
        var states = phone.bookmarks.observeState(of: key).makeAsyncIterator()
        try await phone.write { batch in
            // NB: one writer at a time: a read that needed a transaction of its own would wait for this one for ever.
            #expect(try phone.bookmarks.state(of: key) == .pendingSync)
            #expect(try phone.bookmarks.queryStated().count == 1)
            try batch.save(Bookmark.verse(verse: 2))
        }
        #expect(try await states.next() == .pendingSync)
    }

    @Test func aQueryThatNoIndexServesIsAnErrorHereToo() throws {
        let query = SyncQuery<Bookmark>().filter(Bookmark.Fields.notes == "x")
        #expect(throws: SyncError.self) { try phone.bookmarks.queryStated(query) }
    }
}
