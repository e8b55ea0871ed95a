/// When a commit waits for the disk.
package enum Synchronous: Int64, Sendable, CaseIterable {
    /// A commit is safe from a crash of the process, and is on the disk at the next checkpoint or the next
    /// `.full` commit. Power loss may undo it together with everything that followed it; it never damages the
    /// file. For what can be fetched again.
    case normal = 1
    /// A commit is on the disk before it returns. For what a person wrote.
    case full = 2
}

/// How a connection works once its file is known to be the right one. See ``Connection/configure(_:)``.
///
/// Not here on purpose: memory-mapped reading, where a failing disk ends the process instead of throwing.
package struct Settings: Sendable, Equatable {
    /// Whether commits append to a write-ahead log, so that readers never wait for the writer, nor the writer
    /// for them. This is stored in the file; a read-only connection leaves it as it is.
    package var usesWriteAheadLog = true
    /// How commits behave unless a transaction says otherwise. Full, because losing a write must be asked
    /// for.
    package var synchronous = Synchronous.full
    /// Whether waiting for the disk includes the drive's own cache, which `fsync` does not reach on Apple
    /// platforms. Without effect elsewhere.
    package var reachesDriveCache = true
    /// Memory for pages, in KiB, filled only as far as needed. SQLite's 2 MB make random upserts in a store
    /// of a million rows three times slower; 32 MB are enough for a large batch.
    package var cacheSizeKiB: Int32 = 32 * 1024
    /// Memory for pages that the open transaction changed, in KiB, where that is more than `cacheSizeKiB`; given back at
    /// its end. Pages beyond that go to the log before the commit, and once more if they change again. 0 is no more.
    package var changedPagesKiB: Int32 = 0
    /// Whether sorts and temporary tables stay in memory, so that nothing of a person's data is written to a
    /// second place on disk.
    package var keepsTemporaryDataInMemory = true
    /// The size of the log, in pages, at which a commit also moves it into the database. 1000 is SQLite's
    /// default; more makes large batches faster and the log larger. 0 never does it.
    package var checkpointEveryPages: Int32 = 1000
    /// The size to which the log's file shrinks after a checkpoint, so that one large batch does not hold
    /// disk forever.
    package var logSizeLimitBytes: Int64 = 16 * 1024 * 1024

    /// The defaults, each explained at its property.
    package init() {}

    /// The pragmas that hold for a connection and change nothing in the file.
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
            // A child may arrive before its parent. Who checks references has to know that; SQLite does not.
            "PRAGMA foreign_keys = 0",
            // A file from elsewhere must not run functions through its views, triggers and defaults.
            "PRAGMA trusted_schema = 0",
            // A damaged page is found when it is read, before a wrong value is believed.
            "PRAGMA cell_size_check = 1",
        ]
    }
}
