import SyncCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// On other platforms, the system's own client does what sockets do here.
#if canImport(FoundationNetworking)
    /// The TLS state of one connection. It converts between plain and encrypted bytes and touches no socket.
    ///
    /// Used by one thread at a time.
    final class TLSChannel: @unchecked Sendable {
        private let library: OpenSSL
        private let session: OpenSSL.Pointer
        // The session owns and frees both.
        private let received: OpenSSL.Pointer
        private let outgoing: OpenSSL.Pointer
        private var buffer = [UInt8](repeating: 0, count: 16_384)
        /// Whether the peer has sent a close notification.
        private(set) var isClosed = false

        private static let setHostName: CInt = 55
        private static let needsBytes: CInt = 2
        private static let isClosedByPeer: CInt = 6

        /// Takes ownership of a new session. The server's certificate must match `host`.
        init?(library: OpenSSL, session: OpenSSL.Pointer, host: String) {
            guard let buffers = Self.makeBuffers(library) else {
                library.freeSession(session)
                return nil
            }
            self.library = library
            self.session = session
            (received, outgoing) = buffers
            library.setBuffers(session, received, outgoing)
            library.becomeClient(session)
            guard expect(host) else { return nil }
        }

        deinit { library.freeSession(session) }

        private static func makeBuffers(_ library: OpenSSL) -> (OpenSSL.Pointer, OpenSSL.Pointer)? {
            guard let received = library.newBuffer(library.memoryMethod()) else { return nil }
            guard let outgoing = library.newBuffer(library.memoryMethod()) else { return nil }
            return (received, outgoing)
        }

        /// A certificate lists IP addresses separately, and they are never sent as a server name.
        private func expect(_ host: String) -> Bool {
            var address = in6_addr()
            let isAddress =
                inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
            guard !isAddress else {
                return library.expectAddress(library.verificationRules(session), host) == 1
            }
            return library.expectHost(session, host) == 1
                && library.setServerName(session, Self.setHostName, 0, host) == 1
        }

        /// Adds encrypted bytes from the peer.
        func receive(_ bytes: [UInt8]) {
            // A memory buffer accepts any number of bytes.
            _ = library.writeBuffer(received, bytes, CInt(bytes.count))
        }

        /// The encrypted bytes to send now.
        func takeOutgoing() -> [UInt8] {
            var bytes: [UInt8] = []
            while true {
                let count = library.readBuffer(outgoing, &buffer, CInt(buffer.count))
                guard count > 0 else { return bytes }
                bytes += buffer[..<Int(count)]
            }
        }

        /// Continues the handshake. Returns whether it is complete; otherwise more bytes from the peer are
        /// needed. Throws `notSecure` if the peer is not trusted or does not speak TLS.
        func shakeHands() throws(TransportError) -> Bool {
            library.clearErrors()
            let code = library.shakeHands(session)
            if code == 1 { return true }
            guard library.errorCode(session, code) == Self.needsBytes else { throw .notSecure }
            return false
        }

        /// Encrypts bytes of the request. Throws `interrupted` if the session is broken.
        func encrypt(bytes: [UInt8]) throws(TransportError) {
            guard !bytes.isEmpty else { return }
            library.clearErrors()
            guard library.write(session, bytes, CInt(bytes.count)) == bytes.count else { throw .interrupted }
        }

        /// Decrypts the available bytes; empty if more must arrive first. Throws `interrupted` if the session is
        /// broken.
        func decrypt() throws(TransportError) -> [UInt8] {
            var bytes: [UInt8] = []
            while true {
                library.clearErrors()
                let count = library.read(session, &buffer, CInt(buffer.count))
                if count > 0 {
                    bytes += buffer[..<Int(count)]
                    continue
                }
                switch library.errorCode(session, count) {
                case Self.needsBytes: return bytes
                case Self.isClosedByPeer:
                    isClosed = true
                    return bytes
                default:
                    // Complete data from before the error is still delivered.
                    guard bytes.isEmpty else { return bytes }
                    throw .interrupted
                }
            }
        }
    }
#endif
