import EntitySync

/// One durable local write, against a raw upsert in a transaction of its own.
enum PutRatio {
    /// Writes of one round.
    static let writes = 500

    static func measure(_ bench: Bench) async throws -> Measurement {
        let pages = RecordPages(count: max(1000, bench.records / 10))
        let product = try await BenchStore.pulled(bench: bench, pages: pages)
        let raw = try RawPull.filled(bench: bench, pages: pages)
        let records = (0..<writes).map { pages.records.record(index: pages.count + $0) }
        let sides = try await bench.takeTurns(
            ours: Bench.Side<any PutRun>(
                prepare: {
                    try ProductPut(copy: BenchStore.copy(of: product, bench: bench), records: records)
                },
                run: { try $0.put() },
                clear: { try bench.remove($0.close()) }
            ),
            yardstick: Bench.Side<any PutRun>(
                prepare: {
                    try RawPut(
                        opened: RawPull.copy(of: raw, bench: bench, synchronous: .full),
                        records: records
                    )
                },
                run: { try $0.put() },
                clear: { try bench.remove($0.close()) }
            )
        )
        var measurement = Measurement.over(
            sides: sides,
            note: "one of \(writes) new records a round, each on disk before the next, into \(pages.count)"
        )
        measurement.ours /= Double(writes)
        measurement.yardstick? /= Double(writes)
        return measurement
    }
}

/// One of the ways to write records one by one.
protocol PutRun {
    /// Writes all of them, each durable before the next.
    func put() throws
    /// Closes the file, and tells the folder.
    func close() -> String
}

/// A space, as an app opens it.
private struct ProductPut: PutRun {
    let folder: String
    let space: SyncSpace
    let models: [Bookmark]

    init(copy: BenchStore, records: [BenchRecord]) throws {
        folder = copy.folder
        copy.close()
        space = try SyncSpace.open(
            SpaceConfiguration(folder: folder, entities: [Bookmark.self])
        )
        models = records.map { Bookmark($0) }
    }

    func put() throws {
        let bookmarks = space.collection(Bookmark.self)
        for model in models { try bookmarks.save(model) }
    }

    func close() -> String {
        space.close()
        return folder
    }
}

/// One prepared upsert.
private struct RawPut: PutRun {
    let folder: String
    let database: RawDatabase
    let records: [BenchRecord]

    init(opened: (folder: String, database: RawDatabase), records: [BenchRecord]) {
        (folder, database) = opened
        self.records = records
    }

    func put() throws {
        let upsert = try database.prepare(RawTable.upsert)
        let begin = try database.prepare("BEGIN IMMEDIATE")
        let commit = try database.prepare("COMMIT")
        for record in records {
            try database.run(begin)
            RawTable.bind(record, statement: upsert)
            try database.run(upsert)
            try database.run(commit)
        }
    }

    func close() -> String {
        database.close()
        return folder
    }
}
