import EntitySync
import Foundation
import SyncChecks
import SyncCore
import SyncEntities
import SyncFileBackend
import Testing

/// A remote's wish to be left alone for a while is obeyed, also after a sync that succeeded.
@Suite(.timeLimit(.minutes(30))) struct AskedToWaitTests {
    let stage: Stage

    init() throws { stage = try Stage() }

    private func after(seconds: Int64) -> Timestamp {
        Timestamp(microseconds: stage.time.now().microseconds + seconds * 1_000_000)
    }

    @Test func automaticSyncsWaitAsLongAsTheRemoteAsks() async throws {
        let wish = Guarded<Timestamp?>(nil)
        let remote = WishingRemote(base: FolderBackend(root: stage.scratch.path + "/shared"), wish: wish)
        var configuration = SpaceConfiguration(
            folder: stage.scratch.path + "/phone",
            entities: Stage.entities,
            remote: remote,
            deviceLabel: "phone",
            environment: SpaceEnvironment(
                clock: stage.time,
                random: SeededRandom(3),
                sleeper: stage.time,
                connectivity: stage.network
            )
        )
        configuration.schedule.activeQuietSeconds = .infinity
        let space = try SyncSpace.open(configuration)
        let end = after(seconds: 60)
        wish.use { $0 = end }
        try await running(space: space) {
            try await stage.until(what: "the first sync") { try space.status().isInSync }
            try await space.bookmarks.insert(.verse(verse: 1))
            try await stage.until(what: "it was uploaded") { try space.status().isInSync }
            #expect(stage.time.now() >= end)
            // A person's request does not wait.
            wish.use { $0 = after(seconds: 600) }
            try await space.sync()
            try await space.bookmarks.insert(.verse(verse: 2))
            let limit = after(seconds: 60)
            try await space.sync()
            #expect(try space.status().isInSync)
            #expect(stage.time.now() < limit)
        }
    }
}

/// A folder that asks its devices to wait until an instant.
private struct WishingRemote: RemoteBackend {
    let base: FolderBackend
    let wish: Guarded<Timestamp?>

    var capabilities: RemoteCapabilities { base.capabilities }

    func open(_ request: SessionRequest) async throws -> any RemoteSession { try await base.open(request) }

    func conditions() async -> RemoteConditions { RemoteConditions(notBefore: wish.use { $0 }) }
}
