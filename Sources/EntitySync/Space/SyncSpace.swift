public import Foundation
public import SyncAccounts
public import SyncCore
public import SyncRuntime
import SyncStore

/// A place for an app's records: a store on this device, and the remote that it syncs with.
///
/// ```swift
/// let space = try SyncSpace.open(
///     SpaceConfiguration(folder: folder, entities: [Bookmark.self], remote: FolderBackend(root: shared))
/// )
/// let bookmarks = space.collection(Bookmark.self)
/// try await bookmarks.insert(Bookmark(userId: "u1", surahNumber: 2, verseNumber: 255))
/// for try await recent in bookmarks.observe(SyncQuery().limit(20)) { show(recent) }
/// ```
///
/// Everything but `sync` works without the network. `run()` syncs automatically. A space can be used from any thread.
/// Several spaces, in several processes, may have the same folder open. For more than one account per device, use
/// `SyncAccounts`, which gives each account its own space.
public final class SyncSpace: Sendable {
    /// The entities, parents before children.
    package var entities: [EntityDescriptor] { store.entities }

    let store: SpaceStore
    /// The store itself, for programs of this package.
    package var localStore: any LocalStore { store.port }
    let board: StatusBoard
    let writer: LocalWriter
    /// Nil for a space without a remote.
    let automation: SpaceAutomation?
    let clock: any SyncClock
    /// The account that owns the space; nil for a space without accounts.
    public let account: AccountID?

    /// Opens a space. Makes its folder and store if they do not exist. Throws `SyncError` if the folder cannot be
    /// made, and as `SQLiteStore.open` does.
    public static func open(_ configuration: SpaceConfiguration) throws -> SyncSpace {
        try open(configuration: configuration, scratch: nil)
    }

    /// A space for tests and previews. It works like any other space and leaves nothing behind.
    ///
    /// ```swift
    /// let space = try SyncSpace.temporary(entities: SyncRegistry.types)
    /// try await space.collection(Bookmark.self).insert(Bookmark(userId: "u1", surahNumber: 2, verseNumber: 255))
    /// ```
    ///
    /// Its store is the same SQLite database, in a new folder. The folder is removed when the space is closed, or
    /// when the last reference to it and its collections is released.
    ///
    /// - Parameter parent: Where the folder is made.
    public static func temporary(
        entities: [any SyncEntity.Type],
        remote: (any RemoteBackend)? = nil,
        in parent: String = NSTemporaryDirectory(),
        environment: SpaceEnvironment = SpaceEnvironment()
    ) throws -> SyncSpace {
        let scratch = try TemporaryFolder(in: parent, random: environment.random)
        let configuration = SpaceConfiguration(
            folder: scratch.path,
            entities: entities,
            remote: remote,
            environment: environment
        )
        return try open(configuration: configuration, scratch: scratch)
    }

    private static func open(configuration: SpaceConfiguration, scratch: TemporaryFolder?) throws
        -> SyncSpace
    {
        let entities = try checkedDescriptors(types: configuration.entities)
        try makeFolder(of: configuration)
        let database = try SQLiteStore.open(
            path: configuration.folder + "/" + storeFileName,
            entities: entities,
            random: configuration.environment.random,
            sleeper: configuration.environment.sleeper
        )
        let board = StatusBoard(log: configuration.log)
        let remote = configuration.remote.map { remote in
            SpaceRemote(
                backend: remote,
                engine: SyncEngine(
                    store: database,
                    backend: remote,
                    environment: SyncEnvironment(
                        clock: configuration.environment.clock,
                        random: configuration.environment.random,
                        label: configuration.deviceLabel
                    ),
                    deciding: configuration.deciding,
                    onProgress: { board.note($0) }
                ),
                clock: configuration.environment.clock
            )
        }
        return SyncSpace(
            store: SpaceStore(owned: database, scratch: scratch),
            remote: remote,
            board: board,
            configuration
        )
    }

