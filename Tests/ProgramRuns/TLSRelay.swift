import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A TLS listener on a free loopback port that forwards to a plain server, like a reverse proxy. It uses the
/// system's OpenSSL with blocking calls.
public final class TLSRelay: @unchecked Sendable {
    /// The port on which it listens.
    public let port: Int
    private let upstream: Int
    private let announcesEnd: Bool
    private let tunnelAnswer: String?
    private let lock = NSLock()
    private var asked: [String] = []
    private let library: ServerOpenSSL
    private let context: ServerOpenSSL.Pointer

    /// Starts a relay to a plain loopback server, with a certificate and its key (PEM). It runs until the
    /// tests end. Without `announcesEnd`, connections end without a close notification, as after an attack.
    /// With `tunnelAnswer` it is a proxy, too: it reads a plain request first, and answers it so. Throws if the
    /// system has no OpenSSL.
    public init(
        to upstream: Int,
        certificate: String = TestCertificates.server,
        announcesEnd: Bool = true,
        tunnelAnswer: String? = nil
    ) throws {
        self.upstream = upstream
        self.announcesEnd = announcesEnd
        self.tunnelAnswer = tunnelAnswer
        library = try ServerOpenSSL()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "relay-\(UUID().uuidString).pem"
        )
        try Data(certificate.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        guard let context = library.newContext(library.serverMethod()),
            library.useCertificate(context, file.path) == 1, library.useKey(context, file.path, 1) == 1
        else { throw ServerOpenSSL.Missing() }
        self.context = context
        let listener = try LoopbackListener(backlog: 64)
        port = listener.port
        Thread.detachNewThread { [self] in
            while true {
                let socket = accept(listener.socket, nil, nil)
                guard socket >= 0 else { return }
                Thread.detachNewThread { [self] in serve(socket) }
            }
        }
    }

    /// The heads of the requests for a tunnel.
    public var tunnels: [String] { lock.withLock { asked } }

    /// Reads the request for a tunnel and answers it.
    private func openTunnel(_ client: Int32, answer: String) {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]), recv(client, &byte, 1, 0) > 0 {
            head.append(byte)
        }
        lock.withLock { asked.append(String(decoding: head, as: UTF8.self)) }
        _ = Array(answer.utf8).withUnsafeBytes { send(client, $0.baseAddress, $0.count, 0) }
    }

    private func serve(_ client: Int32) {
        defer { close(client) }
        // OpenSSL uses a plain `write`, which may raise SIGPIPE.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        if let tunnelAnswer { openTunnel(client, answer: tunnelAnswer) }
        guard let session = library.newSession(context) else { return }
        defer { library.freeSession(session) }
        guard library.setDescriptor(session, client) == 1, library.acceptClient(session) == 1,
            let server = Self.connect(to: upstream)
        else { return }
        defer { close(server) }
        relay(session: session, client: client, server: server)
    }

    /// Forwards bytes in both directions until one side ends. The client waits while the server does not read.
    private func relay(session: ServerOpenSSL.Pointer, client: Int32, server: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        var waiting: ArraySlice<UInt8> = []
        while true {
            var sockets = [
                pollfd(fd: client, events: waiting.isEmpty ? Int16(POLLIN) : 0, revents: 0),
                pollfd(
                    fd: server,
                    events: Int16(POLLIN) | (waiting.isEmpty ? 0 : Int16(POLLOUT)),
                    revents: 0
                ),
            ]
            if library.pending(session) == 0 || !waiting.isEmpty { poll(&sockets, 2, -1) }
            if sockets[1].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 {
                let count = recv(server, &buffer, buffer.count, 0)
                if count == 0, announcesEnd { _ = library.shutdown(session) }
                guard count > 0, library.write(session, buffer, Int32(count)) == count else { return }
            }
            if !waiting.isEmpty {
                let count = waiting.withUnsafeBytes {
                    send(server, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
                }
                if count > 0 { waiting = waiting.dropFirst(count) }
                if count < 0, errno != EAGAIN { waiting = [] }
            } else if library.pending(session) > 0 || sockets[0].revents != 0 {
                let count = library.read(session, &buffer, Int32(buffer.count))
                guard count > 0 else { return }
                waiting = buffer[..<Int(count)]
            }
        }
    }

    private static func connect(to port: Int) -> Int32? {
        #if os(Linux)
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let socket = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = UInt16(port).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: &address) {
            #if canImport(Darwin)
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Darwin.connect(socket, $0, size) }
            #elseif canImport(Musl)
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Musl.connect(socket, $0, size) }
            #else
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(socket, $0, size) }
            #endif
        }
        guard code == 0 else {
            close(socket)
            return nil
        }
        return socket
    }
}

/// The functions of the system's OpenSSL that a server needs.
struct ServerOpenSSL: Sendable {
    typealias Pointer = UnsafeMutableRawPointer
    typealias Text = UnsafePointer<CChar>

    let serverMethod: @convention(c) @Sendable () -> Pointer?
    let newContext: @convention(c) @Sendable (Pointer?) -> Pointer?
    let useCertificate: @convention(c) @Sendable (Pointer?, Text?) -> CInt
    let useKey: @convention(c) @Sendable (Pointer?, Text?, CInt) -> CInt
    let newSession: @convention(c) @Sendable (Pointer?) -> Pointer?
    let freeSession: @convention(c) @Sendable (Pointer?) -> Void
    let setDescriptor: @convention(c) @Sendable (Pointer?, CInt) -> CInt
    let acceptClient: @convention(c) @Sendable (Pointer?) -> CInt
    let pending: @convention(c) @Sendable (Pointer?) -> CInt
    let read: @convention(c) @Sendable (Pointer?, Pointer?, CInt) -> CInt
    let write: @convention(c) @Sendable (Pointer?, UnsafeRawPointer?, CInt) -> CInt
    let shutdown: @convention(c) @Sendable (Pointer?) -> CInt

    /// Thrown if the library or one of its functions is missing.
    struct Missing: Error {}

    init() throws {
        guard let library = dlopen("libssl.so.3", RTLD_NOW) ?? dlopen("libssl.so.1.1", RTLD_NOW) else {
            throw Missing()
        }
        func load<Function>(_ name: String) throws -> Function {
            guard let address = dlsym(library, name) else { throw Missing() }
            return unsafeBitCast(address, to: Function.self)
        }
        serverMethod = try load("TLS_server_method")
        newContext = try load("SSL_CTX_new")
        useCertificate = try load("SSL_CTX_use_certificate_chain_file")
        useKey = try load("SSL_CTX_use_PrivateKey_file")
        newSession = try load("SSL_new")
        freeSession = try load("SSL_free")
        setDescriptor = try load("SSL_set_fd")
        acceptClient = try load("SSL_accept")
        pending = try load("SSL_pending")
        read = try load("SSL_read")
        write = try load("SSL_write")
        shutdown = try load("SSL_shutdown")
    }
}
