import Foundation
public import SyncCore

/// Carries requests with what the system has.
///
/// On Apple platforms that is `URLSession`. On Linux it is `URLSession` for `https`, and sockets for plain `http`: an open
/// stream of the system's client there keeps a core busy, so `https` has no streams on Linux (`holdsStreams`).
///
/// An authority of one's own (`SSL_CERT_FILE`, or given) is trusted on Linux instead of those of the system, which the
/// system's client cannot be told; such `https` goes over sockets and the system's OpenSSL. On Apple platforms an authority
/// belongs into the keychain.
///
/// Plain `http` never goes through a proxy, which would read the token: a server on this machine is asked directly, and any
/// other is refused with `SyncError` where the environment names a proxy for it.
public final class SystemTransport: HTTPTransport {
    private let proxies: ProxyEnvironment
    private let secure: Result<any HTTPTransport, SyncError>
    fileprivate let trustsOwnAuthorities: Bool
    #if canImport(FoundationNetworking)
        private let plain = SocketTransport()
    #else
        private let plain = URLSessionTransport(usesProxies: false)
    #endif

    /// Makes a transport with connections of its own. `environment` may name a proxy (`http_proxy`, `https_proxy`,
    /// `all_proxy`, `no_proxy`) and on Linux a file of certificate authorities (`SSL_CERT_FILE`); `authorities` names one
    /// before it. A file that cannot be used fails each `https` request.
    public init(environment: [String: String], authorities: String? = nil) {
        proxies = ProxyEnvironment(environment)
        #if canImport(FoundationNetworking)
            let file = authorities ?? environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        #else
            let file = authorities
        #endif
        trustsOwnAuthorities = file != nil
        secure = Self.secureTransport(authorities: file)
    }

    private static func secureTransport(authorities: String?) -> Result<any HTTPTransport, SyncError> {
        guard let authorities else { return .success(URLSessionTransport()) }
        do {
            return .success(SocketTransport(authorities: try TrustedAuthorities(file: authorities)))
        } catch {
            return .failure(error)
        }
    }

    /// Makes a transport in the environment of this process.
    public convenience init() { self.init(environment: ProcessInfo.processInfo.environment) }

    /// Sends one request and waits for the whole answer, at most `timeoutSeconds`. Throws `HTTPFailure`,
    /// `CancellationError`, or `SyncError` for plain `http` where there is a proxy.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await transport(request: request).send(request)
    }

    /// Opens a stream; its head must be there after `timeoutSeconds`. Throws as `send` does. The connection is closed when
    /// nobody reads the pieces any more.
    public func stream(_ request: HTTPRequest) async throws -> HTTPStream {
        try await transport(request: request).stream(request)
    }

    private func transport(request: HTTPRequest) throws -> any HTTPTransport {
        guard request.url.lowercased().hasPrefix("http:") else {
            if trustsOwnAuthorities, let target = SocketTarget(url: request.url, isSecure: true),
                proxies.hasProxy(forSecureHTTP: target)
            {
                throw SyncError.authoritiesThroughProxy()
            }
            return try secure.get()
        }
        if let target = SocketTarget(url: request.url), proxies.hasProxy(forPlainHTTP: target) {
            throw SyncError.plainThroughProxy()
        }
        return plain
    }
}

extension HTTPTransport {
    /// Whether an open stream to a server costs nothing while nothing comes. Where it does, the server is asked at intervals.
    func holdsStreams(to server: ServerURL) -> Bool {
        #if canImport(FoundationNetworking)
            guard let transport = self as? SystemTransport else { return true }
            return server.scheme == "http" || transport.trustsOwnAuthorities
        #else
            return true
        #endif
    }
}
