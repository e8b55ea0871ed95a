public import SyncCore

/// Stops asking a host that failed many times in a row, for a while.
///
/// A pure state machine: time and chance are passed in. Closed: requests pass. Open: none passes until the cool-down is
/// over. Half-open: one passes, and its outcome decides.
public struct CircuitBreaker: Sendable, Hashable {
    /// The state.
    public enum State: Sendable, Hashable {
        /// Requests pass; so many failed in a row.
        case closed(failures: Int)
        /// No request passes until then.
        case open(until: Timestamp)
        /// One request is on its way to find out, since then.
        case halfOpen(since: Timestamp)
    }

    /// When to open, and for how long.
    public struct Settings: Sendable, Hashable {
        /// Failures in a row that open the breaker.
        public var failures: Int
        /// The shortest cool-down in seconds; up to half of it is added by chance.
        public var coolDownSeconds: Double

        /// Makes settings.
        public init(failures: Int = 8, coolDownSeconds: Double = 30) {
            self.failures = failures
            self.coolDownSeconds = coolDownSeconds
        }
    }

    /// What became of a request.
    enum Outcome: Sendable, Hashable {
        /// The host answered, whatever it said, but not with 5xx.
        case answered
        /// No connection, no answer in time, or 5xx.
        case failed
        /// Cancelled, broken off or otherwise: it tells nothing of the host.
        case unknown
    }

    /// The present state.
    public private(set) var state = State.closed(failures: 0)
    /// When to open, and for how long.
    public let settings: Settings

    /// A closed breaker.
    public init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Asks to send a request. Returns nil when it may be sent, and then `record` must follow; otherwise until when not.
    mutating func refusal(now: Timestamp) -> Timestamp? {
        switch state {
        case .closed: return nil
        case .open(let until):
            // A cool-down longer than any means that the clock was set back meanwhile.
            guard now < until, now.adding(seconds: settings.coolDownSeconds * 1.5) >= until else { break }
            return until
        case .halfOpen(let since):
            // A probe that never came back stops no one for ever.
            let until = since.adding(seconds: settings.coolDownSeconds)
            guard now >= since, now < until else { break }
            return until
        }
        state = .halfOpen(since: now)
        return nil
    }

    /// Notes what became of a request. `fraction` is random, from 0 up to 1.
    mutating func record(_ outcome: Outcome, now: Timestamp, fraction: Double) {
        switch (outcome, state) {
        case (.answered, _): state = .closed(failures: 0)
        case (.failed, .closed(let failures)):
            let failures = failures + 1
            state =
                failures < settings.failures
                ? .closed(failures: failures) : opened(now: now, fraction: fraction)
        case (.failed, .halfOpen): state = opened(now: now, fraction: fraction)
        case (.unknown, .halfOpen): state = .open(until: now)
        case (.failed, .open), (.unknown, .closed), (.unknown, .open): break
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
