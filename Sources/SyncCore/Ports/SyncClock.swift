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
        var high = DeviceID(bits: next()).description
        var low = DeviceID(bits: next()).description
        // Version 4 in the 13th digit, variant 10 in the 17th (RFC 9562, section 5.4).
        high.replaceSubrange(
            high.index(high.startIndex, offsetBy: 12)...high.index(high.startIndex, offsetBy: 12),
            with: "4"
        )
        let variant = Array("89ab")[Int(next() & 3)]
        low.replaceSubrange(low.startIndex...low.startIndex, with: String(variant))
        func part(text: String, from: Int, to: Int) -> Substring {
            text[text.index(text.startIndex, offsetBy: from)..<text.index(text.startIndex, offsetBy: to)]
        }
        return
            "\(part(text: high, from: 0, to: 8))-\(part(text: high, from: 8, to: 12))-\(part(text: high, from: 12, to: 16))-\(part(text: low, from: 0, to: 4))-\(part(text: low, from: 4, to: 16))"
    }
}
