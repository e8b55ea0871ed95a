import Foundation
import SyncCore
import SyncEntities

/// Bookmarks that are made rather than written: the same for the same number, no two of one verse, and about as large
/// as those that people keep.
enum SystemRecords {
    static let entity = BookmarkAdapter.descriptor

    static func bookmark(_ number: Int) -> Bookmark {
        let (user, place) = (number / 32_604, number % 32_604)
        let created = Date(timeIntervalSince1970: 1_700_000_000 + Double(number % 50_000_000))
        return Bookmark(
            id: uuid(number),
            userId: "user-\(user)",
            surahNumber: place % 114 + 1,
            verseNumber: place / 114 + 1,
            surahName: "Surah \(place % 114 + 1)",
            verseText: verse,
            verseTranslation: "\(translation) \(number)",
            notes: number.isMultiple(of: 2) ? "Note \(number): to read again" : nil,
            tags: ["light", "mercy", "path \(number % 7)"],
            createdAt: created,
            updatedAt: created.addingTimeInterval(60)
        )
    }

    static func record(_ number: Int) throws -> Record {
        try BookmarkAdapter().record(bookmark(number))
    }

    /// NB: of no order, as those that devices draw.
    private static func uuid(_ number: Int) -> UUID {
        var bits = UInt64(number) &+ 0x9e37_79b9_7f4a_7c15
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        let (a, b) = (bits ^ (bits >> 31), UInt64(number))
        func byte(_ bits: UInt64, _ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: bits >> (index * 8)) }
        return UUID(
            uuid: (
                byte(a, 0), byte(a, 1), byte(a, 2), byte(a, 3), byte(a, 4), byte(a, 5),
                0x40 | byte(a, 6) & 0x0f, byte(a, 7), 0x80, 0, 0, 0,
                byte(b, 3), byte(b, 2), byte(b, 1), byte(b, 0)
            )
        )
    }

    private static let verse =
        "بسم الله الرحمن الرحيم الحمد لله رب العالمين الرحمن الرحيم مالك يوم الدين إياك نعبد وإياك نستعين اهدنا"
    private static let translation =
        "In the name of God, the Most Gracious, the Most Merciful. All praise is due to God, Lord of the worlds, "
        + "the Most Gracious, the Most Merciful, Master of the Day of Judgement. \"You alone we worship\""
}
