import Foundation
import SyncCore

/// One breaker per host (scheme, host and port). An app keeps one box for all of its syncs.
public final class SharedCircuitBreaker: @unchecked Sendable {
    /// When breakers open, and for how long.
    public let settings: CircuitBreaker.Settings
    private let lock = NSLock()
    // Guarded by `lock`.
    private var breakers: [String: CircuitBreaker] = [:]

    /// A box in which all breakers are closed.
    public init(_ settings: CircuitBreaker.Settings = CircuitBreaker.Settings()) {
        self.settings = settings
    }

    /// The state of a host's breaker.
    public func state(of server: ServerURL) -> CircuitBreaker.State {
        lock.withLock { breakers[server.origin]?.state ?? .closed(failures: 0) }
    }

    /// Closes a host's breaker, for example when a person asks to try now or the network came back.
    public func clear(_ server: ServerURL) {
        lock.withLock { breakers[server.origin] = nil }
    }

    /// Asks to send a request; see `CircuitBreaker.refusal`.
    func refusal(server: ServerURL, now: Timestamp) -> Timestamp? {
        lock.withLock { breakers[server.origin, default: CircuitBreaker(settings)].refusal(now: now) }
    }

    /// Notes what became of a request.
    func record(_ outcome: CircuitBreaker.Outcome, server: ServerURL, now: Timestamp, fraction: Double) {
        lock.withLock {
            breakers[server.origin, default: CircuitBreaker(settings)]
                .record(outcome, now: now, fraction: fraction)
        }
    }
}
