public import SyncCore
package import SyncSQLite

/// The local store: one SQLite file with a table per entity, and the sync state of each record.
///
/// Writes wait for each other, within and across processes, up to the busy timeout; reads never wait. Several stores,
/// in several processes, may have the same file open. The file's tables can be read with any SQLite tool: each field
/// has a column of its name. Columns and tables with the prefix `sync_` belong to the store. Null and absent values
/// are both NULL; bits in `sync_nulls` distinguish them.
///
/// Files are closed with the last reference, or by `close()`.
public final class SQLiteStore: LocalStore {
    /// The entities that the store holds, parents before children.
    public let entities: [EntityDescriptor]
    let writer: Locked<StoreSession>
    let readers: ReaderPool
    /// Nil on a medium that is not the system's, where nobody waits.
    private let mover: LogMover?
    let path: String
    private let medium: (any DatabaseMedium)?
    private let hold: OpenFiles.Hold
    let commits: CommitWatch
    /// For how many more rows a pull takes turns with an app that has waited for it: it writes few at a time.
    private let rowsInTurns = Locked(0)

    /// Opens the store at `path`, or creates it if there is no file. The folder must exist.
    ///
    /// Tables follow additive changes of the schemas automatically, in one transaction for all of them.
    ///
    /// - Parameters:
    ///   - path: The file. SQLite keeps two more files next to it while it is open (`-wal`, `-shm`); a third,
    ///     `.lock`, is for the lease.
    ///   - entities: The entities to work with. Tables of other entities stay unchanged.
    ///   - random: The source of a new store's incarnation. Stored as the value `device`.
    ///   - busyTimeoutMilliseconds: How long a write waits for a write of another process.
    ///   - sleeper: Waits between checks for commits of other processes, which run while somebody observes `changes`.
    ///     Without it, only commits of this store are noticed.
    /// - Throws: `SyncError`: for a file that is damaged, foreign or newer; for a schema that is older than the table
    ///   or does not fit it; if the system refuses access. None of these changes or replaces the file.
    public static func open(
        path: String,
        entities: [EntityDescriptor],
        random: any RandomSource,
        busyTimeoutMilliseconds: Int = 5000,
        sleeper: (any SyncSleeper)? = nil
    ) throws -> SQLiteStore {
        try open(
            path: path,
            entities: entities,
            random: random,
            busyTimeoutMilliseconds: busyTimeoutMilliseconds,
            sleeper: sleeper,
            medium: nil
        )
    }

    /// The same on a medium; nil for the system's.
    package static func open(
        path: String,
        entities: [EntityDescriptor],
        random: any RandomSource,
        busyTimeoutMilliseconds: Int = 5000,
        sleeper: (any SyncSleeper)? = nil,
        medium: (any DatabaseMedium)?
    ) throws -> SQLiteStore {
        let opening = StoreOpening(
            path: medium == nil ? StoreFile.resolved(path) : path,
            entities: EntityChecks.sorted(entities),
            random: random,
            busyTimeoutMilliseconds: Int32(clamping: busyTimeoutMilliseconds),
            medium: medium
        )
        return try SQLiteStore(opening: opening, sleeper: sleeper)
    }

    /// Opens a file.
    convenience init(opening: StoreOpening, sleeper: (any SyncSleeper)?) throws {
        let (connection, tables, hold) = try opening.open()
        self.init(
            opening: opening,
            session: StoreSession(connection: connection, tables: tables),
            tables: tables,
            hold: hold,
            sleeper: sleeper
        )
    }

    private init(
        opening: StoreOpening,
        session: StoreSession,
        tables: [EntityTable],
        hold: OpenFiles.Hold,
        sleeper: (any SyncSleeper)?
    ) {
        entities = tables.map(\.descriptor)
        path = opening.path
        medium = opening.medium
        let writer = Locked(session)
        self.writer = writer
        // The write connection reads the data version, because its own commits do not change it.
        commits = CommitWatch(sleeper: sleeper) { try writer.useIfFree { try $0.dataVersion() } }
        readers = ReaderPool { StoreSession(connection: try opening.openReader(), tables: tables) }
        mover = opening.medium == nil ? LogMover { try opening.openMover() } : nil
        self.hold = hold
    }

    deinit { close() }

