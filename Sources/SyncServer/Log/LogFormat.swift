/// What makes a database file the logs of one account.
enum LogFormat {
    /// Stands in the header of each file: `ESLG`.
    static let applicationID: Int32 = 0x4553_4c47
    /// Counts changes of the layout below that an older program could not read.
    static let version: Int32 = 2

    /// `account` has one row, so that a file under another account's name is noticed.
    static let tables =
        """
        CREATE TABLE account (id TEXT NOT NULL) STRICT;
        CREATE TABLE log (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL, revision INTEGER NOT NULL,
            floor INTEGER NOT NULL, made_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE run (
            log INTEGER NOT NULL, first INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (log, first)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE device (
            log INTEGER NOT NULL, device TEXT NOT NULL, batch TEXT NOT NULL, PRIMARY KEY (log, device)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE entity (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

        """ + fingerprintTable + recordTable

    /// What devices told of the records that they show. An older server made files without it, and opens files with it.
    static let fingerprintTable = """
        CREATE TABLE fingerprint (
            log INTEGER NOT NULL, device TEXT NOT NULL, position TEXT NOT NULL, told_at INTEGER NOT NULL,
            records TEXT NOT NULL, PRIMARY KEY (log, device)
        ) STRICT, WITHOUT ROWID;

        """

    /// An entry is stored without its revision, which stands beside it; `mark` is the stored version's, `pushed` the one
    /// that it was sent with. `key` is a `StoredKey`.
    ///
    /// NB: keys come in no order, so a push changes most pages of the index of keys while there are few thousands of them.
    /// With entities as numbers and UUIDs as bytes it has less than half the pages.
    static let recordTable = """
        CREATE TABLE record (
            id INTEGER PRIMARY KEY, log INTEGER NOT NULL, entity INTEGER NOT NULL, key ANY NOT NULL,
            revision INTEGER NOT NULL, run TEXT NOT NULL, mark TEXT NOT NULL, pushed TEXT NOT NULL,
            vector TEXT NOT NULL, deleted INTEGER NOT NULL, stored_at INTEGER NOT NULL, entry BLOB NOT NULL,
            UNIQUE (log, entity, key)
        ) STRICT;
        CREATE UNIQUE INDEX record_revision ON record (log, entity, revision);
        CREATE INDEX record_tombstone ON record (log, entity, stored_at) WHERE deleted = 1;
        """
}
