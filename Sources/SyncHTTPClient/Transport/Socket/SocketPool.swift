import Foundation

// On other platforms, the system's own client does what sockets do here.
#if canImport(FoundationNetworking)
    /// Idle connections for reuse.
    final class SocketPool: @unchecked Sendable {
        /// The most idle connections of one host and port.
        static let maxKept = 4
        /// The longest idle time for reuse. Servers close idle connections after about that time.
        static let maxAgeSeconds: Double = 30

        /// The clock that measures idle times.
        private let now: @Sendable () -> ContinuousClock.Instant
        private let lock = NSLock()
        // Guarded by `lock`; the newest last.
        private var kept: [String: [(connection: SocketConnection, since: ContinuousClock.Instant)]] = [:]

        init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
            self.now = now
        }

        /// Keeps a connection after a complete response.
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

        /// An idle connection for reuse; nil if there is none. Stale ones are closed.
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
#endif
