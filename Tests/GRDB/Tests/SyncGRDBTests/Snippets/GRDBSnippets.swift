import EntitySync
import GRDB
import SyncGRDB
import Testing

// snippet: grdb-record
extension Bookmark: SyncFetchableRecord { public typealias Columns = Fields }
// snippet end

/// The part of the page on SQL that is about GRDB.
@Suite(.timeLimit(.minutes(5))) struct GRDBSnippets {
    let space: SyncSpace

    init() throws {
        space = try SyncSpace.temporary(entities: SyncRegistry.types)
        try space.collection(Reader.self).insert(Reader(id: "ada", name: "Ada"))
        try space.collection(Bookmark.self).insert(.sample(surah: 2, notes: "note"))
    }

    @Test func readingWithGRDB() async throws {
        // snippet: grdb-reading
        let reader = try space.databaseReader()
        let newest = try await reader.read { db in
            try Bookmark.filter { $0.surahNumber == 2 }.order { $0.createdAt.column.desc }.fetchAll(db)
        }
        // snippet end
        #expect(newest.count == 1)
    }

    @Test func observingWithGRDB() async throws {
        let reader = try space.databaseReader()
        let (shown, continuation) = AsyncStream.makeStream(of: Int.self)
        @Sendable func show(_ count: Int) { continuation.yield(count) }
        let task = Task {
            // snippet: grdb-observing
            let observation = ValueObservation.tracking { db in
                try Bookmark.filter { $0.notes != nil }.fetchCount(db)
            }
            for try await count in observation.values(in: reader) { show(count) }
            // snippet end
        }
        defer { task.cancel() }
        for await count in shown {
            if count > 1 { break }
            try await space.collection(Bookmark.self).insert(.sample(surah: 3, notes: "another"))
        }
    }
}
