import Foundation
public import SyncCore
public import SyncRuntime
import SyncStore

/// One place where an app's records live: a store on this device, and the remote that it is synced with.
///
/// ```swift
/// let space = try SyncSpace.open(
///     SpaceConfiguration(folder: folder, entities: [Bookmark.self], remote: FolderBackend(root: shared))
/// )
/// let bookmarks = space.collection(Bookmark.self)
/// try bookmarks.insert(Bookmark(userId: "u1", surahNumber: 2, verseNumber: 255))
/// for try await recent in bookmarks.observe(SyncQuery().limit(20)) { show(recent) }
/// ```
///
/// Everything but `sync` works without the network. Any thread may use a space; several spaces, in several processes, may
/// have one folder open.
public final class SyncSpace: Sendable {
    /// The entities, parents before children.
    public var entities: [EntityDescriptor] { store.entities }

    let store: SQLiteStore
    let board = StatusBoard()
    private let writer: LocalWriter
    private let engine: SyncEngine?

    /// Opens a space, and makes its folder and store where there are none. Throws `SyncError` when the folder cannot be
    /// made, and as `SQLiteStore.open` does.
    public static func open(_ configuration: SpaceConfiguration) throws -> SyncSpace {
        let folder = configuration.folder
        if !FileManager.default.fileExists(atPath: folder) {
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            } catch {
                throw SyncError.noFolder()
            }
        }
        let store = try SQLiteStore.open(
            path: folder + "/" + storeFileName,
            entities: configuration.entities.map { $0.adapter.descriptor },
            random: configuration.surroundings.random,
            sleeper: configuration.surroundings.sleeper
        )
        return SyncSpace(store, configuration)
    }

    /// The name of the store's file in the space's folder.
    public static let storeFileName = "store.sqlite"

    private init(_ store: SQLiteStore, _ configuration: SpaceConfiguration) {
        let surroundings = configuration.surroundings
        self.store = store
        writer = LocalWriter(store: store, clock: surroundings.clock, random: surroundings.random)
        let board = board
        engine = configuration.remote.map { remote in
            SyncEngine(
                store: store,
                backend: remote,
                surroundings: SyncSurroundings(
                    clock: surroundings.clock,
                    random: surroundings.random,
                    label: configuration.deviceLabel
                ),
                onProgress: { progress in
                    board.update { $0.progress = progress == .finished ? nil : progress }
                }
            )
        }
    }

    /// The records of one of the space's entities. Using a collection of another entity throws.
    public func collection<Entity: SyncEntity>(_ type: Entity.Type = Entity.self) -> SyncCollection<Entity> {
        SyncCollection(store: store, writer: writer)
    }

    /// Runs writes in one transaction: all or nothing, durable when the call returns. Throws what `body` throws.
    @discardableResult
    public func write<Result>(_ body: (borrowing SyncBatch) throws -> Result) throws -> Result {
        try writer.write(body)
    }

    /// Brings the space and its remote together. Calls made while a sync runs share one more sync after it.
    /// Throws `SyncError`; what was exchanged until then stays.
    @discardableResult
    public func sync(_ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
        guard let engine else { throw SyncError.noRemote() }
        defer { board.update { $0.progress = nil } }
        return try await engine.sync(options)
    }

    /// Closes the store; observations end, and later calls throw.
    public func close() {
        store.close()
        board.stop()
    }
}

/// Status.
extension SyncSpace {
    /// Where the space stands now.
    public func status() throws -> SyncStatus {
        let outside = board.outside
        return try store.read { try SyncStatus($0, store.entities, outside: outside) }
    }

    /// Where the space stands: at once, and again whenever that has changed.
    public func statuses() -> SyncObservation<SyncStatus> {
        let (store, board, space) = (store, board, self)
        return SyncObservation(
            signals: {
                AsyncStream(
                    following: { notify in
                        let commits = store.changes { _ in notify(()) }
                        return Subscriptions([commits, board.follow { _ in notify(()) }])
                    },
                    signal: { nil }
                )
            },
            read: { try space.status() }
        )
    }

    /// The last syncs, the newest first; at most 50.
    public func syncHistory() throws -> [PastSync] {
        try store.read { try $0.syncHistory() }
    }

    /// Tells what the store does not know, such as the next attempt of a scheduler, so that `status` shows it.
    package func report(_ change: (inout SyncStatus.Outside) -> Void) {
        board.update(change)
    }
}

extension SyncError {
    /// The space's folder cannot be made.
    fileprivate static func noFolder() -> SyncError {
        SyncError(
            .inputOutput,
            message: "The folder of the store cannot be made.",
            help: "Make its parent folder, and check its permissions.",
            retry: .afterAction
        )
    }
}
