import Foundation

/// The wall clock. Injected, so that tests and the simulator control time.
public protocol SyncClock: Sendable {
    /// The present time. It may go backwards; the runtime does not rely on it.
    func now() -> Timestamp
}

/// Waiting. Injected, so that tests and the simulator need not wait.
public protocol SyncSleeper: Sendable {
    /// Waits for some seconds. Throws `CancellationError` if the task is cancelled meanwhile.
    func sleep(seconds: Double) async throws
}

/// Random bits. Injected, so that a run can be replayed from a seed.
public protocol RandomSource: Sendable {
    /// 64 fresh random bits.
    func next() -> UInt64
}

extension RandomSource {
    /// A number from 0 up to, but not including, 1.
    public func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// A random UUID (version 4), lower-case.
    public func uuid() -> String {
        // Version 4 in the 13th digit, variant 10 in the 17th (RFC 9562, section 5.4).
        let high = next() & ~0xf000 | 0x4000
        let low = next() & ~(15 << 60) | (8 | next() & 3) << 60
        var bytes = (high.bigEndian, low.bigEndian)
        return withUnsafeBytes(of: &bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).lowercaseText }
    }
}
