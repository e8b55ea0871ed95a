public import SyncCore

/// Stops requests to a host for a while after many failures in a row.
///
/// A pure state machine: time and randomness are passed in. Closed: requests pass. Open: no request passes
/// until the cool-down is over. Half-open: one probe passes, and its outcome decides.
public struct CircuitBreaker: Sendable, Hashable {
    /// The state.
    public enum State: Sendable, Hashable {
        /// Requests pass. `failures` failed in a row.
        case closed(failures: Int)
        /// No request passes before this time.
        case open(until: Timestamp)
        /// One probe has been in progress since this time.
        case halfOpen(since: Timestamp)
    }

    /// The failure limit and the cool-down.
    public struct Settings: Sendable, Hashable {
        /// The number of failures in a row that opens the breaker.
        public var failures: Int
        /// The shortest cool-down in seconds. Random jitter adds up to half of it.
        public var coolDownSeconds: Double

        /// Makes settings.
        public init(failures: Int = 8, coolDownSeconds: Double = 30) {
            self.failures = failures
            self.coolDownSeconds = coolDownSeconds
        }
    }

    /// The present state.
    public private(set) var state = State.closed(failures: 0)
    /// The failure limit and the cool-down.
    public let settings: Settings

    /// Makes a closed breaker.
    public init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Asks whether a request may be sent. Returns nil if so, and then `record` must follow; otherwise the
    /// earliest time.
    mutating func blockedUntil(now: Timestamp) -> Timestamp? {
        switch state {
        case .closed: return nil
        case .open(let until):
            // A cool-down longer than the maximum means that the clock was set back.
            guard now < until, now.adding(seconds: settings.coolDownSeconds * 1.5) >= until else { break }
            return until
        case .halfOpen(let since):
            // A lost probe must not block requests for ever.
            let until = since.adding(seconds: settings.coolDownSeconds)
            guard now >= since, now < until else { break }
            return until
        }
        state = .halfOpen(since: now)
        return nil
    }

    /// Records how a request ended; nil for an answer. `fraction` is a random number in 0..<1.
    mutating func record(_ setback: Setback?, now: Timestamp, fraction: Double) {
        switch (setback.map(\.cause.isHostDown) ?? false, state) {
        case (false, _): state = .closed(failures: 0)
        case (true, .closed(let failures)):
            let failures = failures + 1
            state =
                failures < settings.failures
                ? .closed(failures: failures) : opened(now: now, fraction: fraction)
        case (true, .halfOpen): state = opened(now: now, fraction: fraction)
        case (nil, .halfOpen): state = .open(until: now)
        case (true, .open), (nil, .closed), (nil, .open): break
        }
    }

    private func opened(now: Timestamp, fraction: Double) -> State {
        .open(until: now.adding(seconds: settings.coolDownSeconds * (1 + fraction / 2)))
    }
}

extension Timestamp {
    fileprivate func adding(seconds: Double) -> Timestamp {
        Timestamp(microseconds: microseconds + Int64(seconds * 1_000_000))
    }
}
