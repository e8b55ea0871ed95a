import Foundation
import SyncWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A client that costs next to nothing: one connection to a server on loopback, one request at a time, blocking.
final class PlainHTTP {
    private let socket: Int32
    private var bytes: [UInt8] = []
    private var piece = [UInt8](repeating: 0, count: 1 << 16)

    init(port: Int) throws {
        #if canImport(Glibc) || canImport(Musl)
            socket = Self.opened(type: Int32(SOCK_STREAM.rawValue))
        #else
            socket = Self.opened(type: SOCK_STREAM)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, length) == 0 }
        }
        guard isConnected else { throw Unmeasured(reason: "the server takes no connection") }
        var isOn: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func opened(type: Int32) -> Int32 {
        #if canImport(Darwin)
            Darwin.socket(AF_INET, type, 0)
        #elseif canImport(Musl)
            Musl.socket(AF_INET, type, 0)
        #else
            Glibc.socket(AF_INET, type, 0)
        #endif
    }

    deinit { close(socket) }

    /// One exchange. Throws `Unmeasured` unless the server answers with 200.
    func exchange(_ body: [UInt8], token: String) throws -> [UInt8] {
        let head = """
            POST \(WireProtocol.exchangePath) HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(token)\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            \r

            """
        return try answer(to: Array(head.utf8) + body)
    }

    /// The answer to a request for a path without a token. Throws `Unmeasured` unless the server answers with 200.
    @discardableResult
    func get(_ path: String) throws -> [UInt8] {
        try answer(to: Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
    }

    private func answer(to request: [UInt8]) throws -> [UInt8] {
        try send(request)
        let end = Array("\r\n\r\n".utf8)
        var range = bytes.firstRange(of: end)
        while range == nil {
            try receive()
            range = bytes.firstRange(of: end)
        }
        guard let range else { return [] }
        let lines = String(decoding: bytes[..<range.lowerBound], as: UTF8.self).lowercased()
            .components(separatedBy: "\r\n")
        let length = lines.first { $0.hasPrefix("content-length:") }?.split(separator: ":").last
            .flatMap { Int($0.trimmingCharacters(in: .whitespaces)) }
        guard let length, lines[0].contains(" 200 ") else {
            throw Unmeasured(reason: "the server answered \(lines[0])")
        }
        while bytes.count < range.upperBound + length { try receive() }
        let answer = Array(bytes[range.upperBound..<range.upperBound + length])
        bytes.removeFirst(range.upperBound + length)
        return answer
    }

    private func send(_ bytes: [UInt8]) throws {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                write(socket, buffer.baseAddress.map { $0 + start }, bytes.count - start)
            }
            guard count > 0 else { throw Unmeasured(reason: "the server closed a connection") }
            start += count
        }
    }

    private func receive() throws {
        let count = read(socket, &piece, piece.count)
        guard count > 0 else { throw Unmeasured(reason: "the server closed a connection") }
        bytes.append(contentsOf: piece[..<count])
    }
}
