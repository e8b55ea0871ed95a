import EntitySync
import Foundation
import SyncFileBackend

/// Seconds in which `synccheck inspect` makes a page of a store with many records, 1,000 of them in conflict.
enum InspectRatio {
    private static let conflicts = 1000

    static func measure(_ bench: Bench) async throws -> Measurement {
        guard let program = BuiltProgram("synccheck") else {
            throw Unmeasured(reason: "build it with 'swift build -c release --product synccheck'")
        }
        let folder = try bench.folder(path: "inspected")
        let schemas = folder + "/schemas"
        try FileManager.default.createDirectory(atPath: schemas, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("bookmark.schema.json"),
            to: URL(fileURLWithPath: schemas + "/bookmark.schema.json")
        )
        let store = try await disagreeing(in: folder, pages: RecordPages(count: bench.records))
        let output = folder + "/page.html"
        let arguments = ["inspect", "--output", output, "--store", store, "--schemas", schemas]
        var seconds: [Double] = []
        for _ in 0..<bench.rounds {
            let clock = ContinuousClock()
            let start = clock.now
            try program.run(arguments: arguments, in: folder)
            seconds.append((clock.now - start).seconds)
        }
        let size = try FileManager.default.attributesOfItem(atPath: output)[.size] as? Int ?? 0
        try bench.remove(folder)
        return Measurement(
            ratio: seconds.median,
            ours: seconds.median,
            yardstick: nil,
            note: "\(bench.records) records, \(conflicts) conflicts, a page of \(size) bytes",
            holds: size > conflicts * 100
        )
    }

    /// The file of a store whose first records were edited here and elsewhere.
    private static func disagreeing(in folder: String, pages: RecordPages) async throws -> String {
        let remote = FolderBackend(root: folder + "/shared")
        let (here, elsewhere) = try (
            open(folder: folder + "/here", remote: remote),
            open(folder: folder + "/elsewhere", remote: remote)
        )
        for page in 0..<pages.pageCount {
            try await here.write { batch in
                for index in pages.range(page: page) {
                    try batch.insert(Bookmark(pages.records.record(index: index)))
                }
            }
        }
        try await here.sync()
        try await elsewhere.sync()
        for (space, notes) in [(elsewhere, "written elsewhere"), (here, "written here")] {
            let bookmarks = space.collection(Bookmark.self)
            let edited = try await bookmarks.query(SyncQuery().limit(conflicts))
            try await space.write { batch in
                for var bookmark in edited {
                    bookmark.notes = notes
                    try batch.save(bookmark)
                }
            }
            try await space.sync()
        }
        let found = try here.status().conflicted
        elsewhere.close()
        here.close()
        guard found == conflicts else { throw Unmeasured(reason: "\(found) records are in conflict") }
        return BenchStore.path(folder: folder + "/here")
    }

    private static func open(folder: String, remote: FolderBackend) throws -> SyncSpace {
        try SyncSpace.open(
            SpaceConfiguration(folder: folder, entities: [Bookmark.self], remote: remote)
        )
    }
}
