import Foundation

/// The system's wall clock.
public struct SystemClock: SyncClock {
    /// The system's wall clock.
    public init() {}

    public func now() -> Timestamp { Timestamp(Date()) }
}

/// The system's random number generator.
public struct SystemRandom: RandomSource {
    /// The system's random number generator.
    public init() {}

    public func next() -> UInt64 { UInt64.random(in: .min ... .max) }
}

/// The system's timer.
public struct SystemSleeper: SyncSleeper {
    /// The system's timer.
    public init() {}

    /// Waits by the system's timer.
    public func sleep(seconds: Double) async throws {
        try await Task.sleep(for: .seconds(seconds))
    }
}
