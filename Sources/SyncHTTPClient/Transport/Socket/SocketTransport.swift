import Foundation
package import SyncCore

/// Carries requests over sockets: HTTP/1.1, one thread for each request and each stream that is under way, and connections
/// that are kept for the next request. Plain `http`, or `https` to servers that given authorities vouch for.
///
/// Redirects are never followed, no proxy is asked, and nothing is sent a second time. A stream is read as fast as its
/// pieces are taken, and costs nothing while nothing comes.
package final class SocketTransport: HTTPTransport {
    private let pool: SocketPool
    private let authorities: TrustedAuthorities?

    /// Makes a transport for plain `http` with connections of its own.
    package convenience init() { self.init(authorities: nil) }

    /// Makes a transport with connections of its own: for `https` where authorities are given, else for plain `http`.
    /// `now` tells how long a connection has waited for its next request.
    init(
        authorities: TrustedAuthorities?,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.authorities = authorities
        pool = SocketPool(now: now)
    }

    /// Sends one request and waits for the whole answer, at most `timeoutSeconds`. Throws `HTTPFailure`, or
    /// `CancellationError`.
    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await head(
            of: request,
            exchange: exchange(request: request, mode: .whole(maxBytes: request.maxResponseBytes))
        )
    }

    /// Opens a stream; its head must be there after `timeoutSeconds`. Throws `HTTPFailure`, or `CancellationError`. The
    /// connection is closed when nobody reads the pieces any more.
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
            authorities: authorities
        )
    }

    private func head(of request: HTTPRequest, exchange: SocketExchange) async throws -> HTTPResponse {
        try await withDeadline(seconds: request.timeoutSeconds) { try await exchange.answer() }
    }
}

/// The body of a stream, for its one reader. The stream ends with it.
private final class SocketBody: Sendable {
    private let exchange: SocketExchange

    init(_ exchange: SocketExchange) {
        self.exchange = exchange
    }

    deinit { exchange.cancel() }

    func next() async throws -> [UInt8]? { try await exchange.piece() }
}
