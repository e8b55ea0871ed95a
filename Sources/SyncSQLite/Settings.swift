/// The durability of commits.
package enum Synchronous: Int64, Sendable, CaseIterable {
    /// A commit survives a crash of the process. It is on disk after the next checkpoint or the next `.full`
    /// commit. Power loss may undo it and everything after it, but never damages the file. For data that can
    /// be fetched again.
    case normal = 1
    /// A commit is on disk when it returns. For data that a person wrote.
    case full = 2
}

/// The settings of a connection to a verified file. See ``Connection/configure(_:)``.
///
/// Memory-mapped reading is left out on purpose: a failing disk would end the process instead of throwing an
/// error.
package struct Settings: Sendable, Equatable {
    /// Whether the database uses WAL mode, in which readers and the writer do not wait for each other. The
    /// mode is stored in the file; a read-only connection does not change it.
    package var usesWriteAheadLog = true
    /// The default durability of commits. It is full, because losing a write must be a deliberate choice.
    package var synchronous = Synchronous.full
    /// Whether a full commit also flushes the drive's own cache, which `fsync` does not do on Apple
    /// platforms. Has no effect elsewhere.
    package var reachesDriveCache = true
    /// The page cache in KiB, filled only as needed. With SQLite's default of 2 MB, random upserts in a store
    /// of a million rows are three times slower; 32 MB are enough for a large batch.
    package var cacheSizeKiB: Int32 = 32 * 1024
    /// The memory for changed pages of the open transaction in KiB, if larger than `cacheSizeKiB`; released
    /// at its end. Further pages are written to the WAL before the commit, and again if they change again. 0
    /// adds no memory.
    package var changedPagesKiB: Int32 = 0
    /// Whether sorts and temporary tables stay in memory, so that user data is not written to a second place
    /// on disk.
    package var keepsTemporaryDataInMemory = true
    /// The size of the WAL in pages at which a commit runs a checkpoint. SQLite's default is 1000; a higher
    /// number makes large batches faster and the WAL larger. 0 disables automatic checkpoints.
    package var checkpointEveryPages: Int32 = 1000
    /// The size to which the WAL file is truncated after a checkpoint, so that one large batch does not
    /// occupy disk space for ever.
    package var logSizeLimitBytes: Int64 = 16 * 1024 * 1024

    /// Whether the space that a row leaves in a page is overwritten with zeros. Pages that become free are not: that
    /// would write each of them.
    package var zeroesFreedSpace = false

    /// Makes the default settings.
    package init() {}

    /// The pragmas that apply to the connection and change nothing in the file.
    var connectionPragmas: [String] {
        [
            "PRAGMA fullfsync = \(reachesDriveCache ? 1 : 0)",
            "PRAGMA checkpoint_fullfsync = \(reachesDriveCache ? 1 : 0)",
            // A negative number counts KiB, a positive one pages.
            "PRAGMA cache_size = \(-Int64(cacheSizeKiB))",
            "PRAGMA cache_spill = \(changedPagesKiB > 0 ? -Int64(changedPagesKiB) : 1)",
            "PRAGMA temp_store = \(keepsTemporaryDataInMemory ? 2 : 0)",
            "PRAGMA wal_autocheckpoint = \(checkpointEveryPages)",
            "PRAGMA journal_size_limit = \(logSizeLimitBytes)",
            // A child may arrive before its parent, so the engine checks references, not SQLite.
            "PRAGMA foreign_keys = 0",
            // A foreign file must not run functions through its views, triggers and defaults.
            "PRAGMA trusted_schema = 0",
            // Detects a damaged page when it is read.
            "PRAGMA cell_size_check = 1",
        ] + (zeroesFreedSpace ? ["PRAGMA secure_delete = FAST"] : [])
    }
}
