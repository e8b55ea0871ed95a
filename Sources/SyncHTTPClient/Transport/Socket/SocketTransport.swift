// On other platforms, the system's own client does what sockets do here.
#if canImport(FoundationNetworking)
    import Foundation
    package import SyncCore

    /// Sends requests over sockets: HTTP/1.1, one thread for each active request and stream, with connection
    /// reuse. Supports plain `http`, or `https` with given certificate authorities.
    ///
    /// It never follows redirects and sends nothing twice. With TLS it goes through a proxy by a tunnel. A stream is read
    /// only as fast as its pieces are taken, and costs nothing while it is idle.
    package final class SocketTransport: HTTPTransport {
        private let pool: SocketPool
        private let authorities: TrustedAuthorities?
        private let proxies: ProxyEnvironment

        /// Makes a transport for plain `http`.
        package convenience init() { self.init(authorities: nil) }

        /// Makes a transport: for `https` with the given authorities and through the proxies for it, or for plain `http`
        /// without both. `now` measures idle times.
        init(
            authorities: TrustedAuthorities?,
            proxies: ProxyEnvironment = ProxyEnvironment([:]),
            now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
        ) {
            self.authorities = authorities
            self.proxies = proxies
            pool = SocketPool(now: now)
        }

        /// Sends one request and waits for the whole response, at most `timeoutSeconds`. Throws `TransportError`
        /// or `CancellationError`.
        package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            try await head(
                of: request,
                exchange: exchange(request: request, mode: .whole(maxBytes: request.maxResponseBytes))
            )
        }

        /// Opens a stream. The head must arrive within `timeoutSeconds`. Throws `TransportError` or
        /// `CancellationError`. The connection is closed when the reader of the pieces is gone.
        package func stream(_ request: HTTPRequest) async throws -> HTTPStream {
            let exchange = try exchange(request: request, mode: .pieces)
            let head = try await head(of: request, exchange: exchange)
            let body = SocketBody(exchange)
            return HTTPStream(head: head, pieces: AsyncThrowingStream(unfolding: { try await body.next() }))
        }

        private func exchange(request: HTTPRequest, mode: SocketExchange.Mode) throws -> SocketExchange {
            guard let target = SocketTarget(url: request.url, isSecure: authorities != nil),
                let bytes = target.encode(request)
            else {
                throw TransportError.unreachable
            }
            return SocketExchange(
                target: target,
                bytes: bytes,
                method: request.method,
                mode: mode,
                pool: pool,
                authorities: authorities,
                proxy: authorities == nil ? nil : try proxies.proxy(forSecureHTTP: target)
            )
        }

        private func head(of request: HTTPRequest, exchange: SocketExchange) async throws -> HTTPResponse {
            try await withDeadline(seconds: request.timeoutSeconds) { try await exchange.answer() }
        }
    }

    /// The body of a stream. Cancels the exchange when its only reader releases it.
    private final class SocketBody: Sendable {
        private let exchange: SocketExchange

        init(_ exchange: SocketExchange) {
            self.exchange = exchange
        }

        deinit { exchange.cancel() }

        func next() async throws -> [UInt8]? { try await exchange.piece() }
    }
#endif
