import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A TCP server on a free loopback port that sends exactly the bytes of a test, valid or not.
final class RawServer: @unchecked Sendable {
    /// Handles a request. Returns whether the connection stays open.
    typealias Script = @Sendable (RawRequest, RawConnection) -> Bool

    let port: Int
    private let listener: Int32
    private let lock = NSLock()
    // Guarded by `lock`.
    private var seen: [RawRequest] = []
    private var accepted = 0

    init(greeting: String? = nil, _ script: @escaping Script) throws {
        (listener, port) = try Self.boundSocket()
        guard listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
        let listener = listener
        // The threads retain the server, which serves until the process ends.
        Thread.detachNewThread { [self] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                note { $0.accepted += 1 }
                Thread.detachNewThread { [self] in
                    let connection = RawConnection(socket)
                    if let greeting { connection.write(greeting) }
                    while let request = connection.read() {
                        note { $0.seen.append(request) }
                        guard script(request, connection) else { break }
                    }
                    connection.close()
                }
            }
        }
    }

    /// Makes a server that sends the same bytes for each request, and closes the connection.
    convenience init(always answer: String) throws {
        try self.init { _, connection in
            connection.write(answer)
            return false
        }
    }

    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [RawRequest] { lock.withLock { seen } }
    var connections: Int { lock.withLock { accepted } }

    private func note(_ change: (RawServer) -> Void) { lock.withLock { change(self) } }

    /// A port that is in use but not listening.
    static func closedPort() throws -> Int { try boundSocket().port }

    private static func boundSocket() throws -> (Int32, port: Int) {
        #if os(Linux)
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let socket = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }
}

/// A request as received.
struct RawRequest: Sendable {
    /// The request line and the fields, as they came.
    var lines: [String]
    var body: [UInt8]

    /// The first value of a field.
    func header(_ name: String) -> String? {
        for line in lines.dropFirst() where line.lowercased().hasPrefix(name.lowercased() + ":") {
            return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
        }
        return nil
    }
}

/// One accepted connection; used by one thread.
final class RawConnection: @unchecked Sendable {
    private let socket: Int32
    private var isOpen = true
    private var rest: [UInt8] = []

    init(_ socket: Int32) {
        self.socket = socket
        #if !os(Linux)
            var on: Int32 = 1
            setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Sends all bytes. Returns false if the peer is gone.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            #if os(Linux)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = bytes.withUnsafeBytes { send(socket, $0.baseAddress! + sent, $0.count - sent, flags) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Waits until the peer closes.
    func waitForEnd() {
        var byte: UInt8 = 0
        while recv(socket, &byte, 1, 0) > 0 {}
    }

    /// Closes with a reset instead of an orderly end.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        #if canImport(Glibc)
            _ = Glibc.close(socket)
        #elseif canImport(Musl)
            _ = Musl.close(socket)
        #else
            _ = Darwin.close(socket)
        #endif
    }

    /// Reads the next request; nil if the peer is gone.
    func read() -> RawRequest? {
        guard isOpen else { return nil }
        let end: [UInt8] = [13, 10, 13, 10]
        while true {
            if let head = rest.firstRange(of: end) {
                let text = String(decoding: rest[..<head.lowerBound], as: UTF8.self)
                var request = RawRequest(lines: text.components(separatedBy: "\r\n"), body: [])
                let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
                while rest.count < head.upperBound + length { guard fill() else { return nil } }
                request.body = Array(rest[head.upperBound..<head.upperBound + length])
                rest.removeFirst(head.upperBound + length)
                return request
            }
            guard fill() else { return nil }
        }
    }

    private func fill() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { return false }
        rest += buffer[..<count]
        return true
    }
}
