import Foundation
import ProgramRuns

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Listens on a free loopback port and sends the same answer to all clients.
final class FixedServer: Sendable {
    let url: String
    private let listener: Int32

    /// Serves until it is released. Each line of `headers` ends with a line feed.
    init(status: Int, headers: String, body: String = "") throws {
        let free = try LoopbackListener()
        let listener = free.socket
        self.listener = listener
        url = "http://127.0.0.1:\(free.port)"
        let head = headers.replacingOccurrences(of: "\n", with: "\r\n")
        let answer = Array(
            "HTTP/1.1 \(status) X\r\n\(head)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                .utf8
        )
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                var piece = [UInt8](repeating: 0, count: 65_536)
                if recv(connection, &piece, piece.count, 0) > 0 {
                    _ = send(connection, answer, answer.count, 0)
                }
                shutdown(connection, Int32(SHUT_WR))
                _ = recv(connection, &piece, piece.count, 0)
                close(connection)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}
