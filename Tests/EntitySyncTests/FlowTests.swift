import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import Testing

/// What people do with an app, from the first tap to the other device.
@Suite struct FlowTests {
    let stage: Stage
    private let ada = AccountID("ada")

    init() throws { stage = try Stage() }

    /// Runs what an account's device does by itself beside a story.
    private func running(accounts: SyncAccounts, story: () async throws -> Void) async throws {
        let run = Task { await accounts.run() }
        do { try await story() } catch {
            run.cancel()
            await run.value
            throw error
        }
        run.cancel()
        await run.value
    }

    @Test func aGuestAddsABookmarkOfflineSignsUpLaterAndItIsUploaded() async throws {
        stage.network.set(false)
        let phone = try await stage.accounts(device: "phone")
        try await running(accounts: phone) {
            try await phone.bookmarks.insert(.verse(verse: 255, notes: "before there was an account"))
            await stage.time.advance(seconds: 3 * 86_400)
            try await phone.signIn(ada)
            #expect(try phone.space.notes == [255: "before there was an account"])
            #expect(try phone.space.status().pending == 1)
            stage.network.set(true)
            try await stage.until(what: "it is uploaded") { try phone.space.status().isInSync }
        }
        let tablet = try stage.space(device: "tablet")
        try await tablet.sync()
        #expect(try await tablet.bookmarks.all().map(\.userId) == ["ada"])
    }

    @Test func aBookmarkAddedOnlineIsVisibleAtOnceAndUploadedAfterHalfASecond() async throws {
        let phone = try await stage.accounts(device: "phone")
        try await phone.signIn(ada)
        try await running(accounts: phone) {
            try await stage.until(what: "the first sync") { try phone.space.status().isInSync }
            await stage.time.advance(seconds: 5)
            var seen = phone.bookmarks.observe().makeAsyncIterator()
            #expect(try await seen.next()?.isEmpty == true)
            let requests = stage.server.requests
            try await phone.bookmarks.insert(.verse(verse: 1))
            #expect(try await seen.next()?.count == 1)
            await stage.time.advance(seconds: 0.3)
            #expect(stage.server.requests == requests)
            try await stage.until(what: "it is uploaded") { try phone.space.status().isInSync }
            #expect(stage.server.requests > requests)
        }
    }

    enum Standing: CaseIterable { case synced, pending, inConflict }

    @Test(arguments: Standing.allCases)
    func aDeletedBookmarkIsGoneAtOnceGoneRemotelyAfterTheSyncAndNeverBack(standing: Standing) async throws {
        let (phone, tablet) = (try stage.space(device: "phone"), try stage.space(device: "tablet"))
        try await phone.bookmarks.insert(.verse(verse: 1, notes: "first"))
        if standing != .pending {
            try await phone.sync()
            try await tablet.sync()
        }
        if standing == .inConflict {
            try await tablet.bookmarks.save(.verse(verse: 1, notes: "on the tablet"))
            try await tablet.sync()
            try await phone.bookmarks.save(.verse(verse: 1, notes: "on the phone"))
            try await phone.sync()
            #expect(try phone.status().conflicted == 1)
        }
        try await phone.bookmarks.delete(Bookmark.verse(verse: 1).id)
        #expect(try phone.bookmarks.count == 0)
        for _ in 0..<3 {
            try await phone.sync()
            try await tablet.sync()
            #expect(try phone.bookmarks.count == 0)
            #expect(try tablet.bookmarks.count == 0)
        }
        #expect(try phone.status().isInSync)
        #expect(try tablet.status().isInSync)
    }

