import Foundation
import SyncCore

/// What a store of so many records costs.
struct Growth: Equatable {
    /// How many records.
    var records: Int
    /// Records a second that a pull of all of them takes in.
    var pullPerSecond: Double
    /// Seconds of a sync that brings ten changes to them.
    var incrementalSeconds: Double
    /// Bytes of the store's file.
    var fileBytes: Double
    /// The most memory that the process has held when they were pulled, in bytes.
    var peakBytes: Double

    static let changes = 10
    private static let syncs = 9

    /// Measures in this process. The peak is one of the process: a process of its own measures one size.
    static func measure(_ count: Int) async throws -> Growth {
        let folder = FileManager.default.temporaryDirectory.path + "/syncbench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let pages = RecordPages(count: count)
        let making = Stopwatch()
        let server = BenchServer(pageCount: pages.pageCount) { page in making.time { pages.answer(page) } }
        let store = try BenchStore(folder)
        let clock = ContinuousClock()
        let pull = try await clock.measure { try await store.sync(server) }
        let peak = ChildTask.peakBytes()
        guard try store.counts().records == count else { throw Unmeasured(reason: "records are missing") }
        var seconds: [Double] = []
        for edit in 1...syncs {
            server.publish((0..<changes).map { pages.entry(($0 * 7919 + edit) % count, edit: edit) })
            seconds.append(try await clock.measure { try await store.sync(server) }.seconds)
        }
        store.close()
        let file = try FileManager.default.attributesOfItem(atPath: BenchStore.path(folder))
        return Growth(
            records: count,
            pullPerSecond: Double(count) / (pull.seconds - making.seconds),
            incrementalSeconds: seconds.median,
            fileBytes: Double(file[.size] as? Int ?? 0),
            peakBytes: Double(peak)
        )
    }
}

extension Growth {
    /// Figures on one line, as one process tells them to another.
    var line: String { "\(records) \(pullPerSecond) \(incrementalSeconds) \(fileBytes) \(peakBytes)" }

    /// Reads what `line` writes.
    init?(line: String) {
        let figures = line.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard figures.count == 5 else { return nil }
        self.init(
            records: Int(figures[0]),
            pullPerSecond: figures[1],
            incrementalSeconds: figures[2],
            fileBytes: figures[3],
            peakBytes: figures[4]
        )
    }
}

/// Adds up the time of work that does not count: pages are made when they are asked for, so that only one is held.
private final class Stopwatch: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var total = 0.0

    var seconds: Double { lock.withLock { total } }

    func time<Result>(_ body: () -> Result) -> Result {
        let clock = ContinuousClock()
        let start = clock.now
        defer { lock.withLock { total += (clock.now - start).seconds } }
        return body()
    }
}
