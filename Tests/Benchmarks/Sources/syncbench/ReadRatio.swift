import EntitySync
import SyncStore

/// All records as an app's own values, against SQLite's own interface into the same values.
enum ReadRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let pages = RecordPages(count: bench.records)
        let folder = try await BenchStore.pulled(bench: bench, pages: pages)
        let raw = try RawPull.filled(bench: bench, pages: pages)
        let space = try SyncSpace.open(
            SpaceConfiguration(folder: folder, entities: [Bookmark.self])
        )
        let bookmarks = space.collection(Bookmark.self)
        // The product's readers have a cache of this size.
        let database = try RawDatabase(
            path: RawPull.path(folder: raw),
            synchronous: .normal,
            cacheKiB: 8 * 1024
        )
        let first = try await bookmarks.all()
        guard first == (try RawRead.all(database: database, isSorted: true)) else {
            throw Unmeasured(reason: "both sides read other values")
        }
        let sorted = try await bench.takeTurns(
            ours: side { try bookmarks.all().count },
            yardstick: side { try RawRead.all(database: database, isSorted: true).count }
        )
        space.close()
        let store = try BenchStore(what: folder)
        let unsorted = try await bench.takeTurns(
            ours: side {
                var models: [Bookmark] = []
                try store.store.scan(with: Bookmark.adapter, isSorted: false) { models.append($0) }
                return models.count
            },
            yardstick: side { try RawRead.all(database: database, isSorted: false).count }
        )
        store.close()
        database.close()
        let other = Measurement.over(sides: unsorted)
        return .over(
            sides: sorted,
            note: """
                in the order of keys on both sides; without an order \(Figure.text(seconds: other.ours)) s \
                against \(Figure.text(seconds: other.yardstick ?? .nan)) s: \(Figure.text(seconds: other.ratio))
                """
        )
    }

    /// A side that reads, and must find something.
    private static func side(read: @escaping () throws -> Int) -> Bench.Side<Void> {
        Bench.Side(
            prepare: {},
            run: { _ in
                guard try read() > 0 else { throw Unmeasured(reason: "there is nothing to read") }
            }
        )
    }
}
