import EntitySync
import Foundation
import SyncEntities
import SyncUI
import Testing
import Waits

/// The badge, and the log of a space.
@Suite(.timeLimit(.minutes(30))) @MainActor struct LogModelTests {
    private func status(_ change: (inout SyncStatus) -> Void = { _ in }) throws -> SyncStatus {
        let space = try SyncSpace.temporary(entities: [Bookmark.self])
        defer { space.close() }
        var status = try space.status()
        change(&status)
        return status
    }

    @Test func whatNeedsAPersonComesFirstOnTheBadge() throws {
        let failure = SyncError(kind: .notPermitted, message: "No.", help: "Sign in.", retry: .afterAction)
        let at = Timestamp(microseconds: 0)
        #expect(SyncBadge(status: nil).kind == .syncing && SyncBadge(status: nil).label == "Syncing…")
        let waiting = try status { $0.pending = 2 }
        #expect(SyncBadge(status: waiting).kind == .waiting)
        #expect(SyncBadge(status: waiting).label == "2 changes waiting")
        let syncing = try status { $0.outside.progress = .started }
        #expect(SyncBadge(status: syncing).label == "Syncing…")
        let conflict = try status { ($0.conflicted, $0.outside.progress) = (1, .started) }
        #expect(SyncBadge(status: conflict).kind == .attention)
        #expect(SyncBadge(status: conflict).label == "1 record needs a decision")
        let failed = try status {
            $0.conflicted = 1
            $0.lastFailure = SyncStatus.Failure(at: at, error: failure)
        }
        #expect(SyncBadge(status: failed).label == "Sync failed: No.")
        let symbols = [waiting, syncing, conflict].map { SyncBadge(status: $0).symbolName }
        #expect(Set(symbols).count == 3)
    }

    /// Apple permits its symbols of iCloud for iCloud alone, and the remote may be anything.
    @Test func noSymbolNamesAService() {
        let symbols = SyncBadge.Kind.allCases.map(\.symbolName)
        #expect(Set(symbols).count == SyncBadge.Kind.allCases.count)
        #expect(symbols.allSatisfy { !$0.contains("cloud") })
    }

    @Test func aSyncedSpaceHasTheBadgeOfOne() async throws {
        let devices = try Devices()
        try await devices.phone.bookmarks.insert(.verse(1))
        #expect(SyncBadge(status: try devices.phone.status()).kind == .waiting)
        try await devices.phone.sync()
        #expect(SyncBadge(status: try devices.phone.status()).kind == .synced)
    }

    @Test func theLogTellsPastSyncsNewestFirst() async throws {
        let devices = try Devices()
        let model = SyncLogModel()
        let following = Task { await model.follow(devices.phone) }
        try await devices.phone.sync()
        try await devices.phone.bookmarks.insert(.verse(1))
        try await devices.phone.sync()
        try await eventually(what: "two syncs are told") { model.syncs.count >= 2 }
        #expect(model.syncs.map(\.summary) == ["1 sent", "Nothing new"])
        #expect(model.syncs[0].started >= model.syncs[1].started && !model.syncs[0].isFailure)
        devices.phone.close()
        await following.value
        #expect(model.error == nil)
    }

    @Test func theLogSpeaksTheLanguageOfTheApp() async throws {
        let devices = try Devices()
        try await devices.phone.bookmarks.insert(.verse(1))
        try await devices.phone.sync()
        let model = SyncLogModel()
        model.load(devices.phone)
        var texts = SyncLogTexts()
        texts.count = { what, records in what == .sent ? "\(records) gesendet" : "\(records) andere" }
        let sync = try #require(model.syncs.first).sync
        #expect(texts.summary(of: sync) == "1 gesendet")
        for rule in [
            "last-write-wins", "cascade", "resolution", "restored", "discarded", "copied-store", "altered",
        ] {
            #expect(texts.rule(rule) != rule, "a rule has words of its own")
        }
    }

    @Test func aValueThatLostIsBroughtBackFromTheLog() async throws {
        let devices = try Devices()
        try await devices.phone.projects.insert(Project(id: "p", companyId: "c", title: "base", status: .rfq))
        try await devices.phone.sync()
        try await devices.tablet.sync()
        for (space, title) in [(devices.phone, "first"), (devices.tablet, "second")] {
            var project = try #require(try await space.projects.find("p"))
            project.title = title
            try await space.projects.update(project)
        }
        try await devices.phone.sync()
        try await devices.tablet.sync()
        let model = SyncLogModel()
        model.load(devices.tablet)
        let decision = try #require(model.decisions.first)
        #expect(try await devices.tablet.projects.find("p")?.title == "second")
        #expect(model.restore(decision, in: devices.tablet) && model.restored == [decision.id])
        #expect(try await devices.tablet.projects.find("p")?.title == "first")
        #expect(!model.restore(decision, in: devices.phone))
        #expect(model.error?.kind == .notFound)
    }
}
