import EntitySync
import GRDBSQLite

/// The first 20 hits among all articles of 4 KB with their excerpts, against the same query of an FTS5 table by hand.
enum SearchRatio {
    /// A rare word, two words of middling frequency, and a prefix that many words have.
    static let searches = ["word4000", "word300 word400", "word12*"]
    private static let perTransaction = 2000

    static func measure(_ bench: Bench) async throws -> Measurement {
        let folder = try bench.folder(path: "articles")
        let space = try SyncSpace.open(SpaceConfiguration(folder: folder, entities: [Article.self]))
        let articles = space.collection(Article.self)
        for start in stride(from: 0, to: bench.records, by: perTransaction) {
            try await space.write { batch in
                for number in start..<min(start + perTransaction, bench.records) {
                    try batch.insert(ArticleText.article(number))
                }
            }
        }
        let raw = try RawSearch(path: folder + "/raw.sqlite", count: bench.records)
        for search in searches {
            let found = try await articles.search(search).map(\.record.id)
            guard try raw.search(search) == found, !found.isEmpty else {
                throw Unmeasured(reason: "both sides find other articles")
            }
        }
        let sides = try await bench.takeTurns(
            ours: Bench.Side(
                prepare: {},
                run: { _ in for search in searches { _ = try articles.search(search) } }
            ),
            yardstick: Bench.Side(
                prepare: {},
                run: { _ in for search in searches { _ = try raw.search(search) } }
            )
        )
        raw.close()
        space.close()
        try bench.remove(folder)
        return .over(sides: sides, note: "\(searches.count) searches among \(bench.records) articles")
    }
}

/// Texts of 4 KB: words of which some are frequent and most are rare.
enum ArticleText {
    static func article(_ number: Int) -> Article {
        var state = UInt64(number) &* 0x9e37_79b9_7f4a_7c15 | 1
        func word() -> String {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let part = Double(state >> 11) / Double(1 << 53)
            return "word\(Int(part * part * part * 5000))"
        }
        func text(words: Int) -> String { (0..<words).map { _ in word() }.joined(separator: " ") }
        return Article(id: String(number), title: text(words: 6), content: text(words: 520))
    }
}

/// Articles and their FTS5 table, as an app team would write them.
private final class RawSearch {
    private let database: RawDatabase
    private let query: OpaquePointer

    init(path: String, count: Int) throws {
        database = try RawDatabase(path: path, synchronous: .normal, cacheKiB: 8 * 1024)
        try database.execute(
            """
            CREATE TABLE article (number INTEGER PRIMARY KEY, id TEXT UNIQUE, title TEXT, content TEXT) STRICT;
            CREATE VIRTUAL TABLE found USING fts5(title, content, content='article', content_rowid='number',
                tokenize='unicode61 remove_diacritics 2', prefix='2 3');
            BEGIN;
            """
        )
        let insert = try database.prepare("INSERT INTO article (id, title, content) VALUES (?1, ?2, ?3)")
        for number in 0..<count {
            let article = ArticleText.article(number)
            bindText(article.id, statement: insert, index: 1)
            bindText(article.title, statement: insert, index: 2)
            bindText(article.content, statement: insert, index: 3)
            try database.run(insert)
        }
        try database.execute("INSERT INTO found (found) VALUES ('rebuild'); COMMIT")
        query = try database.prepare(
            """
            SELECT a.id, a.title, a.content, snippet(found, 0, '[', ']', '…', 24), snippet(found, 1, '[', ']', '…', 24)
            FROM found JOIN article AS a ON a.number = found.rowid WHERE found MATCH ?1 ORDER BY rank LIMIT 20
            """
        )
    }

    /// The identifiers of the best articles.
    func search(_ words: String) throws -> [String] {
        bindText(words, statement: query, index: 1)
        var ids: [String] = []
        while try database.step(statement: query) {
            for column in 1...4 { _ = columnText(statement: query, column: Int32(column)).count }
            ids.append(String(decoding: columnText(statement: query, column: 0), as: UTF8.self))
        }
        return ids
    }

    func close() { database.close() }
}
