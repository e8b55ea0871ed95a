import EntitySync
import Foundation

/// How long a durable local write takes while a first sync takes all records in, in milliseconds at the 95th percentile.
enum PutDuringPullRatio {
    static func measure(_ bench: Bench) async throws -> Measurement {
        let input = PullInput(RecordPages(count: bench.records))
        var (during, quiet): (Latencies, Latencies) = (Latencies(), Latencies())
        var awaited = AwaitedWrites()
        var seconds: [Double] = []
        for _ in 0..<bench.rounds {
            let store = try BenchStore(what: try bench.folder(path: "put-during-pull"))
            let clock = ContinuousClock()
            let start = clock.now
            let writes = SteadyWrites(store: store, first: input.count)
            try await store.sync(BenchServer(input.answers))
            seconds.append((clock.now - start).seconds)
            during.add(try writes.stop())
            let later = SteadyWrites(store: store, first: 2 * input.count)
            try await Task.sleep(for: .seconds(1))
            quiet.add(try later.stop())
            store.close()
            try bench.remove(store.folder)
            try await awaited.measure(bench, input)
        }
        let (ours, yardstick) = (during.part(0.95), quiet.part(0.95))
        return Measurement(
            ratio: ours * 1000,
            ours: ours,
            yardstick: yardstick,
            note: note(during: during, quiet: quiet, pulled: input.count, seconds: seconds.median)
                + "; \(awaited.note)"
        )
    }

    private static func note(during: Latencies, quiet: Latencies, pulled: Int, seconds: Double) -> String {
        return
            "\(during.count) writes while \(pulled) records are pulled in \(Figure.text(seconds: seconds)) s; "
            + during.text + "; without a pull at 95 % \(Figure.text(seconds: quiet.part(0.95))) s"
    }
}

/// Writes that the main actor awaits, one each 0.1 s as of a person, while a first sync of a space takes all records in.
private struct AwaitedWrites {
    private var calls = Latencies()
    private var stalls = Latencies()

    var note: String {
        "awaited by the main actor each 0.1 s " + calls.text + ", and it could not go on for " + stalls.text
    }

    @MainActor mutating func measure(_ bench: Bench, _ input: PullInput) async throws {
        var configuration = SpaceConfiguration(
            folder: try bench.folder(path: "put-awaited"),
            entities: [Bookmark.self],
            remote: try BenchServer(input.answers).backend()
        )
        configuration.deviceLabel = "bench"
        let space = try SyncSpace.open(configuration)
        let sync = Task {
            _ = try await space.sync()
            try Task.checkCancellation()
        }
        let ticks = Task { @MainActor in
            var stalls: [Double] = []
            while !Task.isCancelled {
                let start = ContinuousClock.now
                await Task.yield()
                stalls.append((ContinuousClock.now - start).seconds)
                try? await Task.sleep(for: .milliseconds(1))
            }
            return stalls
        }
        let ended = Task { @MainActor in
            defer { ticks.cancel() }
            try await sync.value
        }
        let (bookmarks, records) = (space.collection(Bookmark.self), RecordPages(count: 1).records)
        var (seconds, number): ([Double], Int) = ([], input.count)
        while !ticks.isCancelled {
            let model = Bookmark(records.record(index: number))
            let start = ContinuousClock.now
            try await bookmarks.save(model)
            seconds.append((ContinuousClock.now - start).seconds)
            number += 1
            try await Task.sleep(for: .milliseconds(100))
        }
        try await ended.value
        calls.add(seconds)
        stalls.add(await ticks.value)
        space.close()
        try bench.remove(configuration.folder)
    }
}

/// Seconds of many writes.
private struct Latencies {
    private var seconds: [Double] = []

    var count: Int { seconds.count }

    /// In the middle, at 95 % and 99 %, and the longest.
    var text: String {
        [("in the middle", 0.5), ("at 95 %", 0.95), ("at 99 %", 0.99), ("at most", 1)].map { name, part in
            "\(name) \(Figure.text(seconds: self.part(part))) s"
        }
        .joined(separator: ", ")
    }

    mutating func add(_ others: [Double]) { seconds = (seconds + others).sorted() }

    /// What a part of them, from 0 to 1, did not exceed.
    func part(_ part: Double) -> Double {
        seconds.isEmpty ? .nan : seconds[min(seconds.count - 1, Int(Double(seconds.count) * part))]
    }
}

/// A thread that writes new records, one each 5 milliseconds, each durable before it goes on.
private final class SteadyWrites: @unchecked Sendable {
    private let store: BenchStore
    private let ended = DispatchSemaphore(value: 0)
    private let lock = NSLock()
    // Guarded by `lock`.
    private var isStopped = false
    private var seconds: [Double] = []
    private var failure: (any Error)?

    /// Begins at once, with the records from number `first` on.
    init(store: BenchStore, first: Int) {
        self.store = store
        Thread { [self] in
            write(from: first)
            ended.signal()
        }.start()
    }

    /// Ends the writes. Returns what each of them took, in seconds.
    func stop() throws -> [Double] {
        lock.withLock { isStopped = true }
        ended.wait()
        return try lock.withLock {
            if let failure { throw failure }
            return seconds
        }
    }

    private func write(from first: Int) {
        let records = RecordPages(count: 1).records
        let clock = ContinuousClock()
        var number = first
        while !lock.withLock({ isStopped }) {
            let model = Bookmark(records.record(index: number))
            let start = clock.now
            do {
                try store.writer.batch { _ = try $0.save(model) }
            } catch {
                return lock.withLock { failure = error }
            }
            let elapsed = (clock.now - start).seconds
            lock.withLock { seconds.append(elapsed) }
            number += 1
            Thread.sleep(forTimeInterval: 0.005)
        }
    }
}
