import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A socket that listens on a free loopback port, for test servers.
public struct LoopbackListener: Sendable {
    /// The socket.
    public let socket: Int32
    /// The port.
    public let port: Int

    /// Listens. Throws `POSIXError` if no port is available.
    public init(backlog: Int32 = 16) throws {
        #if canImport(Darwin)
            let socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #elseif canImport(Musl)
            let socket = Musl.socket(AF_INET, SOCK_STREAM, 0)
        #else
            let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
            }
        }
        guard isBound, listen(socket, backlog) == 0 else { throw POSIXError(.EADDRINUSE) }
        self.socket = socket
        port = Int(UInt16(bigEndian: address.sin_port))
    }
}
