import EntitySync
import Foundation
import SyncChecks
import SyncEntities
import Testing
import Waits

/// The status in words, for views.
@Suite(.timeLimit(.minutes(30))) @MainActor struct StatusModelTests {
    let stage: Stage
    let silent = SilentRemote()
    /// The time of messages. Nothing else sleeps on it, unlike the stage's, on which requests wait, too.
    let time = VirtualTime()

    init() throws { stage = try Stage() }

    /// Follows a space beside a story.
    private func following(
        space: SyncSpace,
        model: SyncStatusModel,
        story: @MainActor () async throws -> Void
    ) async throws {
        let following = Task { await model.follow(space) }
        do { try await story() } catch {
            space.close()
            await following.value
            throw error
        }
        space.close()
        await following.value
        #expect(model.error == nil)
        #expect(model.text == nil)
    }

    private func until(model: SyncStatusModel, says text: String?) async throws {
        try await eventually(what: "the model says \(text ?? "nothing")") {
            model.status != nil && model.text == text
        }
    }

    @Test func aStatusLineSaysWhatHappens() async throws {
        let space = try SyncSpace.open(scratch: stage.scratch, name: "phone", remote: silent)
        let model = SyncStatusModel(sleeper: time)
        try await following(space: space, model: model) {
            try await until(model: model, says: nil)
            try await space.bookmarks.insert(.verse(verse: 1))
            try await until(model: model, says: "1 change waiting")
            try await space.bookmarks.insert(.verse(verse: 2))
            try await until(model: model, says: "2 changes waiting")
            let sync = Task { try await space.sync() }
            try await until(model: model, says: "Syncing…")
            try await silent.untilAsked()
            silent.fail(with: SyncError.storeBusy())
            await #expect(throws: SyncError.self) { try await sync.value }
            try await until(model: model, says: "Sync failed: Another process is syncing this store.")
        }
    }

    @Test func syncedGoesAfterThreeSecondsAndComesAgainWithTheNextSync() async throws {
        let space = try stage.space(device: "phone")
        let model = SyncStatusModel(sleeper: time)
        try await following(space: space, model: model) {
            try await space.bookmarks.insert(.verse(verse: 1))
            try await space.sync()
            try await until(model: model, says: "Synced")
            try await eventually(what: "the message has a time") { time.sleeping > 0 }
            await time.advance(seconds: 2.9)
            #expect(model.text == "Synced")
            await time.advance(seconds: 0.1)
            try await until(model: model, says: nil)
            space.report { $0.clockSkewSeconds = 1 }
            try await eventually(what: "the skew is told") { model.status?.outside.clockSkewSeconds == 1 }
            #expect(model.text == nil)
            await stage.time.advance(seconds: 1)
            try await space.sync()
            try await until(model: model, says: "Synced")
        }
    }

    @Test func aPassingFailureLeavesWhatStillWaits() async throws {
        let space = try SyncSpace.open(scratch: stage.scratch, name: "phone", remote: silent)
        let model = SyncStatusModel(clearsAfterSeconds: 10, sleeper: time)
        try await following(space: space, model: model) {
            try await space.bookmarks.insert(.verse(verse: 1))
            let sync = Task { try await space.sync() }
            try await silent.untilAsked()
            silent.fail(with: SyncError.storeBusy())
            await #expect(throws: SyncError.self) { try await sync.value }
            try await until(model: model, says: "Sync failed: Another process is syncing this store.")
            try await eventually(what: "the message has a time") { time.sleeping > 0 }
            await time.advance(seconds: 9.9)
            #expect(model.text?.hasPrefix("Sync failed") == true)
            await time.advance(seconds: 0.1)
            try await until(model: model, says: "1 change waiting")
        }
    }

    @Test func aFailureThatAPersonMustMendStays() async throws {
        let space = try SyncSpace.open(scratch: stage.scratch, name: "phone", remote: silent)
        let model = SyncStatusModel(sleeper: time)
        let newer = SyncError.newerSchema(entity: "bookmark", found: 3, known: 2)
        try await following(space: space, model: model) {
            let sync = Task { try await space.sync() }
            try await silent.untilAsked()
            silent.fail(with: newer)
            await #expect(throws: SyncError.self) { try await sync.value }
            let text = "Sync failed: " + newer.message
            try await until(model: model, says: text)
            await time.advance(seconds: 60)
            #expect(model.text == text)
        }
    }

    @Test func whereATokenIsRefusedItAsksToSignInUntilOneDoes() async throws {
        let space = try stage.space(device: "phone")
        let model = SyncStatusModel(sleeper: time)
        try await following(space: space, model: model) {
            try await space.bookmarks.insert(.verse(verse: 1))
            stage.server.remove(token: "token-ada")
            await #expect(throws: SyncError.self) { try await space.sync() }
            try await until(model: model, says: "Sign in again to sync")
            await time.advance(seconds: 60)
            #expect(model.text == "Sign in again to sync")
        }
    }

    @Test func withoutATimeAMessageStays() async throws {
        let space = try stage.space(device: "phone")
        let model = SyncStatusModel(clearsAfterSeconds: nil, sleeper: time)
        try await following(space: space, model: model) {
            try await space.sync()
            try await until(model: model, says: "Synced")
            await time.advance(seconds: 60)
            #expect(model.text == "Synced")
        }
    }

    @Test func anAppReplacesTheTexts() async throws {
        let space = try stage.space(device: "phone")
        var texts = SyncStatusTexts()
        texts.synced = "Alles da"
        texts.offline = "Kein Netz"
        texts.waiting = { "\($0) warten" }
        let model = SyncStatusModel(texts: texts, clearsAfterSeconds: nil, sleeper: time)
        try await following(space: space, model: model) {
            try await space.bookmarks.insert(.verse(verse: 1))
            try await until(model: model, says: "1 warten")
            try await space.sync()
            try await until(model: model, says: "Alles da")
            space.report { $0.schedule = .offline }
            try await until(model: model, says: "Kein Netz")
        }
    }

    @Test func aModelFollowsOneSpaceAfterAnother() async throws {
        let (phone, tablet) = (try stage.space(device: "phone"), try stage.space(device: "tablet"))
        let model = SyncStatusModel(sleeper: time)
        try await following(space: phone, model: model) {
            try await phone.bookmarks.insert(.verse(verse: 1))
            try await until(model: model, says: "1 change waiting")
        }
        try await following(space: tablet, model: model) {
            try await until(model: model, says: nil)
            for verse in 2...4 { try await tablet.bookmarks.insert(.verse(verse: verse)) }
            try await until(model: model, says: "3 changes waiting")
        }
    }
}
