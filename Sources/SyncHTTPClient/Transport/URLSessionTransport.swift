import Foundation
package import SyncCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with the system's `URLSession`.
///
/// It never follows redirects and keeps nothing between requests but open connections: no cookies, no cache,
/// no passwords. The size of a body is checked while it arrives, so an endless response is cut off. A
/// compressed body, which is never requested, is refused as `tooLarge`.
package final class URLSessionTransport: HTTPTransport {
    private let session: URLSession
    private let router: ExchangeRouter
    private let usesProxies: Bool

    /// Makes a transport. Without proxies it connects directly, except on Linux, where this cannot be
    /// configured.
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
        // The session's own timeout starts again with each byte, so it does not stop a slow peer. The
        // deadline below does.
        configuration.timeoutIntervalForRequest = longestWaitSeconds
        configuration.timeoutIntervalForResource = longestWaitSeconds
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return URLSession(configuration: configuration, delegate: router, delegateQueue: queue)
    }

    deinit {
        // Open streams continue. A session that is not invalidated is never released.
        session.finishTasksAndInvalidate()
    }

    /// Sends one request and waits for the whole response, at most `timeoutSeconds`. Throws `TransportError`
    /// or `CancellationError`.
    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let exchange = URLSessionExchange(.whole(maxBytes: request.maxResponseBytes))
        return try await head(of: request, exchange: exchange)
    }

    /// Opens a stream. The head must arrive within `timeoutSeconds`. Throws `TransportError` or
    /// `CancellationError`.
    ///
    /// The pieces end with the stream or with a `TransportError`; it is `tooLarge` if they are not read as
    /// fast as they arrive. The connection is closed when their reader is gone.
    package func stream(_ request: HTTPRequest) async throws -> HTTPStream {
        let (pieces, feed) = AsyncThrowingStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingOldest(URLSessionExchange.maxWaitingPieces)
        )
        let exchange = URLSessionExchange(.pieces(feed))
        feed.onTermination = { [weak exchange] _ in exchange?.end(.failure(CancellationError())) }
        return HTTPStream(head: try await head(of: request, exchange: exchange), pieces: pieces)
    }

    /// Starts an exchange and waits for its response or head, within the request's time limit.
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
    /// The session for a request.
    private func session(for request: URLRequest) -> URLSession {
        #if canImport(FoundationNetworking)
            // NB: if the server closes a reused connection instead of answering, the session on Linux repeats
            // the request by itself, and hangs if it has a body. So requests with a body get their own
            // connection.
            if request.httpBody != nil { return Self.makeSession(router, usesProxies: usesProxies) }
        #endif
        return session
    }
}

extension URLRequest {
    /// Converts the request to the system's type; nil for an invalid URL.
    fileprivate init?(_ request: HTTPRequest) {
        guard let url = URL(string: request.url) else { return nil }
        self.init(url: url)
        httpMethod = request.method
        if !request.body.isEmpty { httpBody = Data(request.body) }
        for header in request.headers { addValue(header.value, forHTTPHeaderField: header.name) }
        setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    }
}
