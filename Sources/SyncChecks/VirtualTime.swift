import Foundation
public import SyncCore

/// Time that passes only when a test advances it: a clock and a sleeper.
public final class VirtualTime: SyncClock, SyncSleeper, @unchecked Sendable {
    /// The clock that is advanced.
    public let clock: ManualClock
    private let lock = NSLock()
    // Guarded by `lock`.
    private var sleepers: [UInt64: Sleeper] = [:]
    private var lastID: UInt64 = 0

    private struct Sleeper {
        var end: Timestamp
        var continuation: CheckedContinuation<Void, any Error>
    }

    /// The number of yields after each wake-up, so that other tasks can sleep again.
    private static let turns = 50

    /// Advances the given clock, or a new one.
    public init(_ clock: ManualClock = ManualClock()) {
        self.clock = clock
    }

    public func now() -> Timestamp { clock.now() }

    /// Returns after the given virtual time.
    public func sleep(seconds: Double) async throws {
        try Task.checkCancellation()
        let id = lock.withLock {
            lastID += 1
            return lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                lock.withLock {
                    sleepers[id] = Sleeper(end: later(by: seconds), continuation: continuation)
                }
                // NB: a task that was cancelled before it slept is woken here, because nothing else would.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Advances the time and wakes sleepers in the order of their times.
    public func advance(seconds: Double) async {
        let end = later(by: seconds)
        await letOthersRun()
        while let (time, sleeper) = next(until: end) {
            if time > clock.now() { clock.set(time) }
            sleeper.resume()
            await letOthersRun()
        }
        clock.set(end)
    }

    /// The number of present sleepers.
    public var sleeping: Int { lock.withLock { sleepers.count } }

    private func next(until end: Timestamp) -> (Timestamp, CheckedContinuation<Void, any Error>)? {
        lock.withLock {
            let first = sleepers.min { ($0.value.end, $0.key) < ($1.value.end, $1.key) }
            guard let first, first.value.end <= end else { return nil }
            sleepers[first.key] = nil
            return (first.value.end, first.value.continuation)
        }
    }

    private func cancel(_ id: UInt64) {
        lock.withLock { sleepers.removeValue(forKey: id) }?.continuation.resume(
            throwing: CancellationError()
        )
    }

    private func later(by seconds: Double) -> Timestamp {
        let bounded = min(max(seconds, 0), 1e11)
        return Timestamp(microseconds: clock.now().microseconds + Int64((bounded * 1_000_000).rounded(.up)))
    }

    private func letOthersRun() async {
        for _ in 0..<Self.turns { await Task.yield() }
    }
}
