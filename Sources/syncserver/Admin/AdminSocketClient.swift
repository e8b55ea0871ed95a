import SyncCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Asks a running server through its Unix socket.
struct AdminSocketClient {
    let path: String

    /// Sends a question and returns the answer. Throws `SyncError` if no server answers.
    func ask(_ question: String) throws -> String {
        let address = try UnixSocketAddress(path: path)
        let descriptor = UnixSocketAddress.makeSocket()
        guard descriptor >= 0 else { throw SyncError.noAdminSocket }
        defer { close(descriptor) }
        UnixSocketAddress.limitWaiting(on: descriptor, seconds: 30)
        guard address.use(body: { connect(descriptor, $0, $1) }) == 0 else {
            if errno == EACCES || errno == EPERM {
                throw SyncError.notPermitted(what: "Using the server's socket")
            }
            throw SyncError.noAdminSocket
        }
        guard UnixSocketAddress.write(line: question, to: descriptor),
            let answer = UnixSocketAddress.line(from: descriptor, most: 64 << 20)
        else { throw SyncError.noAdminSocket }
        return answer
    }
}
