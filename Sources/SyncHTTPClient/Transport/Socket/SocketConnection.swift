import Foundation
import SyncCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// On other platforms, the system's own client does what sockets do here.
#if canImport(FoundationNetworking)
    /// One TCP connection, with or without TLS. One thread reads and writes; any other may interrupt it.
    ///
    /// Waiting uses `poll` without a timeout on a non-blocking socket, so an idle connection causes no wake-ups.
    final class SocketConnection: @unchecked Sendable {
        private let lock = NSLock()
        // Guarded by `lock`; written only by the thread that uses the connection.
        private var descriptor: Int32
        private var isInterrupted = false
        private var buffer = [UInt8](repeating: 0, count: 65_536)
        // For TLS: the session, and what was decrypted during a send.
        private var channel: TLSChannel?
        private var decrypted: [UInt8] = []

        /// The most bytes that are encrypted before they are sent.
        private static let maxEncryptedBytes = 1 << 18

        /// How often a connecting thread checks for interruption, in milliseconds.
        private static let connectSlice: Int32 = 200

        /// Makes an unconnected connection.
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

        /// Closes the socket.
        func close() {
            lock.withLock {
                guard descriptor >= 0 else { return }
                Self.close(descriptor)
                descriptor = -1
            }
        }

        /// Whether nothing arrived since the last response. A peer that closed, or sent something unasked, is not
        /// used again.
        var isQuiet: Bool {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&wait, 1, 0) == 0
        }

        /// Connects to the first of the host's addresses that accepts. Throws `unreachable`.
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
                #else
                    Musl.connect(socket, pointer, length)
                #endif
            }
            if code == 0 { return true }
            guard errno == EINPROGRESS else { return false }
            // NB: on some systems, shutting the socket down does not wake a thread that waits for the connection.
            while wait(for: Int16(POLLOUT), milliseconds: Self.connectSlice) == 0 {
                if lock.withLock({ isInterrupted }) { return false }
            }
            var failure: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(socket, SOL_SOCKET, SO_ERROR, &failure, &length) == 0 && failure == 0
        }

        /// Performs the TLS handshake on a new connection. Throws `notSecure` if the server is not trusted,
        /// `unreachable` if it closes the connection.
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

        /// Sends all bytes, but stops if the peer responds early. Returns whether all were sent. Throws
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

        /// Sends encrypted bytes. Data that arrives meanwhile may be the response or a TLS message.
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

        /// Waits for the next bytes; nil if the peer has closed. Throws `interrupted`; with TLS also for a close
        /// without notification, which an attacker could have forged.
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
                // Key updates may arrive at any time and must be answered.
                _ = sendBytes(channel.takeOutgoing()[...], stopsForInput: false)
            }
        }

        /// Sends raw bytes. By default stops if the peer sends something first. Returns the number of bytes sent,
        /// which is also smaller on a broken connection.
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
                    #else
                        Musl.send(descriptor, buffer.baseAddress! + sent, buffer.count - sent, MSG_NOSIGNAL)
                    #endif
                }
                if count > 0 {
                    sent += count
                } else if errno == EAGAIN || errno == EWOULDBLOCK {
                    let input = stopsForInput ? Int16(POLLIN) : 0
                    let events = wait(for: Int16(POLLOUT) | input, milliseconds: -1)
                    if events & input != 0 { return sent }
                } else if errno != EINTR {
                    // Data that the peer sent before it closed may still be readable.
                    return sent
                }
            }
            return sent
        }

        /// Waits for the next raw bytes; nil if the peer has closed. Throws `interrupted`.
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

        /// Waits for one of the events; returns 0 on timeout.
        private func wait(for events: Int16, milliseconds: Int32) -> Int16 {
            var wait = pollfd(fd: descriptor, events: events, revents: 0)
            while poll(&wait, 1, milliseconds) < 0 && errno == EINTR {}
            return wait.revents
        }

        private static func prepare(_ socket: Int32) -> Bool {
            var on: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
            // Child processes must not inherit the socket.
            return fcntl(socket, F_SETFD, FD_CLOEXEC) == 0
                && fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK) == 0
        }

        private static func close(_ socket: Int32) {
            #if canImport(Glibc)
                _ = Glibc.close(socket)
            #else
                _ = Musl.close(socket)
            #endif
        }

        #if canImport(Glibc)
            private static let stream = Int32(SOCK_STREAM.rawValue)
        #else
            private static let stream = SOCK_STREAM
        #endif
    }
#endif
