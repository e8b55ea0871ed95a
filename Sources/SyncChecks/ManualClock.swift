import Foundation
public import SyncCore

/// A clock that is set by the test.
public final class ManualClock: SyncClock, @unchecked Sendable {
    // Guarded by `lock`.
    private var time: Timestamp
    private let lock = NSLock()

    /// Starts at a time, 2026-01-01 by default.
    public init(_ time: Timestamp = Timestamp(microseconds: 1_767_225_600_000_000)) {
        self.time = time
    }

    public func now() -> Timestamp { lock.withLock { time } }

    /// Sets the time, forwards or backwards.
    public func set(_ time: Timestamp) { lock.withLock { self.time = time } }

    /// Advances by some seconds.
    public func advance(seconds: Int64) { lock.withLock { time.microseconds += seconds * 1_000_000 } }
}

/// Random bits from a seed.
public final class SeededRandom: RandomSource, @unchecked Sendable {
    // Guarded by `lock`.
    private var seed: Seed
    private let lock = NSLock()

    /// Starts from a seed.
    public init(_ seed: UInt64) {
        self.seed = Seed(seed)
    }

    public func next() -> UInt64 { lock.withLock { seed.next() } }
}
