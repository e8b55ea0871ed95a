import EntitySync
import EntitySyncFolder
import Foundation
import SyncEntities
import Testing
import Waits

@Suite struct AutomationSnippets {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func aSpaceRunsOnAPolicyAndIsTold() async throws {
        let (folder, sharedFolder) = (desk.path + "/phone", desk.sharedFolder)
        // snippet: automation-policy
        var configuration = SpaceConfiguration(
            folder: folder,
            entities: [Bookmark.self, Project.self],
            remote: FolderBackend(root: sharedFolder)
        )
        configuration.essential = [Bookmark.self]
        configuration.schedule.debounceSeconds = 1
        configuration.schedule.periodSeconds = 300
        let space = try SyncSpace.open(configuration)
        // snippet end
        try await space.collection(Bookmark.self).insert(
            Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255)
        )
        // snippet: automation-run
        let running = Task { await space.run() }
        // snippet end
        // snippet: automation-told
        space.remoteMayHaveChanged([Bookmark.self])
        // snippet end
        // snippet: automation-statuses
        for try await status in space.statuses() {
            if status.isInSync { break }
        }
        // snippet end
        #expect(try space.status().isInSync)
        // snippet: automation-resumed
        await space.accountResumed()
        // snippet end
        space.close()
        await running.value
    }

    /// What a person has chosen in the settings of an app.
    private final class Settings: Sendable {
        var keepsMostRecentNotes: Bool { true }
        var syncsBookmarks: Bool { false }
    }

    @Test func aPersonChoosesWhoWinsAndWhatSyncs() async throws {
        let settings = Settings()
        var configuration = SpaceConfiguration(
            folder: desk.path + "/chosen",
            entities: [Bookmark.self, Project.self],
            remote: FolderBackend(root: desk.sharedFolder)
        )
        // snippet: strategies-choice
        configuration.prefersRecent = { type in
            type is Bookmark.Type ? settings.keepsMostRecentNotes : nil
        }
        // snippet end
        // snippet: automation-excludes
        configuration.excludes = { type in
            type is Bookmark.Type && !settings.syncsBookmarks
        }
        // snippet end
        let space = try SyncSpace.open(configuration)
        try await space.collection(Bookmark.self).insert(
            Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255)
        )
        try await space.sync()
        #expect(try space.status().pending == 1)
        #expect(try space.status().outside.excluded == ["bookmark"])
        space.close()
    }

    @Test func aStatusSaysWhatAPersonShouldKnow() async throws {
        let space = try desk.device(name: "phone")
        try await space.collection(Bookmark.self).insert(
            Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255)
        )
        // snippet: troubleshooting-status
        func sentence(status: SyncStatus) -> String {
            if status.outside.account == .paused { return "Sign in again." }
            if status.rejected > 0 { return "\(status.rejected) records were refused." }
            if status.conflicted > 0 { return "\(status.conflicted) records need a decision." }
            if status.isInSync { return "Up to date." }
            if case .syncing = status.phase { return "Syncing." }
            if let failure = status.lastFailure { return failure.error.message }
            return "\(status.pending) edits wait."
        }
        // snippet end
        #expect(sentence(status: try space.status()) == "1 edits wait.")
        try await space.sync()
        #expect(sentence(status: try space.status()) == "Up to date.")
        // snippet: troubleshooting-history
        for sync in try space.syncHistory().prefix(5) {
            print(sync.ended, sync.outcome, sync.error?.message ?? "")
        }
        // snippet end
        #expect(try space.syncHistory().map(\.outcome) == [.synced])
    }

    @Test @MainActor func theTextsOfAStatusAreReplaced() async throws {
        let space = try desk.device(name: "phone")
        // snippet: automation-texts
        var texts = SyncStatusTexts()
        texts.synced = "All saved"
        texts.waiting = { count in "\(count) to send" }
        let model = SyncStatusModel(texts: texts, clearsAfterSeconds: 5)
        // snippet end
        try await space.collection(Bookmark.self).insert(
            Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255)
        )
        let following = Task { await model.follow(space) }
        try await eventually(what: "the model counts") { model.text == "1 to send" }
        space.close()
        await following.value
    }

    @Test func whatTheRemoteLacksIsAcceptedOnPurpose() async throws {
        let space = try desk.device(name: "phone")
        // snippet: troubleshooting-missing
        try await space.sync(SyncOptions(acceptsMissing: true))
        // snippet end
        #expect(try space.status().isInSync)
    }

    @Test func aFolderThatWasEmptiedIsJoinedOnPurpose() async throws {
        let space = try desk.device(name: "phone")
        let bookmark = Bookmark(userId: "ada", surahNumber: 2, verseNumber: 255)
        try await space.collection(Bookmark.self).insert(bookmark)
        try await space.sync()
        try FileManager.default.removeItem(atPath: desk.sharedFolder)
        try FileManager.default.createDirectory(atPath: desk.sharedFolder, withIntermediateDirectories: false)
        let error = await #expect(throws: SyncError.self) { try await space.sync() }
        #expect(error?.kind == .wrongRemote)
        // snippet: troubleshooting-rejoin
        try await space.sync(SyncOptions(rejoins: true))
        // snippet end
        let tablet = try desk.device(name: "tablet")
        try await tablet.sync()
        #expect(try await tablet.collection(Bookmark.self).find(bookmark.id) != nil)
    }

    @Test func anErrorSaysWhetherTryingAgainHelps() async throws {
        let space = try SyncSpace.open(
            SpaceConfiguration(folder: desk.path + "/alone", entities: [Bookmark.self])
        )
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        func signIn() { shown.append("sign in") }
        // snippet: troubleshooting-retry
        do {
            try await space.sync()
        } catch let error as SyncError {
            switch error.retry {
            case .later: show("\(error.message) It is tried again later.")
            case .afterSignIn: signIn()
            case .afterAction, .never: show("\(error.message) \(error.help)")
            }
        }
        // snippet end
        #expect(shown.count == 1 && shown[0].hasPrefix("This space has no remote"))
    }
}

#if canImport(SwiftUI) && canImport(UIKit)
    import SwiftUI
    import UIKit

    // snippet: automation-app
    struct SyncedView: View {
        let space: SyncSpace
        @Environment(\.scenePhase) private var scenePhase
        @State private var model = SyncStatusModel()

        var body: some View {
            Text(model.text ?? "")
                .task { await space.run() }
                .task { await model.follow(space) }
                .onChange(of: scenePhase) { _, phase in
                    if phase == .active { space.appBecameActive() }
                    if phase == .background { space.appEnteredBackground() }
                }
        }
    }
    // snippet end

    // snippet: automation-ports
    @MainActor
    func makeConfiguration(folder: String, remote: any RemoteBackend) -> SpaceConfiguration {
        let background = AppBackgroundTime { expired in
            let app = UIApplication.shared
            let task = app.beginBackgroundTask(withName: "sync", expirationHandler: expired)
            if task == .invalid { return nil }
            return (app.backgroundTimeRemaining, { app.endBackgroundTask(task) })
        }
        background.registerRefresh(identifier: "org.example.refresh")
        var configuration = SpaceConfiguration(folder: folder, entities: [Bookmark.self], remote: remote)
        configuration.environment.connectivity = PathConnectivity()
        configuration.environment.background = background
        return configuration
    }
// snippet end
#endif
