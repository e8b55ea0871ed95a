import EntitySync
import EntitySyncFolder
import Foundation
import GRDB
import SyncCore
import SyncGRDB
import Testing

extension Reader: SyncFetchableRecord { public typealias Columns = Fields }
extension ReadStatus: SyncFetchableRecord { public typealias Columns = Fields }

/// A folder that goes when the test ends.
final class Scratch: Sendable {
    let path = NSTemporaryDirectory() + "grdb-" + UUID().uuidString

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func space(_ name: String = "a") throws -> SyncSpace {
        try SyncSpace.open(
            SpaceConfiguration(
                folder: path + "/" + name,
                entities: SyncRegistry.types,
                remote: FolderBackend(root: path + "/shared"),
                deviceLabel: name
            )
        )
    }
}

/// A space with one reader of books, and GRDB's reader of its file.
struct Stage {
    let scratch: Scratch
    let space: SyncSpace
    let reader: any DatabaseReader

    var bookmarks: SyncCollection<Bookmark> { space.collection(Bookmark.self) }
    var readers: SyncCollection<Reader> { space.collection(Reader.self) }

    init() throws {
        scratch = try Scratch()
        space = try scratch.space()
        try space.collection(Reader.self).insert(Reader(id: "ada", name: "Ada"))
        reader = try space.databaseReader()
    }

    /// All bookmarks by GRDB.
    func fetched() throws -> [Bookmark] { try reader.read { try Bookmark.fetchAll($0) } }

    func sqlite(_ sql: String) throws {
        let queue = try DatabaseQueue(path: scratch.path + "/a/" + SyncSpace.storeFileName)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }
}

/// Waits for a value of an observation, and fails at its end.
func wait<Value: Equatable & Sendable>(
    for expected: Value,
    in iterator: inout AsyncValueObservation<Value>.Iterator
) async throws {
    while let value = try await iterator.next() {
        if value == expected { return }
    }
    Issue.record("the observation has ended before \(expected)")
}

extension DatabaseReader {
    /// Reads at once, also where Swift would prefer to wait.
    func now<Value>(_ body: (Database) throws -> Value) throws -> Value { try read(body) }
}

extension Bookmark {
    /// A bookmark of Ada's, with microseconds in a date.
    static func sample(surah: Int = 1, notes: String? = nil) -> Bookmark {
        var bookmark = Bookmark(readerId: "ada", surahNumber: surah, notes: notes)
        bookmark.createdAt = Date(timeIntervalSince1970: 1_700_000_000.25)
        return bookmark
    }

    /// A bookmark with a value in each field.
    static func full() throws -> Bookmark {
        var bookmark = sample(surah: 2, notes: "it's \"so\"")
        bookmark.mood = .unknown("hungry")
        bookmark.second = .glad
        bookmark.weight = 0.1
        bookmark.isRead = true
        bookmark.price = Decimal(string: "12345678901234567890.10")
        bookmark.day = CalendarDate("2026-01-31")
        bookmark.link = "https://example.org/a?b=c"
        bookmark.picture = Data([0, 255, 7])
        bookmark.tags = ["b", "a"]
        bookmark.places = [Bookmark.Place(name: "home", height: 1.5), Bookmark.Place(name: "train")]
        bookmark.unknownFields = UnknownFields(members: [UnknownField(path: "colour", json: #"{"r":1}"#)])
        return bookmark
    }
}
