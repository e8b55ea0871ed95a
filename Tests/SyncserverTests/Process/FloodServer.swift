#if Server
    import Foundation
    import ProgramRuns

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// A server without any changes that sends change events as fast as it can.
    final class FloodServer: @unchecked Sendable {
        let port: Int
        private let listener: Int32
        private let lock = NSLock()
        // Guarded by `lock`.
        private var counts = (exchanges: 0, sent: 0)

        /// The number of answered exchanges.
        var exchanges: Int { lock.withLock { counts.exchanges } }
        /// The number of sent change events.
        var sent: Int { lock.withLock { counts.sent } }

        /// Listens on a free port.
        init() throws {
            let free = try LoopbackListener()
            (listener, port) = (free.socket, free.port)
            Thread.detachNewThread { [self] in
                while true {
                    let connection = accept(listener, nil, nil)
                    guard connection >= 0 else { return }
                    Thread.detachNewThread { [self] in serve(connection) }
                }
            }
        }

        /// Stops listening.
        func close() { shutdown(listener, Int32(SHUT_RDWR)) }

        private func serve(_ connection: Int32) {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = recv(connection, &bytes, bytes.count, 0)
            if bytes.prefix(max(0, count)).starts(with: Array("GET ".utf8)) {
                flood(connection: connection)
            } else if count > 0 {
                lock.withLock { counts.exchanges += 1 }
                let body =
                    #"{"account":"a","epoch":"e","time":"2026-01-01T00:00:00Z","changes":[],"cursor":"c","more":false}"#
                _ = send(
                    connection,
                    text: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                )
            }
            shutdown(connection, Int32(SHUT_RDWR))
        }

        private func flood(connection: Int32) {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            let events = String(repeating: "event: change\ndata: 1\n\n", count: 100)
            guard send(connection, text: head) else { return }
            while send(connection, text: events) { lock.withLock { counts.sent += 100 } }
        }

        private func send(_ connection: Int32, text: String) -> Bool {
            let bytes = Array(text.utf8)
            var sent = 0
            while sent < bytes.count {
                #if os(Linux)
                    let flags = Int32(MSG_NOSIGNAL)
                #else
                    let flags: Int32 = 0
                #endif
                let count = bytes.withUnsafeBytes {
                    #if canImport(Darwin)
                        Darwin.send(connection, $0.baseAddress! + sent, $0.count - sent, flags)
                    #elseif canImport(Musl)
                        Musl.send(connection, $0.baseAddress! + sent, $0.count - sent, flags)
                    #else
                        Glibc.send(connection, $0.baseAddress! + sent, $0.count - sent, flags)
                    #endif
                }
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }
#endif
