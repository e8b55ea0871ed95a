import SyncCore

// On other platforms, the system's own client does what sockets do here.
#if canImport(FoundationNetworking)
    /// The certificate authorities of a file. Only these are trusted.
    final class TrustedAuthorities: @unchecked Sendable {
        private let library: OpenSSL
        // NB: OpenSSL allows several threads to make sessions from one context; its reference count is atomic.
        private let context: OpenSSL.Pointer

        private static let verifyPeer: CInt = 1
        private static let setMinProtocol: CInt = 123
        private static let tls12: CLong = 0x0303

        /// Reads a file of certificates (PEM). Throws `invalidInput` if it has none, and `usage` if this system
        /// has no OpenSSL.
        init(file: String, library: OpenSSL? = .system) throws(SyncError) {
            guard let library, let context = library.newContext(library.clientMethod()) else {
                throw SyncError.authoritiesNotSupported()
            }
            self.library = library
            self.context = context
            library.setVerification(context, Self.verifyPeer, nil)
            let hasVersion = library.controlContext(context, Self.setMinProtocol, Self.tls12, nil) == 1
            defer { library.clearErrors() }
            guard hasVersion, library.loadAuthorities(context, file, nil) == 1 else {
                throw SyncError.unreadableAuthorities()
            }
        }

        deinit { library.freeContext(context) }

        /// Makes the client side of a TLS connection to a host; nil if memory is exhausted.
        func makeChannel(host: String) -> TLSChannel? {
            library.newSession(context).flatMap { TLSChannel(library: library, session: $0, host: host) }
        }
    }
#endif
