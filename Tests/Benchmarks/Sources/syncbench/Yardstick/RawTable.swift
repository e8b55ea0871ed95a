import Foundation
import GRDBSQLite

/// The table that an app would make by hand for the same records, and its statements.
///
/// It has the entity's own columns and the indexes that the schema asks for; of sync it knows a state and a revision.
enum RawTable {
    /// Which indexes there are beside the key's.
    enum Indexes {
        /// Those of the schema: one unique list, one for an order.
        case declared
        /// None.
        case none
    }

    static let columns = [
        "id", "userId", "surahNumber", "verseNumber", "surahName", "verseText", "verseTranslation", "notes",
        "tags", "createdAt", "updatedAt",
    ]

    static let upsert = """
        INSERT INTO bookmark (\(columns.joined(separator: ", "))) \
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT (id) DO UPDATE SET \
        \(columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        """

    static let selectAll = "SELECT \(columns.joined(separator: ", ")) FROM bookmark"

    static let saveCursor = """
        INSERT INTO value (name, value) VALUES ('cursor', ?1) ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """

    /// Makes the tables. `isPending` gives new records the state of those that wait to be pushed.
    static func create(
        in database: RawDatabase,
        indexes: Indexes = .declared,
        isPending: Bool = false
    ) throws {
        try database.execute(
            """
            CREATE TABLE bookmark (
                number INTEGER PRIMARY KEY, id TEXT NOT NULL, userId TEXT, surahNumber INTEGER, verseNumber INTEGER,
                surahName TEXT, verseText TEXT, verseTranslation TEXT, notes TEXT, tags TEXT, createdAt INTEGER,
                updatedAt INTEGER, state INTEGER NOT NULL DEFAULT \(isPending ? 1 : 0), revision TEXT
            ) STRICT;
            CREATE UNIQUE INDEX bookmark_key ON bookmark (id);
            CREATE INDEX bookmark_state ON bookmark (state) WHERE state <> 0;
            CREATE TABLE value (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT;
            """
        )
        guard indexes == .declared else { return }
        try database.execute(
            """
            CREATE INDEX bookmark_verse ON bookmark (userId, surahNumber, verseNumber);
            CREATE INDEX bookmark_created ON bookmark (createdAt);
            """
        )
    }

    /// Binds what was scanned, without copying what needs no unescaping.
    @inline(__always)
    static func bind(_ record: ScannedRecord, statement: OpaquePointer) {
        bind(record.id, statement: statement, index: 1)
        bind(record.userId, statement: statement, index: 2)
        sqlite3_bind_int64(statement, 3, Int64(record.surahNumber))
        sqlite3_bind_int64(statement, 4, Int64(record.verseNumber))
        bind(record.surahName, statement: statement, index: 5)
        bind(record.verseText, statement: statement, index: 6)
        bind(record.verseTranslation, statement: statement, index: 7)
        if let notes = record.notes {
            bind(notes, statement: statement, index: 8)
        } else {
            sqlite3_bind_null(statement, 8)
        }
        bindRaw(record.tags, statement: statement, index: 9)
        sqlite3_bind_int64(statement, 10, record.createdAt)
        sqlite3_bind_int64(statement, 11, record.updatedAt)
    }

    /// Binds a record of the input.
    static func bind(_ record: BenchRecord, statement: OpaquePointer) {
        bindText(record.id, statement: statement, index: 1)
        bindText(record.userId, statement: statement, index: 2)
        sqlite3_bind_int64(statement, 3, Int64(record.surahNumber))
        sqlite3_bind_int64(statement, 4, Int64(record.verseNumber))
        bindText(record.surahName, statement: statement, index: 5)
        bindText(record.verseText, statement: statement, index: 6)
        bindText(record.verseTranslation, statement: statement, index: 7)
        if let notes = record.notes {
            bindText(notes, statement: statement, index: 8)
        } else {
            sqlite3_bind_null(statement, 8)
        }
        bindText("[\"\(record.tags.joined(separator: "\",\""))\"]", statement: statement, index: 9)
        sqlite3_bind_int64(statement, 10, Int64(record.createdAt) * 1_000_000)
        sqlite3_bind_int64(statement, 11, Int64(record.updatedAt) * 1_000_000)
    }

    @inline(__always)
    private static func bind(_ span: ScannedRecord.Span, statement: OpaquePointer, index: Int32) {
        guard span.hasEscapes else { return bindRaw(span, statement: statement, index: index) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: span.count) { bytes in
            let count = unescape(span: span, into: bytes)
            bytes.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text(
                    statement,
                    index,
                    $0.baseAddress,
                    Int32(count),
                    copiedByStatement
                )
            }
        }
    }

    /// Binds text that stays where it is until the statement has run.
    @inline(__always)
    private static func bindRaw(_ span: ScannedRecord.Span, statement: OpaquePointer, index: Int32) {
        span.start?.withMemoryRebound(to: CChar.self, capacity: span.count) {
            _ = sqlite3_bind_text(statement, index, $0, Int32(span.count), nil)
        }
    }

    /// Undoes the escapes of the input: quotes, backslashes and line breaks. Returns how many bytes are left.
    private static func unescape(
        span: ScannedRecord.Span,
        into bytes: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard let start = span.start else { return 0 }
        var (count, place) = (0, 0)
        while place < span.count {
            var byte = start[place]
            if byte == UInt8(ascii: "\\") {
                place += 1
                byte = start[place] == UInt8(ascii: "n") ? 10 : start[place]
            }
            bytes[count] = byte
            count += 1
            place += 1
        }
        return count
    }
}