    /// Runs `body` in one transaction. See `LocalStore.write`. A write inside a write is an error.
    package func write<Result>(
        _ durability: Durability,
        body: (any StoreTransaction) throws -> Result
    ) throws -> Result {
        // Many transactions of a pull follow one another. Within a write, which is refused, this thread must not wait.
        let takesTurns = durability == .pulled && noteTurns() && writer.useIfFree({ $0.isActive }) != true
        if takesTurns {
            if writer.isAwaited { writer.letWaiting() }
            mover?.move()
        }
        let (result, touched) = try writer.use { session in
            if durability != .full, durability != .written { session.movesLog(early: !takesTurns) }
            commits.beginWrite()
            var changes: [String: ChangedKeys]?
            defer { commits.endWrite(changes) }
            let result = try session.write(durability, body: body)
            changes = session.hasChanged ? session.changes : [:]
            mover?.note(rows: session.changedRows)
            if takesTurns { rowsInTurns.withLock { $0 -= session.changedRows } }
            return (result, session.hasChanged ? session.touched : nil)
        }
        if let touched { commits.committed(entities: touched) }
        return result
    }

    /// Whether another thread waits to write, or one has lately and this is enough for a turn. See `LocalStore.isAwaited`. A
    /// pull that writes less at a time would not get on beside an app that writes without a pause.
    package func isAwaited(after records: Int) -> Bool {
        guard records >= 32 else { return false }
        return noteTurns() && records >= 256 || writer.isAwaited
    }

    /// Notes whether an app waits to write now, and returns whether it has lately. What a pull has not flushed yet, its next write flushes, too: so a pull
    /// beside an app that writes now and then must not leave much. By rows, as a clock is not asked here.
    private func noteTurns() -> Bool {
        let isAwaited = writer.isAwaited
        return rowsInTurns.withLock { rows in
            if isAwaited { rows = 50_000 }
            return rows > 0
        }
    }

    /// Runs `body` on one consistent snapshot. Inside a write, it shows the state before that write.
    package func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try readers.use { try $0.read(body) }
    }

    /// Takes the store's sync lease, which only one holder across all processes can have. See `LocalStore.lease`.
    package func lease() throws -> any StoreLease {
        guard let medium else { return try FileLease(path: path + ".lock") }
        return try MediumLease(path: path + ".lock", medium: medium)
    }

    /// Notifies of commits. See `LocalStore.changes`.
    public func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        commits.follow(notify)
    }

    /// Whether the file is the system's.
    var isOnSystemMedium: Bool { medium == nil }

    /// Closes the file. Later calls throw. Idempotent. Does not affect a lease.
    public func close() {
        commits.stop()
        readers.close()
        mover?.close()
        writer.use { $0.connection.close() }
        hold.release()
    }

    /// Runs `body` on the write connection, outside a transaction.
    func maintain<Result>(body: (StoreSession) throws -> Result) throws -> Result {
        try writer.use { session in try withStoreErrors { try body(session) } }
    }

    /// The results of `look` for the write connection and all idle read connections, for tests.
    package func connections<Found>(look: (Connection) -> Found) -> [Found] {
        writer.use { [look($0.connection)] } + readers.idle(look: look)
    }

    /// The present point of the file; nil during a write.
    func point() -> ReadPoint? {
        // This never waits. If the read fails, the point is unknown.
        guard let seen = try? writer.useIfFree({ try $0.dataVersion() }), let commit = commits.lastCommit
        else {
            return nil
        }
        return ReadPoint(commit: commit, dataVersion: seen)
    }

    /// Runs `body` on a session that only reads, for readers beyond the port.
    func readSession<Result>(body: (StoreSession) throws -> Result) throws -> Result {
        let (result, unreadable) = try readers.use { session in
            (try session.readSession(body: body), session.takeUnreadable())
        }
        if !unreadable.isEmpty { setAside(unreadable) }
        return result
    }

    /// Sets rows aside that a read had to leave out. While somebody writes, or where nobody may, they stay as they are:
    /// the next read leaves them out, too.
    private func setAside(_ rows: [UnreadableRow]) {
        guard writer.useIfFree({ !$0.isActive }) == true else { return }
        try? write(.noted) { transaction in
            if let session = transaction as? StoreSession { try session.setAside(rows) }
        }
    }
}