    @Test func editsOfflineOnOneDeviceAndOnlineOnAnotherAreAConflictAndItsResolutionReachesBoth() async throws
    {
        let (phone, tablet) = (try stage.space(device: "phone"), try stage.space(device: "tablet"))
        try await phone.bookmarks.insert(.verse(verse: 1, notes: "agreed"))
        try await phone.sync()
        try await tablet.sync()
        stage.network.set(false)
        try await phone.bookmarks.save(.verse(verse: 1, notes: "offline, on the phone"))
        stage.network.set(true)
        try await tablet.bookmarks.save(.verse(verse: 1, notes: "online, on the tablet"))
        try await tablet.sync()
        try await phone.sync()
        let conflict = try #require(try await phone.bookmarks.conflicts().first)
        #expect(conflict.base?.notes == "agreed")
        #expect(conflict.local?.notes == "offline, on the phone")
        #expect(conflict.remote?.notes == "online, on the tablet")
        #expect(try phone.notes == [1: "offline, on the phone"])
        try await phone.bookmarks.resolve(conflict, with: .value(.verse(verse: 1, notes: "both")))
        try await phone.sync()
        try await tablet.sync()
        #expect(try tablet.notes == [1: "both"])
        #expect(try await phone.bookmarks.conflicts().isEmpty)
        #expect(try phone.status().isInSync)
    }

    @Test func aDuplicateIsRefusedAndSaysWhichFieldsAreTaken() async throws {
        let phone = try stage.space(device: "phone")
        try await phone.bookmarks.insert(.verse(verse: 255))
        var again = Bookmark.verse(verse: 255)
        again.id = UUID()
        let error = #expect(throws: SyncError.self) { try phone.bookmarks.insert(again) }
        #expect(error?.kind == .invalidInput)
        #expect(error?.message.contains("userId, surahNumber, verseNumber") == true)
        #expect(try phone.bookmarks.count == 1)
        #expect(try phone.status().pending == 1)
    }

