import EntitySync
import EntitySyncServer
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import SyncServer
import Testing

/// What an extension sends without a store reaches every device, once, or is told.
@Suite struct DirectWriteTests {
    let stage: Stage

    init() throws { stage = try Stage() }

    private func backend(person: String = "ada") throws -> HTTPBackend {
        try stage.server.backend(
            token: "token-" + person,
            clock: stage.time,
            random: SeededRandom(11),
            sleeper: NoSleep()
        )
    }

    private func write(_ records: any SyncEntity..., seed: UInt64 = 1) throws -> DirectWrite {
        try DirectWrite(records, clock: stage.time, random: SeededRandom(seed))
    }

    @Test func oneRequestWithoutAStoreAndEveryDeviceShowsTheRecord() async throws {
        let phone = try stage.space(device: "phone")
        try await phone.bookmarks.insert(.verse(verse: 1, notes: "before"))
        try await phone.sync()
        let files = try FileManager.default.subpathsOfDirectory(atPath: stage.scratch.path)
        try await phone.bookmarks.update(.verse(verse: 1, notes: "not sent yet"))
        stage.server.setFaults(nil)
        #expect(try await backend().send(write(.verse(verse: 2, notes: "shared"))) == [.stored])
        #expect(stage.server.requests == 1)
        let added = Set(try FileManager.default.subpathsOfDirectory(atPath: stage.scratch.path)).subtracting(
            files
        )
        #expect(added.allSatisfy { $0.hasPrefix("server") || $0.hasPrefix("phone") }, "\(added)")
        let tablet = try stage.space(device: "tablet")
        for space in [phone, tablet] {
            #expect(try await space.sync().outcome == .synced)
            #expect(try space.notes == [1: "not sent yet", 2: "shared"])
            #expect(try await space.bookmarks.conflicts().isEmpty)
        }
    }

    @Test func aWriteWhoseAnswerWasLostIsSentAgainAndStoredOnce() async throws {
        let write = try write(.verse(verse: 1, notes: "shared"))
        stage.server.setFaults { count, _ in count == 1 ? .dropResponse : .unreachable }
        let error = await #expect(throws: SyncError.self) { try await backend().send(write) }
        #expect(error?.kind == .unreachable && error?.retry == .later)
        stage.server.setFaults(nil)
        let again = try DirectWrite(bytes: write.bytes)
        #expect(again == write)
        #expect(try await backend().send(again) == [.stored])
        #expect(try await backend().send(write) == [.stored])
        let phone = try stage.space(device: "phone")
        #expect(try await phone.sync().entities.map(\.pulled).reduce(0, +) == 1)
        var edited = try #require(try await phone.bookmarks.all().first)
        edited.notes = "edited since"
        try await phone.bookmarks.update(edited)
        try await phone.sync()
        #expect(try await backend().send(write) == [.stored], "it was, and somebody went on from there")
        try await phone.sync()
        #expect(try phone.notes == [1: "edited since"])
    }

    @Test func aKeyThatExistsIsToldAndNothingIsWritten() async throws {
        #expect(try await backend().send(write(.verse(verse: 1, notes: "first"), seed: 1)) == [.stored])
        let results = try await backend().send(
            write(.verse(verse: 1, notes: "other"), .verse(verse: 2, notes: "beside"), seed: 2)
        )
        guard case .keyTaken(let error) = results[0] else {
            Issue.record("\(results)")
            return
        }
        #expect(error.kind == .invalidInput && error.retry == .never)
        #expect(results[1].error == nil, "one that is refused holds up no other")
        let phone = try stage.space(device: "phone")
        try await phone.sync()
        #expect(try phone.notes == [1: "first", 2: "beside"])
    }

    @Test func duplicatesOfADeviceAreMergedThere() async throws {
        let phone = try stage.space(device: "phone")
        try await phone.bookmarks.insert(.verse(verse: 1, notes: "here"))
        let other = Bookmark(userId: "u1", surahNumber: 2, verseNumber: 1, tags: ["shared"])
        #expect(try await backend().send(write(other)) == [.stored])
        try await phone.sync()
        let found = try await phone.bookmarks.all()
        #expect(found.count == 1 && found.first?.notes == "here")
        // As the strategy says of two edits that have not seen each other, a person decides.
        let conflict = try #require(try await phone.bookmarks.conflicts().first)
        #expect(conflict.remote?.tags == ["shared"], "\(conflict)")
    }

