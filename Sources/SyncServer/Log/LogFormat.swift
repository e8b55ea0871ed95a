/// The database format of one account's logs.
enum LogFormat {
    /// The application id in the header of each file: `ESLG`.
    static let applicationID: Int32 = 0x4553_4c47
    /// The version of the layout. It increases with changes that older programs cannot read.
    static let version: Int32 = 3

    /// All tables but those of records and fingerprints. `account` has one row, which detects a file under
    /// another account's name.
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

    /// The run of a row of `record`, as an expression: the row does not hold it.
    static let runOfRecord = """
        (SELECT tag FROM run WHERE run.log = record.log AND first <= record.revision ORDER BY first DESC LIMIT 1)
        """

    /// Fingerprints that devices sent of the records that they show. Files of older servers lack the table
    /// until it is needed.
    static let fingerprintTable = """
        CREATE TABLE fingerprint (
            log INTEGER NOT NULL, device TEXT NOT NULL, position TEXT NOT NULL, told_at INTEGER NOT NULL,
            records TEXT NOT NULL, PRIMARY KEY (log, device)
        ) STRICT, WITHOUT ROWID;

        """

    /// Each value is stored once. An entry lacks its revision and what `EntryHead` puts in front of it. `mark` is the edit
    /// timestamp as stored; `pushed` is it as sent, and NULL if that is the same. `vector` is NULL if it has seen only
    /// the edit of `mark`. `key` is a `StoredKey`. The run of a revision is in `run`.
    ///
    /// Keys are random, so a push touches most pages of the key index of a small log. Entities as numbers and
    /// UUIDs as bytes halve the number of pages.
    static let recordTable = """
        CREATE TABLE record (
            id INTEGER PRIMARY KEY, log INTEGER NOT NULL, entity INTEGER NOT NULL, key ANY NOT NULL,
            revision INTEGER NOT NULL, mark TEXT NOT NULL, pushed TEXT, vector TEXT, deleted INTEGER NOT NULL,
            stored_at INTEGER NOT NULL, entry BLOB NOT NULL, UNIQUE (log, entity, key)
        ) STRICT;
        CREATE UNIQUE INDEX record_revision ON record (log, entity, revision);
        CREATE INDEX record_tombstone ON record (log, entity, stored_at) WHERE deleted = 1;
        """
}
