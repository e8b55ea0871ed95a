import SyncCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The address of a Unix socket in the file system.
struct UnixSocketAddress {
    private let path: String
    /// The longest path that the system takes.
    private static let maxBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Makes an address. Throws `SyncError` if the system takes no path of that length.
    init(path: String) throws {
        guard (1...Self.maxBytes).contains(path.utf8.count) else {
            throw SyncError.badSocketPath(most: Self.maxBytes)
        }
        self.path = path
    }

    /// Makes a stream socket.
    static func makeSocket() -> Int32 {
        #if canImport(Glibc)
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
    }

    /// Calls `body`, which is `bind` or `connect`, with the address.
    func use(body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Ends waiting for the other side after some seconds.
    static func limitWaiting(on descriptor: Int32, seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    /// Reads up to a line feed, the end, or a number of bytes.
    static func line(from descriptor: Int32, most: Int) -> String? {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < most {
            let count = read(descriptor, &piece, piece.count)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
            if bytes.last == UInt8(ascii: "\n") { break }
        }
        guard bytes.last == UInt8(ascii: "\n") else { return nil }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }

    /// Writes a line. Returns whether all of it was taken.
    @discardableResult
    static func write(line: String, to descriptor: Int32) -> Bool {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, noSignal) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

#if canImport(Darwin)
    private let noSignal: Int32 = 0
#else
    private let noSignal = Int32(MSG_NOSIGNAL)
#endif