    /// Makes the space's folder if it does not exist.
    static func makeFolder(of configuration: SpaceConfiguration) throws {
        let folder = configuration.folder
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        } catch {
            throw SyncError.noFolder()
        }
    }

    /// The name of the store's file in the space's folder.
    public static let storeFileName = "store.sqlite"

    /// A space on an open store. Ignores the configuration's folder and remote.
    init(
        store: SpaceStore,
        remote: SpaceRemote?,
        board: StatusBoard,
        account: AccountID? = nil,
        _ configuration: SpaceConfiguration
    ) {
        self.store = store
        self.board = board
        self.account = account
        clock = configuration.environment.clock
        let automation = remote.map {
            SpaceAutomation(store: store, remote: $0, board: board, configuration: configuration)
        }
        self.automation = automation
        writer = LocalWriter(
            store: store.port,
            clock: configuration.environment.clock,
            random: configuration.environment.random,
            durability: configuration.flushesWrites ? .full : .written,
            limit: configuration.limitOfEntity,
            deciding: configuration.deciding,
            onWrite: { automation?.send(.localWrite(entities: $0)) }
        )
        if remote != nil { board.update { $0.account = .signedIn } }
    }

    /// The records of one of the space's entities. Using a collection of another entity throws.
    public func collection<Entity: SyncEntity>(_ type: Entity.Type = Entity.self) -> SyncCollection<Entity> {
        SyncCollection(store: store, writer: writer)
    }

    /// Whether this is the guest's space, which has no remote.
    var isGuest: Bool { account?.isGuest == true }

    /// Runs writes in one transaction: all or nothing. When the call returns they are on the disk, unless
    /// `SpaceConfiguration.flushesWrites` says otherwise. Rethrows the error of `body`.
    @discardableResult
    public func write<Result>(_ body: (borrowing SyncBatch) throws -> Result) throws -> Result {
        try writer.batch(body)
    }

    /// Closes the store; observations end, `run()` returns, and later calls throw.
    public func close() {
        automation?.stop()
        store.close()
        board.stop()
    }
}

/// Status.
extension SyncSpace {
    /// The present status.
    public func status() throws -> SyncStatus {
        var outside = board.outside
        outside.excluded = automation?.excluded() ?? []
        return try store.read { try SyncStatus(snapshot: $0, entities: store.entities, outside: outside) }
    }

    /// The status: now, and again whenever it changes.
    public func statuses() -> SyncObservation<SyncStatus> {
        let (store, board, space) = (store, board, self)
        return SyncObservation(
            signals: {
                AsyncStream(
                    following: { notify in
                        let commits = store.changes { _ in notify(()) }
                        let facts = board.follow { _ in notify(()) }
                        return ClosureSubscription {
                            commits.cancel()
                            facts.cancel()
                        }
                    },
                    signal: { nil }
                )
            },
            reader: { { try space.status() } }
        )
    }

    /// The last syncs, newest first; at most 50.
    public func syncHistory() throws -> [PastSync] {
        try store.read { try $0.syncHistory() }
    }

    /// The last syncs: now, and again after each further one.
    public func observeSyncHistory() -> SyncObservation<[PastSync]> {
        let space = self
        return SyncObservation(store: store, signal: { _ in nil }) { { try space.syncHistory() } }
    }

    /// Automatic decisions since an instant that took away something a person wrote, oldest first. The values are in
    /// the `journal()` of each collection.
    public func decisions(since instant: Timestamp) throws -> [AutomaticDecision] {
        try store.read { try $0.decisions(since: instant) }
    }

    /// Restores the value that lost in a decision, as a new edit. The decision stays in the journal, and what the value
    /// replaces is added to it. Throws `notFound` if the journal does not contain it.
    public func restore(_ decision: AutomaticDecision) throws {
        _ = try writer.restore(journal: decision.id)
    }

    /// Notes that the person has seen the decisions: `SyncStatus.deletedWithParent` and `altered` count only later ones.
    public func markDecisionsSeen() throws {
        try store.port.markDecisionsSeen()
    }

    /// The same: now, and again after each further decision.
    public func observeDecisions(since instant: Timestamp) -> SyncObservation<[AutomaticDecision]> {
        let store = store
        return SyncObservation(store: store, signal: { $0.total }) {
            { try store.read { try $0.decisions(since: instant) } }
        }
    }

    /// Reports facts that the store does not know, such as the scheduler's next attempt, so that `status` shows them.
    package func report(_ change: (inout SyncStatus.Outside) -> Void) {
        board.update(change)
    }
}

extension SyncError {
    /// The space's folder cannot be made.
    static func noFolder() -> SyncError {
        SyncError(
            kind: .inputOutput,
            message: "The folder of the store cannot be made.",
            help: "Make its parent folder, and check its permissions.",
            retry: .afterAction
        )
    }
}
