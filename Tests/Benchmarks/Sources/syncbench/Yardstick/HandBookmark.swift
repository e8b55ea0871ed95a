import Foundation
import GRDB

/// The record as an app team declares it by hand, for a server's JSON and for its table.
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

extension HandBookmark: FetchableRecord, PersistableRecord {
    static let databaseTableName = "bookmark"
    /// An upsert needs conflicts to fail, so that it can update instead.
    static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .abort, update: .abort)

    /// Times are numbers, which is the quickest way that the library has.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .timeIntervalSince1970
    }

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSince1970
    }
}
