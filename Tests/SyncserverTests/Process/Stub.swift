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

    /// A listener that is not a sync server. It sends its present answer to all clients, or none.
    final class Stub: @unchecked Sendable {
        let port: Int
        private let listener: Int32
        private let lock = NSLock()
        // Guarded by `lock`.
        private var answer: String?
        // Guarded by `lock`.
        private var connections: [Int32] = []

        /// The number of clients so far.
        var clients: Int { lock.withLock { connections.count } }

        /// Listens on a free port. Without an answer it is silent.
        init(_ answer: String?) throws {
            self.answer = answer
            let free = try LoopbackListener()
            (listener, port) = (free.socket, free.port)
            // NB: the thread keeps the stub until `close`.
            Thread.detachNewThread { self.serve() }
        }

        /// Sends another answer from now on.
        func set(answer: String?) { lock.withLock { self.answer = answer } }

        /// Stops listening and closes all connections.
        func close() {
            shutdown(listener, Int32(SHUT_RDWR))
            for connection in lock.withLock({ connections }) { shutdown(connection, Int32(SHUT_RDWR)) }
        }

        private func serve() {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                lock.withLock { connections.append(connection) }
                guard let answer = lock.withLock({ answer }) else { continue }
                Thread.detachNewThread {
                    var piece = [UInt8](repeating: 0, count: 65_536)
                    guard recv(connection, &piece, piece.count, 0) > 0 else { return }
                    _ = Array(answer.utf8).withUnsafeBytes { write(connection, $0.baseAddress!, $0.count) }
                    shutdown(connection, Int32(SHUT_WR))
                }
            }
        }
    }
#endif
