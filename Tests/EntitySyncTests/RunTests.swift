import EntitySync
import Foundation
import SyncChecks
import SyncEntities
import SyncServer
import Testing

/// A space that runs syncs by itself, and says where it stands.
@Suite struct RunTests {
    let stage: Stage

    init() throws { stage = try Stage() }

    @Test func aWriteIsSeenAtOnceAndUploadedByItself() async throws {
        let space = try stage.space(device: "phone")
        try await running(space: space) {
            try await stage.until(what: "the first sync") { try space.status().isInSync }
            try await space.bookmarks.insert(.verse(verse: 1))
            #expect(try space.bookmarks.count == 1)
            #expect(try space.status().pending == 1)
            try await stage.until(what: "it was uploaded") { try space.status().isInSync }
        }
        let other = try stage.space(device: "tablet")
        try await other.sync()
        #expect(try await other.bookmarks.find(Bookmark.verse(verse: 1).id) != nil)
    }

    @Test func aSpaceThatIsClosedBeforeItsRunHasBegunDoesNotRun() async throws {
        let space = try stage.space(device: "phone")
        space.close()
        await space.run()
        #expect(stage.server.requests == 0)
    }

    @Test func fiveQuickWritesAreOneSync() async throws {
        let space = try stage.space(device: "phone")
        try await running(space: space) {
            try await stage.until(what: "the first sync") { try space.status().isInSync }
            // What the stream says when it is connected is synced, too.
            for _ in 0..<30 { await stage.time.advance(seconds: 0.1) }
            let before = try space.syncHistory().count
            for verse in 1...5 {
                try await space.bookmarks.insert(.verse(verse: verse))
                await stage.time.advance(seconds: 0.2)
            }
            #expect(try space.status().pending == 5)
            try await stage.until(what: "all are uploaded") { try space.status().isInSync }
            let syncs = try space.syncHistory().dropLast(before)
            #expect(syncs.filter { $0.pushed > 0 }.map(\.pushed) == [5])
        }
    }

    @Test func whatAnotherDeviceWritesComesByItself() async throws {
        let (phone, tablet) = (try stage.space(device: "phone"), try stage.space(device: "tablet"))
        try await running(space: phone) {
            try await stage.until(what: "the first sync") { try phone.status().isInSync }
            try await tablet.bookmarks.insert(.verse(verse: 7, notes: "from the tablet"))
            try await tablet.sync()
            try await stage.until(what: "it came") { try phone.notes == [7: "from the tablet"] }
        }
    }

    @Test func whatWasWrittenBeforeTheRunIsUploadedAlsoInTheBackground() async throws {
        let space = try stage.space(device: "phone")
        try await space.bookmarks.insert(.verse(verse: 1))
        async let run: Void = space.run(startsActive: false)
        try await stage.until(what: "it was uploaded") { try space.status().isInSync }
        space.close()
        await run
    }

    @Test func whatAnotherProcessWritesIsUploaded() async throws {
        let space = try stage.space(device: "phone")
        try await running(space: space) {
            try await stage.until(what: "the first sync") { try space.status().isInSync }
            let other = try stage.space(device: "phone")
            try await other.bookmarks.insert(.verse(verse: 1))
            other.close()
            try await stage.until(what: "it was uploaded") {
                try space.status().isInSync && space.bookmarks.count == 1
            }
        }
    }

    @Test func aRefusedTokenPausesTheAccountUntilItIsLetInAgain() async throws {
        let space = try stage.space(device: "phone")
        try await running(space: space) {
            try await stage.until(what: "the first sync") { try space.status().isInSync }
            stage.server.remove(token: "token-ada")
            try await space.bookmarks.insert(.verse(verse: 1))
            try await stage.until(what: "it is paused") { try space.status().outside.account == .paused }
            let asked = stage.server.requests
            for _ in 0..<100 { await stage.time.advance(seconds: 60) }
            #expect(stage.server.requests == asked)
            #expect(try space.status().pending == 1)
            stage.server.add(Account(id: "ada", name: "ada"), token: "token-ada")
            await space.accountResumed()
            try await stage.until(what: "it was uploaded") { try space.status().isInSync }
            #expect(try space.status().outside.account == .signedIn)
        }
    }

    @Test func theNextAttemptAfterAFailureIsShown() async throws {
        let space = try stage.space(device: "phone")
        try await running(space: space) {
            try await stage.until(what: "the first sync") { try space.status().isInSync }
            stage.server.setFaults { _, _ in .unreachable }
            try await space.bookmarks.insert(.verse(verse: 1))
            try await stage.until(what: "it waits") { try space.status().outside.nextRetry != nil }
            stage.server.setFaults(nil)
            try await stage.until(what: "it was uploaded") { try space.status().isInSync }
            #expect(try space.status().outside.nextRetry == nil)
        }
    }

    @Test func aSyncThatSomebodyAsksForIsRefusedWithoutANetworkAndGoesOnWithOne() async throws {
        let space = try stage.space(device: "phone")
        stage.network.set(false)
        try await running(space: space) {
            try await space.bookmarks.insert(.verse(verse: 1))
            await #expect(throws: SyncError.offline()) { try await space.sync() }
            #expect(try space.status().pending == 1)
            stage.network.set(true)
            try await stage.until(what: "it was uploaded") { try space.status().isInSync }
        }
    }

    @Test func itIsKnownHowFarTheServersClockIsAhead() async throws {
        let late = ManualClock(Timestamp(microseconds: stage.time.now().microseconds - 30_000_000))
        let space = try stage.space(device: "phone", clock: late)
        #expect(try space.status().outside.clockSkewSeconds == nil)
        try await space.sync()
        #expect(try space.status().outside.clockSkewSeconds == 30)
    }

    @Test func aSpaceWithoutRemoteRunsNothingAndSaysWhyItCannotSync() async throws {
        let space = try SyncSpace.open(scratch: stage.scratch, name: "alone")
        await space.run()
        let error = await #expect(throws: SyncError.self) { try await space.sync() }
        #expect(error?.kind == .usage)
    }
}