    @Test func timesAreFilledUnlessTheyAreGiven() async throws {
        let now = stage.time.now().date
        var given = Bookmark.verse(verse: 2)
        given.updatedAt = now.addingTimeInterval(-3600)
        _ = try await backend().send(write(.verse(verse: 1), given))
        let phone = try stage.space(device: "phone")
        try await phone.sync()
        let records = try await phone.bookmarks.all().sorted { $0.verseNumber < $1.verseNumber }
        #expect(records.map(\.createdAt) == [now, given.updatedAt])
        #expect(records.map(\.updatedAt) == [now, given.updatedAt])
    }

    @Test func recordsOfSeveralEntitiesTravelTogether() async throws {
        let write = try write(Project.named(id: "p1"), Bookmark.verse(verse: 1))
        #expect(try await backend().send(write) == [.stored, .stored])
        let phone = try stage.space(device: "phone")
        try await phone.sync()
        #expect(try await phone.projects.all().map(\.id) == ["p1"])
        #expect(try await phone.bookmarks.all().count == 1)
    }

    @Test func aWireObjectIsSentAsItCame() async throws {
        let json = #"""
            {"id":"379066e4-6dd5-4050-8470-004e08da28bd","user_id":"u1","surah_number":2,"verse_number":255,
            "created_at":"2025-12-25T09:21:01Z","updated_at":"2025-12-25T09:21:01Z","colour":1.10}
            """#
        let object = try BookmarkDTO(json: json.utf8)
        let write = try DirectWrite(object, clock: stage.time, random: SeededRandom(1))
        #expect(try await backend().send(write) == [.stored])
        let phone = try stage.space(device: "phone")
        try await phone.sync()
        let found = try #require(try await phone.bookmarks.all().first)
        #expect(try BookmarkDTO(found).json() == object.json())
    }

    @Test func whatDoesNotFitIsToldBeforeARequest() throws {
        stage.server.setFaults(nil)
        let error = #expect(throws: SyncError.self) { try write(.verse(verse: 1, surah: 115)) }
        #expect(error?.kind == .invalidInput && error?.message.contains("[maximum]") == true)
        #expect(throws: SyncError.self) { try DirectWrite(bytes: Array("{}".utf8)) }
        var bytes = try write(.verse(verse: 1, notes: "a")).bytes
        bytes[bytes.count - 40] ^= 1
        #expect(throws: SyncError.self) { try DirectWrite(bytes: bytes) }
        #expect(stage.server.requests == 0)
    }

    @Test func aServerThatDoesNotTakeItSaysWhy() async throws {
        stage.server.add(Account(id: "bob", name: "bob", entities: ["project"]), token: "token-bob")
        let results = try await backend(person: "bob").send(
            write(Project.named(id: "p1"), Bookmark.verse(verse: 1))
        )
        #expect(results[0] == .stored)
        #expect(results[1].error?.kind == .notPermitted && results[1].error?.retry == .afterSignIn)
        stage.server.remove(token: "token-bob")
        let error = await #expect(throws: SyncError.self) {
            try await backend(person: "bob").send(write(Project.named(id: "p2")))
        }
        #expect(error?.kind == .notPermitted && error?.retry == .afterSignIn)
    }

    @Test func aServerThatIsDownAndAWriteThatIsTooLargeAreTold() async throws {
        stage.server.setFaults { _, _ in .unreachable }
        let down = await #expect(throws: SyncError.self) { try await backend().send(write(.verse(verse: 1))) }
        #expect(down?.kind == .unreachable && down?.retry == .later)
        stage.server.setFaults { _, _ in .answer(HTTPResponse(status: 413)) }
        let large = await #expect(throws: SyncError.self) {
            try await backend().send(write(.verse(verse: 1)))
        }
        #expect(large?.kind == .invalidInput && large?.retry == .never)
    }

    @Test func noTwoWritesHaveOneIdentity() throws {
        let random = SeededRandom(5)
        let writes = try (0..<100).map { _ in
            try DirectWrite([Bookmark.verse(verse: 1)], clock: stage.time, random: random)
        }
        #expect(Set(writes.map(\.bytes)).count == writes.count)
    }
}

extension DirectWriteTests {
    /// Bookmarks alone, so that a verse needs no type's name.
    private func write(_ bookmarks: Bookmark..., seed: UInt64 = 1) throws -> DirectWrite {
        try DirectWrite(bookmarks, clock: stage.time, random: SeededRandom(seed))
    }
}
