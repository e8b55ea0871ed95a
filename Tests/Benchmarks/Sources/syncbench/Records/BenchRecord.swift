import SyncChecks
import SyncCore

/// One bookmark of the input, in the plainest form.
struct BenchRecord: Equatable {
    var id = ""
    var userId = ""
    var surahNumber = 0
    var verseNumber = 0
    var surahName = ""
    var verseText = ""
    var verseTranslation = ""
    var notes: String?
    var tags: [String] = []
    /// Seconds since 1970.
    var createdAt = 0
    /// Seconds since 1970.
    var updatedAt = 0
}

/// The input: bookmarks by position, the same for the same seed. About 734 bytes of JSON each.
///
/// No two of them share a verse of one reader, so that the unique list holds and nothing is merged.
struct BenchRecords: Sendable {
    private let seed: UInt64
    private let users: [String]

    init(seed: UInt64 = 42) {
        self.seed = seed
        var random = Seed(seed)
        users = (0..<Self.readers).map { _ in Self.uuid(random: &random) }
    }

    /// The record of a position. `edit` counts the edits after the first version, which change notes and `updatedAt`.
    func record(index: Int, edit: Int = 0) -> BenchRecord {
        var random = Seed(seed ^ UInt64(index &+ 1) &* 0x9e37_79b9_7f4a_7c15)
        var record = BenchRecord()
        record.id = Self.uuid(random: &random)
        record.userId = users[index % Self.readers]
        let verse = index / Self.readers
        record.surahNumber = 1 + verse % 114
        record.verseNumber = 1 + verse / 114
        record.surahName = Self.names[random.below(bound: Self.names.count)]
        record.verseText = Self.arabic(from: random.below(bound: Self.arabicStarts.count / 2))
        record.verseTranslation = Self.english(random: &random, isQuoted: index.isMultiple(of: 10))
        record.notes =
            index.isMultiple(of: 2)
            ? nil
            : "note \(index): \(Self.word(random: &random)) \(Self.word(random: &random)) to read again later"
        let first = random.below(bound: Self.words.count)
        // Three that differ, in order, as tags are a set.
        record.tags = [0, 8, 16].map { Self.words[(first + $0) % Self.words.count] }
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        record.createdAt = 1_700_000_000 + random.below(bound: 50_000_000)
        record.updatedAt = record.createdAt + random.below(bound: 1_000_000)
        if edit > 0 {
            record.notes = "edit \(edit) of \(index)"
            record.updatedAt += edit
        }
        return record
    }

    /// The wire object of a record.
    static func append(_ record: BenchRecord, to writer: inout JSONWriter) {
        func text(name: String, value: String) {
            writer.name(name)
            writer.string(value)
        }
        func number(_ name: String, value: Int) {
            writer.name(name)
            writer.integer(Int64(value))
        }
        writer.beginObject()
        text(name: "id", value: record.id)
        text(name: "user_id", value: record.userId)
        number("surah_number", value: record.surahNumber)
        number("verse_number", value: record.verseNumber)
        text(name: "surah_name", value: record.surahName)
        text(name: "verse_text", value: record.verseText)
        text(name: "verse_translation", value: record.verseTranslation)
        writer.name("notes")
        if let notes = record.notes { writer.string(notes) } else { writer.null() }
        writer.name("tags")
        writer.beginArray()
        for tag in record.tags { writer.string(tag) }
        writer.endArray()
        text(
            name: "created_at",
            value: Timestamp(microseconds: Int64(record.createdAt) * 1_000_000).description
        )
        text(
            name: "updated_at",
            value: Timestamp(microseconds: Int64(record.updatedAt) * 1_000_000).description
        )
        writer.endObject()
    }
}

extension BenchRecords {
    private static let readers = 50
    private static let names = [
        "Al-Fatiha", "Al-Baqarah", "Aal-E-Imran", "An-Nisa", "Al-Ma'idah", "Al-An'am", "Al-A'raf", "Yusuf",
    ]
    private static let words = [
        "In", "the", "name", "of", "mercy", "path", "straight", "guide", "worship", "alone", "lord", "worlds",
        "day", "judgement", "praise", "those", "who", "have", "been", "given", "and", "light", "earth",
        "heaven", "night",
    ]
    /// Twice, so that a verse may begin anywhere.
    private static let arabicBytes = Array(String(repeating: arabicText, count: 2).utf8)
    private static let arabicStarts = arabicBytes.indices.filter { arabicBytes[$0] & 0xc0 != 0x80 }
    private static let arabicText = """
        بسم الله الرحمن الرحيم الحمد لله رب العالمين مالك يوم الدين إياك نعبد وإياك نستعين \
        اهدنا الصراط المستقيم صراط الذين أنعمت عليهم غير المغضوب عليهم ولا الضالين 
        """

    /// 100 characters.
    private static func arabic(from start: Int) -> String {
        String(decoding: arabicBytes[arabicStarts[start]..<arabicStarts[start + 100]], as: UTF8.self)
    }

    /// About 200 characters; some with quotes and a line break, which JSON escapes.
    private static func english(random: inout Seed, isQuoted: Bool) -> String {
        var text = ""
        while text.utf8.count < 190 {
            text += word(random: &random)
            text += " "
        }
        return isQuoted ? text + "\"quoted\"\n" : text
    }

    private static func word(random: inout Seed) -> String { words[random.below(bound: words.count)] }

    private static func uuid(random: inout Seed) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for half in 0..<2 {
            var bits = random.next()
            for nibble in 0..<16 {
                let place = half * 16 + nibble
                if [8, 12, 16, 20].contains(place) { text.append(UInt8(ascii: "-")) }
                let value = place == 12 ? 4 : place == 16 ? 8 | Int(bits & 3) : Int(bits & 15)
                text.append(digits[value])
                bits >>= 4
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension Seed {
    /// A number from 0 up to, but not including, `bound`.
    mutating func below(bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
