import Foundation
import GRDB

/// A pull as an app team writes it by hand: Foundation's decoder, and an upsert of each Codable record.
struct HandPull {
    let folder: String
    private let database: DatabaseQueue

    /// Makes an empty table, its columns named like the coding keys.
    init(_ folder: String) throws {
        self.folder = folder
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        database = try DatabaseQueue(path: Self.path(folder: folder), configuration: configuration)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE bookmark (
                        id TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, surah_number INTEGER NOT NULL,
                        verse_number INTEGER NOT NULL, surah_name TEXT NOT NULL, verse_text TEXT NOT NULL,
                        verse_translation TEXT NOT NULL, notes TEXT, tags TEXT NOT NULL,
                        created_at REAL NOT NULL, updated_at REAL NOT NULL
                    );
                    CREATE UNIQUE INDEX bookmark_verse ON bookmark (user_id, surah_number, verse_number);
                    CREATE INDEX bookmark_created ON bookmark (created_at);
                    CREATE TABLE value (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT;
                    """
            )
        }
    }

    static func path(folder: String) -> String { folder + "/hand.sqlite" }

    /// Takes all pages in, a transaction per page that also keeps the cursor, and closes the file.
    func run(_ pages: [[UInt8]]) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        for (number, page) in pages.enumerated() {
            let records = try decoder.decode([HandBookmark].self, from: Data(page))
            try database.write { database in
                for record in records { try record.upsert(database) }
                try database.execute(
                    sql: "INSERT OR REPLACE INTO value (name, value) VALUES ('cursor', ?)",
                    arguments: ["p\(number + 1)"]
                )
            }
        }
        try database.close()
    }
}

extension HandPull: PullRun {
    var file: String { Self.path(folder: folder) }

    func pull(_ input: PullInput) async throws { try run(input.plain) }
}
