import SyncCore

/// The certificate authorities of one file. Servers are trusted by these alone.
final class TrustedAuthorities: @unchecked Sendable {
    private let library: OpenSSL
    // NB: OpenSSL allows sessions to be made from one context on several threads; it counts references atomically.
    private let context: OpenSSL.Pointer

    private static let verifyPeer: CInt = 1
    private static let setMinProtocol: CInt = 123
    private static let tls12: CLong = 0x0303

    /// Reads a file of certificates (PEM). Throws `invalidInput` where it holds none, and `usage` where this system
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

    /// A client's side of a connection to a server of that name, or nil where the system has no memory for it.
    func makeChannel(host: String) -> TLSChannel? {
        library.newSession(context).flatMap { TLSChannel(library: library, session: $0, host: host) }
    }
}
