import Foundation

extension Bookmark {
    /// A record of the input as an app's own value.
    init(_ record: BenchRecord) {
        self.init(
            id: UUID(uuidString: record.id) ?? UUID(),
            userId: record.userId,
            surahNumber: record.surahNumber,
            verseNumber: record.verseNumber,
            surahName: record.surahName,
            verseText: record.verseText,
            verseTranslation: record.verseTranslation,
            notes: record.notes,
            tags: record.tags,
            createdAt: Date(timeIntervalSince1970: Double(record.createdAt)),
            updatedAt: Date(timeIntervalSince1970: Double(record.updatedAt))
        )
    }
}
