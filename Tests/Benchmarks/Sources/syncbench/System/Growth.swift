import EntitySync
import Foundation
import SyncCore
import SyncStore

/// What a store of so many records costs.
struct Growth: Equatable {
    /// How many records.
    var records: Int
    /// Records a second that a pull of all of them takes in.
    var pullPerSecond: Double
    /// Seconds of a sync that brings ten changes to them.
    var incrementalSeconds: Double
    /// Seconds of a sync with nothing to do.
    var idleSeconds: Double
    /// Seconds of one local write that is on disk when it returns.
    var putSeconds: Double
    /// Seconds in which one record is read by its key.
    var readSeconds: Double
    /// Bytes of the store's file.
    var fileBytes: Double
    /// The most memory that the process has held when they were pulled, in bytes.
    var peakBytes: Double

    static let changes = 10
    private static let syncs = 9
    private static let idleSyncs = 50
    private static let puts = 200
    private static let reads = 1000

    /// Measures in this process. The peak is one of the process: a process of its own measures one size.
    static func measure(_ count: Int) async throws -> Growth {
        let folder = FileManager.default.temporaryDirectory.path + "/syncbench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pages = RecordPages(count: count)
        let making = Stopwatch()
        let server = BenchServer(pageCount: pages.pageCount) { page in
            making.time { pages.answer(page: page) }
        }
        let store = try BenchStore(what: folder)
        let pull = try await ContinuousClock().measure { try await store.sync(server) }
        let peak = ChildTask.peakBytes()
        guard try store.counts().records == count else { throw Unmeasured(reason: "records are missing") }
        let incremental = try await median(
            of: 1...syncs,
            prepare: { edit in
                server.publish(
                    (0..<changes).map { pages.entry(index: ($0 * 7919 + edit) % count, edit: edit) }
                )
            },
            timed: { _ in try await store.sync(server) }
        )
        let idle = try await median(of: 1...idleSyncs, timed: { _ in try await store.sync(server) })
        store.close()
        let file = try FileManager.default.attributesOfItem(atPath: BenchStore.path(folder: folder))
        // NB: opened anew, as the writes must not be part of the file's size.
        let again = try BenchStore(what: folder)
        defer { again.close() }
        return Growth(
            records: count,
            pullPerSecond: Double(count) / (pull.seconds - making.seconds),
            incrementalSeconds: incremental,
            idleSeconds: idle,
            putSeconds: try await put(again, pages: pages),
            readSeconds: try await read(store: again, pages: pages),
            fileBytes: Double(file[.size] as? Int ?? 0),
            peakBytes: Double(peak)
        )
    }

    /// Writes new records, each in a transaction of its own.
    private static func put(_ store: BenchStore, pages: RecordPages) async throws -> Double {
        let models = (0..<puts).map { Bookmark(pages.records.record(index: pages.count + $0)) }
        let seconds = try await median(
            of: models,
            timed: { model in _ = try store.writer.batch { try $0.save(model) } }
        )
        guard try store.counts().pending == puts else { throw Unmeasured(reason: "writes are missing") }
        return seconds
    }

    /// Reads records that lie all over the store.
    private static func read(store: BenchStore, pages: RecordPages) async throws -> Double {
        let keys = (1...reads).map {
            Bookmark.recordKey(Bookmark(pages.records.record(index: $0 * 7919 % pages.count)).id)
        }
        return try await median(
            of: keys,
            timed: { key in
                guard try store.store.load(with: Bookmark.adapter, key: key) != nil else {
                    throw Unmeasured(reason: "a record is missing")
                }
            }
        )
    }

    /// The middle of the seconds that `body` takes for each input, without what `prepare` takes before it.
    private static func median<Inputs: Sequence>(
        of inputs: Inputs,
        prepare: (Inputs.Element) throws -> Void = { _ in },
        timed body: (Inputs.Element) async throws -> Void
    ) async throws -> Double {
        var seconds: [Double] = []
        for input in inputs {
            try prepare(input)
            seconds.append(try await ContinuousClock().measure { try await body(input) }.seconds)
        }
        return seconds.median
    }
}

extension Growth {
    /// Figures on one line, as one process tells them to another.
    var line: String {
        "\(records) \(pullPerSecond) \(incrementalSeconds) \(idleSeconds) \(putSeconds) \(readSeconds) "
            + "\(fileBytes) \(peakBytes)"
    }

    /// Reads what `line` writes.
    init?(line: String) {
        let figures = line.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard figures.count == 8 else { return nil }
        self.init(
            records: Int(figures[0]),
            pullPerSecond: figures[1],
            incrementalSeconds: figures[2],
            idleSeconds: figures[3],
            putSeconds: figures[4],
            readSeconds: figures[5],
            fileBytes: figures[6],
            peakBytes: figures[7]
        )
    }
}

/// Adds up the time of work that does not count: pages are made when they are asked for, so that only one is held.
private final class Stopwatch: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var total = 0.0

    var seconds: Double { lock.withLock { total } }

    func time<Result>(body: () -> Result) -> Result {
        let clock = ContinuousClock()
        let start = clock.now
        defer { lock.withLock { total += (clock.now - start).seconds } }
        return body()
    }
}
