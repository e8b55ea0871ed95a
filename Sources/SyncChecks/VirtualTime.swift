import Foundation
public import SyncCore

/// Time that passes only when a test says so: a clock, and a sleeper that goes by it.
public final class VirtualTime: SyncClock, SyncSleeper, @unchecked Sendable {
    /// The clock that this time moves.
    public let clock: ManualClock
    private let lock = NSLock()
    // Guarded by `lock`.
    private var sleepers: [UInt64: Sleeper] = [:]
    private var lastID: UInt64 = 0

    private struct Sleeper {
        var end: Timestamp
        var continuation: CheckedContinuation<Void, any Error>
    }

    /// Turns that others are given after each that was woken, so that they can sleep again.
    private static let turns = 50

    /// Moves a clock; one of its own unless it is given one.
    public init(_ clock: ManualClock = ManualClock()) {
        self.clock = clock
    }

    public func now() -> Timestamp { clock.now() }

    /// Returns once so much time has passed.
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
                // NB: a task that was cancelled before it lay down is woken here, as nobody else does.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Lets time pass, and wakes those who sleep in the order in which their time comes.
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

    /// How many sleep now.
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
