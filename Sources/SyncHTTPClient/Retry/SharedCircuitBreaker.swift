import Foundation
import SyncCore

/// One circuit breaker per host (scheme, host and port), shared by all clients of an app.
public final class SharedCircuitBreaker: @unchecked Sendable {
    /// The settings of all breakers.
    public let settings: CircuitBreaker.Settings
    private let lock = NSLock()
    // Guarded by `lock`.
    private var breakers: [String: CircuitBreaker] = [:]

    /// Starts with all breakers closed.
    public init(_ settings: CircuitBreaker.Settings = CircuitBreaker.Settings()) {
        self.settings = settings
    }

    /// The state of a host's breaker.
    public func state(of server: ServerURL) -> CircuitBreaker.State {
        lock.withLock { breakers[server.origin]?.state ?? .closed(failures: 0) }
    }

    /// Closes a host's breaker, for example because the user asked for a retry or the network returned.
    public func clear(_ server: ServerURL) {
        lock.withLock { breakers[server.origin] = nil }
    }

    /// Asks whether a request may be sent; see `CircuitBreaker.blockedUntil`.
    func blockedUntil(server: ServerURL, now: Timestamp) -> Timestamp? {
        lock.withLock { breakers[server.origin, default: CircuitBreaker(settings)].blockedUntil(now: now) }
    }

    /// Records how a request ended; nil for an answer.
    func record(_ setback: Setback?, server: ServerURL, now: Timestamp, fraction: Double) {
        lock.withLock {
            breakers[server.origin, default: CircuitBreaker(settings)]
                .record(setback, now: now, fraction: fraction)
        }
    }
}
