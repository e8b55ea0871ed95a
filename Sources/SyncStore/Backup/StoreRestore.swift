public import SyncCore
import SyncSQLite

/// Puts a backup in the place of a store that is not in use. Interrupted at any point, there is the former store or the
/// restored one, whole.
public struct StoreRestore {
    private let backup: String
    private let path: String
    private let entities: [EntityDescriptor]
    private let random: any RandomSource

    /// Describes a restore.
    ///
    /// - Parameters:
    ///   - backup: The file that a backup has written.
    ///   - path: The store's file. It is made if it does not exist; its folder must.
    ///   - entities: The entities of the schema. The restored store is brought to it.
    ///   - random: Random bits.
    public init(backup: String, path: String, entities: [EntityDescriptor], random: any RandomSource) {
        (self.backup, self.path) = (backup, StoreFile.resolved(path))
        (self.entities, self.random) = (entities, random)
    }

    /// Restores the backup. A store that was there is kept beside it, as `FILE.before-restore`, or with a number after that
    /// if there is one of an earlier restore.
    ///
    /// - Parameters:
    ///   - replacesUnsentEdits: Whether the former store may hold edits that no remote has, or be damaged.
    ///   - prepare: Changes the restored store before it takes its place, such as its identity. It also gets the time at
    ///     which the backup was made, if that is known, and the former store, if there is one that can be read.
    ///   - progress: Called with the part that is copied, from 0 to 1. If it throws, nothing has changed.
    /// - Throws: `unsentEdits`; `noBackup`; `busy` if the store or its sync is in use; as `SQLiteStore.open` does.
    public func run(
        replacesUnsentEdits: Bool,
        prepare: (_ store: SQLiteStore, _ madeAt: Timestamp?, _ former: SQLiteStore?) throws -> Void,
        progress: (_ part: Double) throws -> Void
    ) throws {
        let fresh = path + ".restoring"
        try withStoreErrors {
            if OpenFiles.isOpen(path: path) { throw SyncError.storeBusy() }
            guard BackupFiles.exists(path: backup), try StoreFile.inspect(backup) == .store else {
                throw SyncError.noBackup()
            }
            let lease = try FileLease(path: path + ".lock")
            defer { lease.close() }
            let hasFormer = BackupFiles.exists(path: path)
            let former = hasFormer ? try openFormer(mayBeDamaged: replacesUnsentEdits) : nil
            defer { former?.close() }
            let held = try former.map { _ in try HeldFormer(path: path) }
            defer { held?.close() }
            if let former, !replacesUnsentEdits { try refuseUnsentEdits(former) }
            defer {
                BackupFiles.remove(path: fresh)
                BackupFiles.remove(path: fresh + ".lock")
            }
            BackupFiles.remove(path: fresh)
            let madeAt = try copy(to: fresh, progress: progress)
            let store = try SQLiteStore.open(path: fresh, entities: entities, random: random)
            defer { store.close() }
            try prepare(store, madeAt, former)
            store.close()
            former?.close()
            try closeLog(of: fresh)
            // While the former store is held, everybody else waits.
            try BackupFiles.flush(path: fresh, what: "the store")
            if let held {
                try held.hold()
                try BackupFiles.keep(path: path, as: freeName())
            } else if hasFormer {
                try putAside(replacesDamaged: replacesUnsentEdits)
            }
            try BackupFiles.replace(path: path, by: fresh)
        }
    }

    /// Copies the backup. Returns when it was made.
    private func copy(to fresh: String, progress: (_ part: Double) throws -> Void) throws -> Timestamp? {
        let source = try Connection.open(path: backup, flags: .readOnly)
        defer { source.close() }
        let target = try Connection.open(path: fresh, flags: .readWriteCreate)
        defer { target.close() }
        try source.copy(into: target, progress: progress)
        if let damage = try target.integrityCheck(includingIndexes: false, limit: 1).first {
            throw SyncError.damagedBackup(detail: damage)
        }
        var madeAt: Timestamp?
        let note = try target.cached(sql: "SELECT value FROM sync_value WHERE name = ?1")
        try note.bind(StoreBackup.madeAt, at: 1)
        try note.forEachRow { madeAt = Timestamp($0.string(at: 0)) }
        let removal = try target.cached(sql: "DELETE FROM sync_value WHERE name = ?1")
        try removal.bind(StoreBackup.madeAt, at: 1)
        try removal.run()
        return madeAt
    }

    /// Opening the former store also shows that it is whole. Nil if it may be damaged, and is.
    private func openFormer(mayBeDamaged: Bool) throws -> SQLiteStore? {
        do {
            return try SQLiteStore.open(path: path, entities: entities, random: random)
        } catch let error as SyncError where mayBeDamaged && error.kind != .busy {
            return nil
        }
    }

    private func refuseUnsentEdits(_ former: SQLiteStore) throws {
        let count = try former.read { snapshot in
            try entities.reduce(snapshot.uncleanWithoutSchema().values.reduce(0, +)) { count, entity in
                let counts = try snapshot.counts(entity: entity)
                return count + counts.pending + counts.conflicts + counts.rejected
            }
        }
        if count > 0 { throw SyncError.unsentEdits(count: count) }
    }

    private func closeLog(of path: String) throws {
        let connection = try Connection.open(path: path, flags: .readWrite)
        defer { connection.close() }
        try connection.useSingleFile()
    }

    /// Keeps the former store under a name that is free. NB: its log must be empty first: the restored file would take it
    /// for its own.
    private func putAside(replacesDamaged: Bool) throws {
        let kept = freeName()
        do {
            try closeLog(of: path)
        } catch let error as SQLiteError where !error.isBusy && replacesDamaged {
            // A damaged store keeps its log under the new name, too.
            for suffix in ["-wal", "-shm"] where BackupFiles.exists(path: path + suffix) {
                try BackupFiles.replace(path: kept + suffix, by: path + suffix)
            }
        }
        try BackupFiles.keep(path: path, as: kept)
    }

    private func freeName() -> String {
        let first = path + ".before-restore"
        var (name, number) = (first, 1)
        while BackupFiles.exists(path: name) {
            number += 1
            name = "\(first)-\(number)"
        }
        return name
    }
}

/// The former store, from the moment at which its edits are looked at until another one has its place: what somebody writes
/// in between is noticed, and then nothing changes.
private struct HeldFormer {
    private let connection: Connection
    private let version: Int64

    init(path: String) throws {
        connection = try Connection.open(path: path, flags: .readWrite)
        version = try connection.integer(sql: "PRAGMA data_version")
    }

    /// Keeps everybody else from the file until this is closed, and has one file hold everything: the restored one would
    /// take the former one's log for its own. Throws `busy` if the store is in use, or was written since.
    func hold() throws {
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try connection.execute("BEGIN IMMEDIATE")
        guard try connection.integer(sql: "PRAGMA data_version") == version else {
            throw SyncError.storeLocked()
        }
        try connection.execute("COMMIT")
        try connection.useSingleFile()
    }

    func close() { connection.close() }
}
