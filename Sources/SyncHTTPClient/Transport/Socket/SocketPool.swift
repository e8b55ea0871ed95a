import Foundation

/// Connections that wait for the next request.
final class SocketPool: @unchecked Sendable {
    /// The most connections that wait for one host and port.
    static let maxKept = 4
    /// A connection that waited longer is not used again; servers close them about then.
    static let maxAgeSeconds: Double = 30

    /// Tells how long a connection has waited.
    private let now: @Sendable () -> ContinuousClock.Instant
    private let lock = NSLock()
    // Guarded by `lock`; the newest last.
    private var kept: [String: [(connection: SocketConnection, since: ContinuousClock.Instant)]] = [:]

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
    }

    /// Keeps a connection on which an answer came whole.
    func keep(_ connection: SocketConnection, for origin: String) {
        let tooMany = lock.withLock { () -> SocketConnection? in
            var waiting = kept[origin] ?? []
            waiting.append((connection, now()))
            let oldest = waiting.count > Self.maxKept ? waiting.removeFirst().connection : nil
            kept[origin] = waiting
            return oldest
        }
        tooMany?.close()
    }

    /// A connection to ask on; nil where none waits that is still good. Those that are not are closed.
    func take(_ origin: String) -> SocketConnection? {
        let waiting = lock.withLock { kept.removeValue(forKey: origin) ?? [] }
        let now = now()
        var good = waiting.filter {
            now - $0.since < .seconds(Self.maxAgeSeconds) && $0.connection.isQuiet
        }
        let taken = good.popLast()?.connection
        lock.withLock { kept[origin, default: []].insert(contentsOf: good, at: 0) }
        for (connection, _) in waiting where connection !== taken {
            if !good.contains(where: { $0.connection === connection }) { connection.close() }
        }
        return taken
    }
}
