#if Server
    import Foundation
    import SyncCore

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Listens to the notifications of a database on one connection and one thread. Reconnects for ever.
    final class PostgresListener: Sendable {
        private let stopping: Guarded<Bool>
        /// The writing end of the pipe that wakes the thread.
        private let wake: Int32

        /// Begins to listen. What is notified while the connection is down is not told again.
        ///
        /// - Parameters:
        ///   - channel: The channel, a plain name.
        ///   - onReconnect: Called when the connection was down and is back. Something may have been missed.
        ///   - onNotice: Called with the payload of each notification.
        init(
            url: PostgresURL,
            channel: String,
            timeouts: PostgresConnection.Timeouts,
            onReconnect: @escaping @Sendable () -> Void,
            onNotice: @escaping @Sendable (String) -> Void
        ) throws {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else {
                throw PostgresError(kind: .unreachable, reason: "There is no free file.")
            }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let (stopping, woken) = (Guarded(false), ends[0])
            (self.stopping, wake) = (stopping, ends[1])
            Thread.detachNewThread {
                var (pause, isFirst) = (0.1, true)
                while !stopping.use({ $0 }) {
                    do {
                        let connection = try PostgresConnection(url: url, timeouts: timeouts)
                        _ = try connection.run(PostgresStatement("listen \(channel)"))
                        if !isFirst { onReconnect() }
                        (pause, isFirst) = (0.1, false)
                        while let payloads = try connection.notifications(wake: woken) {
                            for payload in payloads { onNotice(payload) }
                        }
                    } catch {
                        isFirst = false
                        Self.sleep(seconds: pause, wake: woken)
                        pause = min(pause * 2, 10)
                    }
                }
                close(woken)
            }
        }

        deinit { stop() }

        /// Ends the thread and its connection.
        func stop() {
            let wasStopping = stopping.use { stopping in
                defer { stopping = true }
                return stopping
            }
            // The end of the pipe wakes the thread.
            if !wasStopping { close(wake) }
        }

        private static func sleep(seconds: Double, wake: Int32) {
            var entry = pollfd()
            (entry.fd, entry.events) = (wake, Int16(POLLIN))
            _ = poll(&entry, 1, Int32(seconds * 1000))
        }
    }
#endif