    @Test func theLimitIsWhatTheAppSaysWhenARecordIsAdded() async throws {
        let most = Guarded<Int?>(2)
        let (phone, tablet) = try (
            open("limit-phone", limit: { $0 is Pin.Type ? most.use { $0 } : nil }),
            open("limit-tablet", limit: nil)
        )
        let pins = phone.collection(Pin.self)
        for number in 1...2 { try await pins.insert(Pin(id: "p\(number)", label: "place")) }
        let error = #expect(throws: SyncError.self) { try pins.insert(Pin(id: "p3", label: "one more")) }
        #expect(error?.message == "There are 2 pin records already, as many as this app allows at present.")
        most.use { $0 = 5 }
        for number in 3...5 { try await pins.insert(Pin(id: "p\(number)", label: "place")) }
        // What others have stays, and so does what was there when the limit fell.
        most.use { $0 = 1 }
        let others = tablet.collection(Pin.self)
        for number in 6...8 { try await others.insert(Pin(id: "p\(number)", label: "place")) }
        try await tablet.sync()
        try await phone.sync()
        #expect(try pins.count == 8)
        #expect(try phone.status().isInSync)
        var edited = try #require(try await pins.find("p1"))
        edited.label = "edited"
        try await pins.update(edited)
        #expect(throws: SyncError.self) { try pins.insert(Pin(id: "p9", label: "one more")) }
        // Without an answer, the schema's limit of 3 counts.
        most.use { $0 = nil }
        let again = #expect(throws: SyncError.self) { try pins.insert(Pin(id: "p9", label: "one more")) }
        #expect(
            again?.message.contains("There are 3 pin records already, as many as the schema allows.") == true
        )
    }

    private func open(_ name: String, limit: (@Sendable (any SyncEntity.Type) -> Int?)?) throws -> SyncSpace {
        var configuration = SpaceConfiguration(
            folder: stage.scratch.path + "/" + name,
            entities: [Pin.self],
            remote: stage.scratch.remote
        )
        configuration.limit = limit
        return try SyncSpace.open(configuration)
    }

    @Test func oneOverTheLimitIsRefusedAndSaysTheLimit() throws {
        let space = try SyncSpace.open(
            SpaceConfiguration(folder: stage.scratch.path + "/pins", entities: [Pin.self])
        )
        let pins = space.collection(Pin.self)
        for number in 1...3 { try pins.insert(Pin(id: "p\(number)", label: "place \(number)")) }
        let error = #expect(throws: SyncError.self) { try pins.insert(Pin(id: "p4", label: "one more")) }
        #expect(error?.kind == .invalidInput)
        #expect(error?.message == "There are 3 pin records already, as many as the schema allows.")
        #expect(try pins.count == 3)
        try pins.delete("p1")
        try pins.insert(Pin(id: "p4", label: "one more"))
    }

    @Test func pullingToRefreshTwiceAtOnceIsOneSync() async throws {
        let phone = try stage.space(device: "phone")
        async let run: Void = phone.run()
        try await stage.until(what: "the first sync") { try phone.status().isInSync }
        await stage.time.advance(seconds: 5)
        var syncs = 0
        // On a busy machine, one may have ended before the other is asked for.
        for _ in 0..<10 where syncs != 1 {
            let before = try phone.syncHistory().count
            async let first = phone.sync()
            async let second = phone.sync()
            let reports = try await [first, second]
            #expect(reports[0] == reports[1])
            syncs = try phone.syncHistory().count - before
        }
        #expect(syncs == 1)
        phone.close()
        await run
    }

    @Test(arguments: 1...4)
    func aConnectionThatIsLostInTheMiddleLosesNothingAndDoublesNothing(request: Int) async throws {
        let (phone, tablet) = (try stage.space(device: "phone"), try stage.space(device: "tablet"))
        try await phone.write { batch in
            for number in 0..<1500 {
                try batch.insert(Bookmark.verse(verse: 1 + number % 250, surah: 1 + number / 250))
            }
        }
        let network = stage.network
        stage.server.setFaults { number, _ in
            guard number >= request else { return nil }
            if number == request { return .dropResponse }
            network.set(false)
            return .unreachable
        }
        _ = try? await stage.passing(seconds: 5) { try await phone.sync() }
        #expect(try phone.bookmarks.count == 1500)
        stage.server.setFaults(nil)
        network.set(true)
        await stage.time.advance(seconds: 600)
        try await phone.sync()
        try await tablet.sync()
        #expect(try phone.status().isInSync)
        #expect(try await tablet.bookmarks.all() == phone.bookmarks.all())
        #expect(try await phone.sync().entities.allSatisfy { $0.pushed == 0 && $0.pulled == 0 })
    }

    @Test func whoComesBackAfterSixtyDaysOfflineLosesNothingAndRevivesNothing() async throws {
        let (phone, tablet) = (try stage.space(device: "phone"), try stage.space(device: "tablet"))
        for verse in 1...5 { try await phone.bookmarks.insert(.verse(verse: verse, notes: "agreed")) }
        try await phone.sync()
        try await tablet.sync()
        // The tablet goes into a drawer with an edit, a delete and something new in it.
        try await tablet.bookmarks.save(.verse(verse: 1, notes: "edited in the drawer"))
        try await tablet.bookmarks.delete(Bookmark.verse(verse: 2).id)
        try await tablet.bookmarks.insert(.verse(verse: 6, notes: "made in the drawer"))
        try await phone.bookmarks.delete(Bookmark.verse(verse: 3).id)
        try await phone.bookmarks.save(.verse(verse: 4, notes: "edited meanwhile"))
        try await phone.sync()
        await stage.time.advance(seconds: 60 * 86_400)
        try await stage.server.purgeTombstones(olderThanDays: 30)
        try await tablet.sync()
        try await phone.sync()
        try await tablet.sync()
        let wanted = [
            1: "edited in the drawer", 4: "edited meanwhile", 5: "agreed", 6: "made in the drawer",
        ]
        #expect(try phone.notes == wanted)
        #expect(try tablet.notes == wanted)
        #expect(try phone.status().isInSync)
        #expect(try tablet.status().isInSync)
    }

    @Test func readMarksOfTwoDevicesBecomeTheirUnion() async throws {
        let (phone, tablet) = (try stage.space(device: "phone"), try stage.space(device: "tablet"))
        func read(_ links: Range<Int>, on space: SyncSpace) throws {
            try space.write { batch in
                for link in links {
                    try batch.save(ReadStatus(link: "https://example.org/\(link)", isRead: true))
                }
            }
        }
        try read(0..<6_108, on: phone)
        try read(3_000..<8_984, on: tablet)
        #expect(try phone.readStatuses.count == 6_108)
        #expect(try tablet.readStatuses.count == 5_984)
        try await phone.sync()
        try await tablet.sync()
        try await phone.sync()
        for space in [phone, tablet] {
            #expect(try space.readStatuses.count == 8_984)
            #expect(try await space.readStatuses.all().allSatisfy(\.isRead))
            #expect(try space.status().isInSync)
        }
    }
}
