import EntitySync
import Foundation

/// What the demo is about: real verses, and the schemas that describe them.
struct DemoMaterial {
    /// Who is to be named for the verses.
    var licence = ""
    /// The text of schema files by entity name.
    var schemas: [(name: String, text: String)] = []
    /// Verses as bookmarks.
    var verses: [Verse] = []

    /// A verse as a bookmark.
    struct Verse {
        /// The bookmark's key.
        var key: String
        /// The bookmark without times, as JSON.
        var json: [UInt8]
        /// The verse's name for people, for example `Al-Fatihah 1:5`.
        var name: String
        var arabic: String
        var english: String
    }

    /// Reads what is embedded in the program.
    init() throws {
        try PackageResources.demo_verses_json.withUnsafeBufferPointer { bytes in
            var reader = try JSONReader(bytes)
            guard try reader.beginObject() else { return }
            repeat {
                switch try reader.name().decode() {
                case "licence": licence = try reader.string().decode()
                case "schemas": try readSchemas(&reader)
                default: try readVerses(&reader)
                }
            } while try reader.nextMember()
        }
    }

    private mutating func readSchemas(_ reader: inout JSONReader) throws {
        guard try reader.beginObject() else { return }
        repeat {
            let name = try reader.name().decode()
            let text = String(decoding: try reader.skipValue(), as: UTF8.self)
            // NB: the schemas stand two levels deep in the resource.
            schemas.append((name, text.replacing("\n    ", with: "\n") + "\n"))
        } while try reader.nextMember()
    }

    private mutating func readVerses(_ reader: inout JSONReader) throws {
        guard try reader.beginArray() else { return }
        repeat {
            let json = Array(try reader.skipValue())
            let bookmark = try JSONDecoder().decode(Bookmark.self, from: Data(json))
            let place = "\(bookmark.surahNumber):\(bookmark.verseNumber)"
            verses.append(
                Verse(
                    key: bookmark.id,
                    json: json,
                    name: "\(bookmark.surahName) \(place)",
                    arabic: bookmark.verseText,
                    english: bookmark.verseTranslation
                )
            )
        } while try reader.nextElement()
    }

    /// What people are shown of a verse's bookmark.
    private struct Bookmark: Decodable {
        var id, surahName, verseText, verseTranslation: String
        var surahNumber, verseNumber: Int
    }
}
