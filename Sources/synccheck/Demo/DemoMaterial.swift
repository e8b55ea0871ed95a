import EntitySync
import Foundation
import SyncCore

/// The data of the demo: real verses, and their schemas.
struct DemoMaterial {
    /// The attribution of the verses.
    var licence = ""
    /// The texts of the schema files by entity name.
    var schemas: [(name: String, text: String)] = []
    /// Verses as bookmarks.
    var verses: [Verse] = []

    /// A verse as a bookmark.
    struct Verse {
        /// The key of the bookmark.
        var key: String
        /// The JSON of the bookmark without times.
        var json: [UInt8]
        /// The display name of the verse, for example `Al-Fatihah 1:5`.
        var name: String
        var arabic: String
        var english: String
    }

    /// Reads the data embedded in the program.
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
            // NB: the schemas are indented by two levels in the resource.
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

    /// The displayed part of a verse's bookmark.
    private struct Bookmark: Decodable {
        var id, surahName, verseText, verseTranslation: String
        var surahNumber, verseNumber: Int
    }
}
