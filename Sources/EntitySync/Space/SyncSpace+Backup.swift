package import SyncCore
import SyncRuntime
package import SyncStore

/// Backups.
extension SyncSpace {
    /// Copies the space's store as it is now into one file, while the space is in use.
    ///
    /// The copy holds everything: records, edits that wait, conflicts, the journal. It is not encrypted. An earlier backup of
    /// that name is replaced once the new one is whole; any other file is refused.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - progress: Called with the part that is copied, from 0 to 1. If it throws, the backup is given up.
    /// - Throws: `SyncError`, or the error of `progress`.
    public func backup(to path: String, progress: (_ part: Double) throws -> Void = { _ in }) throws {
        try store.port.backup(to: path, at: clock.now(), progress: progress)
    }

    /// Opens a space with the content of a backup. The space of that folder must not be open.
    ///
    /// The restored store takes a new identity and reads everything anew at its next sync: what others wrote since the backup
    /// comes back, and what the backup held and no remote had is sent. A store that was in the folder is kept as
    /// `store.sqlite.before-restore`, or with a number after that. What it had in its journal is in the restored one's, too.
    ///
    /// - Parameters:
    ///   - backup: The file that `backup(to:)` wrote.
    ///   - configuration: The space.
    ///   - replacesUnsentEdits: Whether the store in the folder may hold edits that no remote has, or be damaged.
    ///   - progress: Called with the part that is copied, from 0 to 1. If it throws, nothing has changed.
    /// - Throws: `SyncError`: `usage` if edits would be replaced, `busy` if the store is in use, `invalidInput` or
    ///   `unreadableStore` for a file that is no backup; or the error of `progress`.
    public static func restore(
        from backup: String,
        _ configuration: SpaceConfiguration,
        replacesUnsentEdits: Bool = false,
        progress: (_ part: Double) throws -> Void = { _ in }
    ) throws -> SyncSpace {
        try makeFolder(of: configuration)
        let environment = configuration.environment
        let restore = StoreRestore(
            backup: backup,
            path: configuration.folder + "/" + storeFileName,
            entities: try checkedDescriptors(types: configuration.entities),
            random: environment.random
        )
        try restore.run(
            replacesUnsentEdits: replacesUnsentEdits,
            random: environment.random,
            now: environment.clock.now(),
            progress: progress
        )
        return try open(configuration)
    }
}

extension StoreRestore {
    /// Restores the backup as another device, which reads everything anew at its next sync.
    package func run(
        replacesUnsentEdits: Bool,
        random: any RandomSource,
        now: Timestamp,
        progress: (_ part: Double) throws -> Void
    ) throws {
        try run(
            replacesUnsentEdits: replacesUnsentEdits,
            prepare: { store, madeAt, former in
                let restored = RestoredStore(store: store, random: random)
                try restored.takeNewIdentity(madeAt: madeAt, now: now)
                if let former { try restored.takeJournal(of: former) }
            },
            progress: progress
        )
    }
}
