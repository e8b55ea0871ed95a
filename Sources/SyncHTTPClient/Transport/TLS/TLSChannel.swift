import SyncCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The TLS state of one connection: encrypted bytes go in and come out, and no socket is touched.
///
/// One thread at a time uses it.
final class TLSChannel: @unchecked Sendable {
    private let library: OpenSSL
    private let session: OpenSSL.Pointer
    // The session owns both, and frees them.
    private let received: OpenSSL.Pointer
    private let outgoing: OpenSSL.Pointer
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    /// Whether the peer said that nothing more comes.
    private(set) var isClosed = false

    private static let setHostName: CInt = 55
    private static let needsBytes: CInt = 2
    private static let isClosedByPeer: CInt = 6

    /// Takes over a new session, for a server whose certificate has to name `host`.
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

    /// An address stands in a certificate as an address; it is never sent as a server's name.
    private func expect(_ host: String) -> Bool {
        var address = in6_addr()
        let isAddress = inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
        guard !isAddress else {
            return library.expectAddress(library.verificationRules(session), host) == 1
        }
        return library.expectHost(session, host) == 1
            && library.setServerName(session, Self.setHostName, 0, host) == 1
    }

    /// Takes what came from the peer.
    func receive(_ bytes: [UInt8]) {
        // A buffer in memory takes everything.
        _ = library.writeBuffer(received, bytes, CInt(bytes.count))
    }

    /// What has to be sent to the peer now.
    func takeOutgoing() -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let count = library.readBuffer(outgoing, &buffer, CInt(buffer.count))
            guard count > 0 else { return bytes }
            bytes += buffer[..<Int(count)]
        }
    }

    /// Goes on with the handshake. Returns whether it is done; otherwise more bytes of the peer are needed. Throws
    /// `notSecure` where the peer cannot be trusted or does not speak TLS.
    func shakeHands() throws(TransportError) -> Bool {
        library.clearErrors()
        let code = library.shakeHands(session)
        if code == 1 { return true }
        guard library.errorCode(session, code) == Self.needsBytes else { throw .notSecure }
        return false
    }

    /// Encrypts bytes of the request. Throws `interrupted` where the session is broken.
    func encrypt(bytes: [UInt8]) throws(TransportError) {
        guard !bytes.isEmpty else { return }
        library.clearErrors()
        guard library.write(session, bytes, CInt(bytes.count)) == bytes.count else { throw .interrupted }
    }

    /// The bytes that are there, decrypted; empty where more have to come first. Throws `interrupted` where the session is
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
                // What came whole before it broke is still worth reading.
                guard bytes.isEmpty else { return bytes }
                throw .interrupted
            }
        }
    }
}
