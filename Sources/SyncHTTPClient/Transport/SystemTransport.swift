import Foundation
public import SyncCore

/// Sends requests with the system's HTTP client.
///
/// On Apple platforms this is `URLSession`. On Linux it is `URLSession` for `https` and sockets for plain
/// `http`: an open stream of the system's client there keeps a core busy, so `https` has no streams on Linux
/// (`holdsStreams`).
///
/// On Linux a custom authority (`SSL_CERT_FILE` or the argument) replaces the system's authorities. Since the
/// system's client cannot be configured so, such `https` requests use sockets and the system's OpenSSL, and a
/// proxy of the environment by a tunnel. On Apple platforms, add the authority to the keychain.
///
/// Plain `http` never goes through a proxy, which could read the token. Loopback servers are reached
/// directly. For any other host with a proxy in the environment the request fails with `SyncError`.
public final class SystemTransport: HTTPTransport {
    private let proxies: ProxyEnvironment
    private let secure: Result<any HTTPTransport, SyncError>
    fileprivate let trustsOwnAuthorities: Bool
    #if canImport(FoundationNetworking)
        private let plain = SocketTransport()
    #else
        private let plain = URLSessionTransport(usesProxies: false)
    #endif

    /// Makes a transport. `environment` may name proxies (`http_proxy`, `https_proxy`, `all_proxy`,
    /// `no_proxy`) and on Linux a file of certificate authorities (`SSL_CERT_FILE`); `authorities` takes
    /// precedence over it. If the file is unusable, every `https` request fails.
    public init(environment: [String: String], authorities: String? = nil) {
        proxies = ProxyEnvironment(environment)
        #if canImport(FoundationNetworking)
            let file = authorities ?? environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        #else
            let file = authorities
        #endif
        trustsOwnAuthorities = file != nil
        secure = Self.secureTransport(authorities: file, proxies: proxies)
    }

    private static func secureTransport(
        authorities: String?,
        proxies: ProxyEnvironment
    ) -> Result<any HTTPTransport, SyncError> {
        guard let authorities else { return .success(URLSessionTransport()) }
        #if canImport(FoundationNetworking)
            do {
                let trusted = try TrustedAuthorities(file: authorities)
                return .success(SocketTransport(authorities: trusted, proxies: proxies))
            } catch {
                return .failure(error)
            }
        #else
            return .failure(SyncError.authoritiesNotSupported())
        #endif
    }

    /// Makes a transport with the environment of this process.
    public convenience init() { self.init(environment: ProcessInfo.processInfo.environment) }

    /// Sends one request and waits for the whole response, at most `timeoutSeconds`. Throws `TransportError`,
    /// `CancellationError`, or `SyncError` for plain `http` through a proxy.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await transport(request: request).send(request)
    }

    /// Opens a stream. The head must arrive within `timeoutSeconds`. Throws as `send` does. The connection is
    /// closed when the reader of the pieces is gone.
    public func stream(_ request: HTTPRequest) async throws -> HTTPStream {
        try await transport(request: request).stream(request)
    }

    private func transport(request: HTTPRequest) throws -> any HTTPTransport {
        guard request.url.lowercased().hasPrefix("http:") else { return try secure.get() }
        if let target = SocketTarget(url: request.url), proxies.hasProxy(forPlainHTTP: target) {
            throw SyncError.plainThroughProxy()
        }
        return plain
    }
}

extension HTTPTransport {
    /// Whether an idle stream to a server costs nothing. If not, the client polls instead.
    func holdsStreams(to server: ServerURL) -> Bool {
        #if canImport(FoundationNetworking)
            guard let transport = self as? SystemTransport else { return true }
            return server.scheme == "http" || transport.trustsOwnAuthorities
        #else
            return true
        #endif
    }
}
