import Foundation

/// The record as an app team declares it by hand for a server's JSON and for its table.
struct HandBookmark: Codable, Sendable, Equatable {
    var id: String
    var userId: String
    var surahNumber: Int
    var verseNumber: Int
    var surahName: String
    var verseText: String
    var verseTranslation: String
    var notes: String?
    var tags: [String]
    var createdAt: Date
    var updatedAt: Date

    enum CodingKeys: String, CodingKey {
        case id, notes, tags
        case userId = "user_id"
        case surahNumber = "surah_number"
        case verseNumber = "verse_number"
        case surahName = "surah_name"
        case verseText = "verse_text"
        case verseTranslation = "verse_translation"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }
}

/// A pull as an app team writes it by hand: Foundation's decoder, and an upsert per Codable record.
struct HandPull {
    let folder: String
    private let database: RawDatabase

    /// Makes an empty table, its columns named like the coding keys.
    init(_ folder: String) throws {
        self.folder = folder
        database = try RawDatabase(path: Self.path(folder: folder), synchronous: .normal)
        try database.execute(
            """
            CREATE TABLE bookmark (
                id TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, surah_number INTEGER NOT NULL,
                verse_number INTEGER NOT NULL, surah_name TEXT NOT NULL, verse_text TEXT NOT NULL,
                verse_translation TEXT NOT NULL, notes TEXT, tags TEXT NOT NULL, created_at REAL NOT NULL,
                updated_at REAL NOT NULL
            );
            CREATE UNIQUE INDEX bookmark_verse ON bookmark (user_id, surah_number, verse_number);
            CREATE INDEX bookmark_created ON bookmark (created_at);
            CREATE TABLE value (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT;
            """
        )
    }

    static func path(folder: String) -> String { folder + "/hand.sqlite" }

    /// Takes all pages in, a transaction per page, and closes the file.
    func run(_ pages: [[UInt8]]) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let rows = RowUpsert(database: database, table: "bookmark", key: "id")
        let cursor = try database.prepare(RawTable.saveCursor)
        for (number, page) in pages.enumerated() {
            let records = try decoder.decode([HandBookmark].self, from: Data(page))
            try database.execute("BEGIN IMMEDIATE")
            for record in records { try rows.upsert(record: record) }
            bindText("p\(number + 1)", statement: cursor, index: 1)
            try database.run(cursor)
            try database.execute("COMMIT")
        }
        database.close()
    }
}

extension HandPull: PullRun {
    var file: String { Self.path(folder: folder) }

    func pull(_ input: PullInput) async throws { try run(input.plain) }
}
