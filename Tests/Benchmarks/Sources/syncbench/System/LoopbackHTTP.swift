import Foundation
import SyncCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The least that speaks HTTP/1.1 on loopback: a thread per connection, whole bodies, and connections that stay open.
/// What it answers is somebody else's.
final class LoopbackHTTP: Sendable {
    /// Answers a request; its URL is the path alone.
    typealias Answer = @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// The port that the system gave.
    let port: Int
    private let listener: Int32

    /// Listens. Throws `Unmeasured` where no socket can be had.
    init(_ answer: @escaping Answer) throws {
        #if canImport(Glibc) || canImport(Musl)
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw Unmeasured(reason: "no socket on loopback can be had") }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.listener = listener
        Thread.detachNewThread {
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0 else { return }
                Thread.detachNewThread { Connection(socket: socket, answer: answer).serve() }
            }
        }
    }

    /// Takes no further connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}

/// One connection, on a thread of its own.
private final class Connection {
    private let socket: Int32
    private let answer: LoopbackHTTP.Answer
    private var bytes: [UInt8] = []
    private var piece = [UInt8](repeating: 0, count: 1 << 16)

    init(socket: Int32, answer: @escaping LoopbackHTTP.Answer) {
        self.socket = socket
        self.answer = answer
        var isOn: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    func serve() {
        defer { close(socket) }
        while let request = next() {
            guard let response = answered(request: request), write(response) else { return }
        }
    }

    private func next() -> HTTPRequest? {
        let end = Array("\r\n\r\n".utf8)
        var range: Range<Int>?
        while range == nil {
            range = bytes.firstRange(of: end)
            if range == nil, !more() { return nil }
        }
        guard let range else { return nil }
        let head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = head[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        let headers = head.dropFirst().compactMap { line -> HTTPHeader? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return HTTPHeader(name: String(line[..<colon]), value: value)
        }
        func value(name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
        if value(name: "expect") != nil, !write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) { return nil }
        let count = value(name: "content-length").flatMap { Int($0) } ?? 0
        while bytes.count - range.upperBound < count { if !more() { return nil } }
        let body = Array(bytes[range.upperBound..<range.upperBound + count])
        bytes.removeFirst(range.upperBound + count)
        return HTTPRequest(
            method: String(words[0]),
            url: String(words[1]),
            headers: headers,
            body: body,
            maxResponseBytes: .max,
            timeoutSeconds: 60
        )
    }

    private func more() -> Bool {
        let count = read(socket, &piece, piece.count)
        guard count > 0 else { return false }
        bytes.append(contentsOf: piece[..<count])
        return true
    }

    /// Waits for the answer: this thread is the connection's own.
    private func answered(request: HTTPRequest) -> HTTPResponse? {
        let box = Box()
        let answer = answer
        Task.detached {
            box.response = try? await answer(request)
            box.isThere.signal()
        }
        box.isThere.wait()
        return box.response
    }

    private func write(_ response: HTTPResponse) -> Bool {
        var head = "HTTP/1.1 \(response.status) Answer\r\nContent-Length: \(response.body.count)\r\n"
        for header in response.headers { head += "\(header.name): \(header.value)\r\n" }
        return write(Array((head + "\r\n").utf8) + response.body)
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                send(socket, buffer.baseAddress.map { $0 + start }, bytes.count - start, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    /// NB: written before the signal and read after it.
    private final class Box: @unchecked Sendable {
        var response: HTTPResponse?
        let isThere = DispatchSemaphore(value: 0)
    }
}
