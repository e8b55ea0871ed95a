import Foundation
import SyncCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One TCP connection, with or without TLS. One thread reads and writes; any other may interrupt it.
///
/// NB: waiting is `poll` on a socket that does not block, without a time: nothing wakes while nothing happens.
final class SocketConnection: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`; written only by the thread that uses the connection.
    private var descriptor: Int32
    private var isInterrupted = false
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    // For TLS: the session, and what was decrypted while something was sent.
    private var channel: TLSChannel?
    private var decrypted: [UInt8] = []

    /// The most bytes that are encrypted before they are sent.
    private static let maxEncryptedBytes = 1 << 18

    /// How often a thread that waits for a connection looks whether it is still wanted, in milliseconds.
    private static let connectSlice: Int32 = 200

    /// A connection that is not made yet.
    init() {
        descriptor = -1
    }

    deinit { if descriptor >= 0 { Self.close(descriptor) } }

    /// Ends every wait and every later use, from any thread.
    func interrupt() {
        lock.withLock {
            isInterrupted = true
            if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Gives the socket back to the system.
    func close() {
        lock.withLock {
            guard descriptor >= 0 else { return }
            Self.close(descriptor)
            descriptor = -1
        }
    }

    /// Whether nothing came since the last answer: a peer that closed, or says what nobody asked, is not asked again.
    var isQuiet: Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&wait, 1, 0) == 0
    }

    /// Connects to the first of the host's addresses that takes the connection. Throws `unreachable`.
    func connect(to target: SocketTarget) throws(TransportError) {
        for address in target.addresses() {
            if lock.withLock({ isInterrupted }) { break }
            if connect(to: address) { return }
            close()
        }
        throw .unreachable
    }

    private func connect(to address: SocketTarget.Address) -> Bool {
        let socket = socket(address.family, Self.stream, 0)
        guard socket >= 0 else { return false }
        let isWanted = lock.withLock {
            descriptor = socket
            return !isInterrupted
        }
        guard isWanted, Self.prepare(socket) else { return false }
        let code = address.withBytes { pointer, length in
            #if canImport(Glibc)
                Glibc.connect(socket, pointer, length)
            #elseif canImport(Musl)
                Musl.connect(socket, pointer, length)
            #else
                Darwin.connect(socket, pointer, length)
            #endif
        }
        if code == 0 { return true }
        guard errno == EINPROGRESS else { return false }
        // NB: not every system wakes who waits for a connection when another thread shuts the socket down.
        while wait(for: Int16(POLLOUT), milliseconds: Self.connectSlice) == 0 {
            if lock.withLock({ isInterrupted }) { return false }
        }
        var failure: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, SOL_SOCKET, SO_ERROR, &failure, &length) == 0 && failure == 0
    }

    /// Encrypts the connection, once it is made. Throws `notSecure` where the server cannot be trusted, `unreachable` where
    /// it hangs up.
    func secure(channel: TLSChannel) throws(TransportError) {
        while true {
            let isDone = try channel.shakeHands()
            let bytes = channel.takeOutgoing()
            guard sendBytes(bytes[...], stopsForInput: false) == bytes.count else { throw .unreachable }
            if isDone { break }
            guard let answer = try receiveBytes() else { throw .unreachable }
            channel.receive(answer)
        }
        self.channel = channel
    }

    /// Sends all bytes, unless the peer answers before: then it needs no more. Returns whether all were sent. Throws
    /// `interrupted`.
    func send(_ bytes: [UInt8]) throws(TransportError) -> Bool {
        guard let channel else { return sendBytes(bytes[...]) == bytes.count }
        var start = 0
        while start < bytes.count {
            let end = min(start + Self.maxEncryptedBytes, bytes.count)
            try channel.encrypt(bytes: Array(bytes[start..<end]))
            guard try send(channel.takeOutgoing(), channel: channel) else { return false }
            start = end
        }
        return true
    }

    /// Sends what is encrypted. What the peer says meanwhile may be its answer, or of no interest for the request.
    private func send(_ encrypted: [UInt8], channel: TLSChannel) throws(TransportError) -> Bool {
        var rest = encrypted[...]
        while true {
            rest = rest.dropFirst(sendBytes(rest))
            if rest.isEmpty { return true }
            guard let bytes = try receiveBytes() else { return false }
            channel.receive(bytes)
            decrypted += try channel.decrypt()
            if !decrypted.isEmpty || channel.isClosed { return false }
        }
    }

    /// Waits for the next bytes; nil when the peer has closed. Throws `interrupted`, with TLS also for an end that the peer
    /// did not announce, which anybody on the way could have made.
    func receive() throws(TransportError) -> [UInt8]? {
        guard let channel else { return try receiveBytes() }
        while true {
            if !decrypted.isEmpty {
                defer { decrypted = [] }
                return decrypted
            }
            if channel.isClosed { return nil }
            guard let bytes = try receiveBytes() else { throw .interrupted }
            channel.receive(bytes)
            decrypted = try channel.decrypt()
            // Keys may be renewed at any time, which has to be answered.
            _ = sendBytes(channel.takeOutgoing()[...], stopsForInput: false)
        }
    }

    /// Sends bytes as they are, and stops where the peer says something before it takes more, unless told otherwise. Returns
    /// how many were sent; fewer than all also where the connection is broken.
    private func sendBytes(_ bytes: ArraySlice<UInt8>, stopsForInput: Bool = true) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                #if canImport(Glibc)
                    Glibc.send(
                        descriptor,
                        buffer.baseAddress! + sent,
                        buffer.count - sent,
                        Int32(MSG_NOSIGNAL)
                    )
                #elseif canImport(Musl)
                    Musl.send(descriptor, buffer.baseAddress! + sent, buffer.count - sent, MSG_NOSIGNAL)
                #else
                    Darwin.send(descriptor, buffer.baseAddress! + sent, buffer.count - sent, 0)
                #endif
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                let input = stopsForInput ? Int16(POLLIN) : 0
                let events = wait(for: Int16(POLLOUT) | input, milliseconds: -1)
                if events & input != 0 { return sent }
            } else if errno != EINTR {
                // What the peer said before it closed may still be there to read.
                return sent
            }
        }
        return sent
    }

    /// Waits for the next bytes as they come; nil when the peer has closed. Throws `interrupted`.
    private func receiveBytes() throws(TransportError) -> [UInt8]? {
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return Array(buffer[..<count]) }
            if count == 0 { return nil }
            if errno == EAGAIN || errno == EWOULDBLOCK {
                _ = wait(for: Int16(POLLIN), milliseconds: -1)
            } else if errno != EINTR {
                throw .interrupted
            }
        }
    }

    /// Waits until one of the events happens; 0 when the time is over.
    private func wait(for events: Int16, milliseconds: Int32) -> Int16 {
        var wait = pollfd(fd: descriptor, events: events, revents: 0)
        while poll(&wait, 1, milliseconds) < 0 && errno == EINTR {}
        return wait.revents
    }

    private static func prepare(_ socket: Int32) -> Bool {
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        #if canImport(Darwin)
            setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
        #endif
        // A program that this process starts must not hold the connection open.
        return fcntl(socket, F_SETFD, FD_CLOEXEC) == 0
            && fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK) == 0
    }

    private static func close(_ socket: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(socket)
        #elseif canImport(Musl)
            _ = Musl.close(socket)
        #else
            _ = Darwin.close(socket)
        #endif
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif
}
