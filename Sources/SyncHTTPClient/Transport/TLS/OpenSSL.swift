import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// On other platforms, the system's own client does what sockets do here.
#if canImport(FoundationNetworking)
    /// The functions of the system's OpenSSL that a TLS client needs.
    ///
    /// The library is loaded when an authority is first used, so it is not needed at build time. On Linux the
    /// system's HTTP client already depends on it. The signatures match OpenSSL 1.1.1 and 3.
    final class OpenSSL: Sendable {
        typealias Pointer = UnsafeMutableRawPointer
        typealias Text = UnsafePointer<CChar>

        /// The system's library; nil if there is none.
        static let system = ["libssl.so.3", "libssl.so.1.1"].lazy.compactMap { try? OpenSSL($0) }.first

        let clientMethod: @convention(c) @Sendable () -> Pointer?
        let newContext: @convention(c) @Sendable (Pointer?) -> Pointer?
        let freeContext: @convention(c) @Sendable (Pointer?) -> Void
        let controlContext: @convention(c) @Sendable (Pointer?, CInt, CLong, Pointer?) -> CLong
        let loadAuthorities: @convention(c) @Sendable (Pointer?, Text?, Text?) -> CInt
        let setVerification: @convention(c) @Sendable (Pointer?, CInt, Pointer?) -> Void
        let newSession: @convention(c) @Sendable (Pointer?) -> Pointer?
        let freeSession: @convention(c) @Sendable (Pointer?) -> Void
        let setServerName: @convention(c) @Sendable (Pointer?, CInt, CLong, Text?) -> CLong
        let setBuffers: @convention(c) @Sendable (Pointer?, Pointer?, Pointer?) -> Void
        let becomeClient: @convention(c) @Sendable (Pointer?) -> Void
        let expectHost: @convention(c) @Sendable (Pointer?, Text?) -> CInt
        let verificationRules: @convention(c) @Sendable (Pointer?) -> Pointer?
        let expectAddress: @convention(c) @Sendable (Pointer?, Text?) -> CInt
        let shakeHands: @convention(c) @Sendable (Pointer?) -> CInt
        let read: @convention(c) @Sendable (Pointer?, Pointer?, CInt) -> CInt
        let write: @convention(c) @Sendable (Pointer?, UnsafeRawPointer?, CInt) -> CInt
        let errorCode: @convention(c) @Sendable (Pointer?, CInt) -> CInt
        let clearErrors: @convention(c) @Sendable () -> Void
        let memoryMethod: @convention(c) @Sendable () -> Pointer?
        let newBuffer: @convention(c) @Sendable (Pointer?) -> Pointer?
        let readBuffer: @convention(c) @Sendable (Pointer?, Pointer?, CInt) -> CInt
        let writeBuffer: @convention(c) @Sendable (Pointer?, UnsafeRawPointer?, CInt) -> CInt

        /// Thrown if the library or one of its functions is missing.
        struct MissingError: Error {}

        /// Loads a library by name. Throws `MissingError`.
        init(_ name: String) throws {
            guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw MissingError() }
            clientMethod = try Self.load("TLS_client_method", from: library)
            newContext = try Self.load("SSL_CTX_new", from: library)
            freeContext = try Self.load("SSL_CTX_free", from: library)
            controlContext = try Self.load("SSL_CTX_ctrl", from: library)
            loadAuthorities = try Self.load("SSL_CTX_load_verify_locations", from: library)
            setVerification = try Self.load("SSL_CTX_set_verify", from: library)
            newSession = try Self.load("SSL_new", from: library)
            freeSession = try Self.load("SSL_free", from: library)
            setServerName = try Self.load("SSL_ctrl", from: library)
            setBuffers = try Self.load("SSL_set_bio", from: library)
            becomeClient = try Self.load("SSL_set_connect_state", from: library)
            expectHost = try Self.load("SSL_set1_host", from: library)
            verificationRules = try Self.load("SSL_get0_param", from: library)
            expectAddress = try Self.load("X509_VERIFY_PARAM_set1_ip_asc", from: library)
            shakeHands = try Self.load("SSL_do_handshake", from: library)
            read = try Self.load("SSL_read", from: library)
            write = try Self.load("SSL_write", from: library)
            errorCode = try Self.load("SSL_get_error", from: library)
            clearErrors = try Self.load("ERR_clear_error", from: library)
            memoryMethod = try Self.load("BIO_s_mem", from: library)
            newBuffer = try Self.load("BIO_new", from: library)
            readBuffer = try Self.load("BIO_read", from: library)
            writeBuffer = try Self.load("BIO_write", from: library)
        }

        /// Loads one function. `Function` must match the library's header.
        static func load<Function>(_ name: String, from library: Pointer) throws -> Function {
            guard let address = dlsym(library, name) else { throw MissingError() }
            return unsafeBitCast(address, to: Function.self)
        }
    }
#endif
