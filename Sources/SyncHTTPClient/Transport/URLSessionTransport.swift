import Foundation
package import SyncCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries requests over the system's `URLSession`.
///
/// Redirects are never followed, and nothing is kept between requests but open connections: no cookies, no cache, no
/// passwords. A body is counted while it arrives, so that an answer without end is cut off and never held; a packed body,
/// which is never asked for, is refused as `tooLarge` by its head.
package final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let router: ExchangeRouter
    private let usesProxies: Bool

    /// Makes a transport with connections of its own. Without proxies it connects to servers directly, where the system
    /// lets it choose; on Linux it does not.
    package init(usesProxies: Bool = true) {
        self.usesProxies = usesProxies
        router = ExchangeRouter()
        session = Self.makeSession(router, usesProxies: usesProxies)
    }

    private static func makeSession(_ router: ExchangeRouter, usesProxies: Bool) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        if !usesProxies { configuration.connectionProxyDictionary = [:] }
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // NB: the session's own limits start anew with each byte, so a peer that drips is never too slow for them.
        // The deadline below is the one that counts.
        configuration.timeoutIntervalForRequest = longestWaitSeconds
        configuration.timeoutIntervalForResource = longestWaitSeconds
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return URLSession(configuration: configuration, delegate: router, delegateQueue: queue)
    }

    deinit {
        // Streams that are still read go on; a session that is not ended stays for ever.
        session.finishTasksAndInvalidate()
    }

    /// Sends one request and waits for the whole answer, at most `timeoutSeconds`. Throws `HTTPFailure`, or
    /// `CancellationError`.
    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let exchange = URLSessionExchange(.whole(maxBytes: request.maxResponseBytes))
        return try await head(of: request, exchange: exchange)
    }

    /// Opens a stream; its head must be there after `timeoutSeconds`. Throws `HTTPFailure`, or `CancellationError`.
    ///
    /// Pieces end with the stream, or with `HTTPFailure`; `tooLarge` when they are not taken as fast as they come. The
    /// connection is closed when nobody reads them any more.
    package func stream(_ request: HTTPRequest) async throws -> HTTPStream {
        let (pieces, feed) = AsyncThrowingStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingOldest(URLSessionExchange.maxWaitingPieces)
        )
        let exchange = URLSessionExchange(.pieces(feed))
        feed.onTermination = { [weak exchange] _ in exchange?.end(.failure(CancellationError())) }
        return HTTPStream(head: try await head(of: request, exchange: exchange), pieces: pieces)
    }

    /// Starts an exchange and waits for what it answers first, but no longer than the request allows.
    private func head(of request: HTTPRequest, exchange: URLSessionExchange) async throws -> HTTPResponse {
        guard let outgoing = URLRequest(request) else { throw TransportError.unreachable }
        return try await withDeadline(seconds: request.timeoutSeconds) {
            try await self.answer(to: outgoing, exchange: exchange)
        }
    }

    private func answer(to request: URLRequest, exchange: URLSessionExchange) async throws -> HTTPResponse {
        let session = session(for: request)
        defer { if session !== self.session { session.finishTasksAndInvalidate() } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let task = session.dataTask(with: request)
                router.add(exchange, for: task)
                exchange.begin(task, waiter: waiter)
            }
        } onCancel: {
            exchange.end(.failure(CancellationError()))
        }
    }
}

extension URLSessionTransport {
    /// The session that carries a request.
    private func session(for request: URLRequest) -> URLSession {
        #if canImport(FoundationNetworking)
            // NB: where a connection that was used before is closed instead of answered, the session on Linux sends the
            // request again by itself, and hangs if it has a body. So a body gets a connection of its own.
            if request.httpBody != nil { return Self.makeSession(router, usesProxies: usesProxies) }
        #endif
        return session
    }
}

extension URLRequest {
    /// The request as the system's type; nil for what is no URL.
    fileprivate init?(_ request: HTTPRequest) {
        guard let url = URL(string: request.url) else { return nil }
        self.init(url: url)
        httpMethod = request.method
        if !request.body.isEmpty { httpBody = Data(request.body) }
        for header in request.headers { addValue(header.value, forHTTPHeaderField: header.name) }
        setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    }
}
