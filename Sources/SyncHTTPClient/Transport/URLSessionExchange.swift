import Foundation
import SyncCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request of a session. It turns delegate calls into one response or one error.
final class URLSessionExchange: @unchecked Sendable {
    /// What happens to the body.
    enum Sink {
        /// It is collected up to a limit, and the response is returned at its end.
        case whole(maxBytes: Int)
        /// It is passed on piece by piece, and the response is returned with its head.
        case pieces(AsyncThrowingStream<[UInt8], any Error>.Continuation)
    }

    /// The most unread pieces of a stream.
    static let maxWaitingPieces = 256

    private let sink: Sink
    private let lock = NSLock()
    // Guarded by `lock`.
    private var task: URLSessionTask?
    private var waiter: CheckedContinuation<HTTPResponse, any Error>?
    private var head: HTTPResponse?
    private var body: [UInt8] = []
    private var isEnded = false

    init(_ sink: Sink) {
        self.sink = sink
    }

    /// Sends the request. The waiter is resumed once.
    func begin(_ task: URLSessionTask, waiter: CheckedContinuation<HTTPResponse, any Error>) {
        lock.lock()
        // Already cancelled: nothing is sent.
        guard !isEnded else {
            lock.unlock()
            task.cancel()
            return waiter.resume(throwing: CancellationError())
        }
        self.task = task
        self.waiter = waiter
        lock.unlock()
        task.resume()
    }

    /// Handles the response head. Returns whether the body is wanted.
    func accept(_ response: URLResponse) -> Bool {
        receive(response)
        return lock.withLock { !isEnded }
    }

    private func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else {
            return end(.failure(TransportError.interrupted))
        }
        let head = HTTPResponse(response)
        // A compressed body is refused by its head, because only `identity` was requested. On Linux the
        // session may still decompress what arrives before the refusal takes effect.
        guard head.isPlain else { return end(.failure(TransportError.tooLarge)) }
        lock.lock()
        self.head = head
        guard case .pieces = sink else {
            lock.unlock()
            if exceeds(bytes: head.contentLength ?? 0) { end(.failure(TransportError.tooLarge)) }
            return
        }
        let waiter = take()
        lock.unlock()
        waiter?.resume(returning: head)
    }

    /// Handles a response head without a body.
    func finish(_ response: URLResponse) {
        receive(response)
        end(.success(()))
    }

    /// Handles a decoded piece of the body.
    func receive(_ data: Data) {
        switch sink {
        case .whole:
            let isTooLarge = lock.withLock {
                if !isEnded, !exceeds(bytes: body.count + data.count) {
                    body.append(contentsOf: data)
                    return false
                }
                return !isEnded
            }
            if isTooLarge { end(.failure(TransportError.tooLarge)) }
        case .pieces(let feed):
            if case .dropped = feed.yield([UInt8](data)) { end(.failure(TransportError.tooLarge)) }
        }
    }

    /// Handles the end of the task.
    func complete(_ error: (any Error)?) {
        lock.lock()
        let head = self.head
        let count = body.count
        let sent = task?.countOfBytesSent ?? 0
        lock.unlock()
        if let error {
            let sawNothing = head == nil && sent == 0
            return end(.failure(TransportError(error: error, sawNothing: sawNothing)))
        }
        guard let head else { return end(.failure(TransportError.interrupted)) }
        // NB: some sessions accept a body that is shorter than its declared length, so that is checked here.
        if case .whole = sink, let length = head.contentLength, count < length, !head.isRedirect {
            return end(.failure(TransportError.interrupted))
        }
        end(.success(()))
    }

    /// Ends the exchange. Only the first call has an effect.
    func end(_ result: Result<Void, any Error>) {
        lock.lock()
        guard !isEnded else { return lock.unlock() }
        isEnded = true
        let waiter = take()
        let task = task
        var answer = head
        answer?.body = body
        self.task = nil
        body = []
        lock.unlock()
        switch result {
        case .success:
            if let answer { waiter?.resume(returning: answer) }
            if case .pieces(let feed) = sink { feed.finish() }
        case .failure(let error):
            waiter?.resume(throwing: error)
            if case .pieces(let feed) = sink { feed.finish(throwing: error) }
            // On Linux, cancelling blocks on the session's thread, which a fast server keeps busy.
            if let task { DispatchQueue.global().async { task.cancel() } }
        }
    }

    private func exceeds(bytes: Int) -> Bool {
        guard case .whole(let maxBytes) = sink else { return false }
        return bytes > maxBytes
    }

    /// Takes the waiter, so that it is resumed only once. The caller holds the lock.
    private func take() -> CheckedContinuation<HTTPResponse, any Error>? {
        defer { waiter = nil }
        return waiter
    }
}

extension HTTPResponse {
    /// Converts the system's response head.
    fileprivate init(_ response: HTTPURLResponse) {
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { HTTPHeader(name: $0, value: "\(value)") }
        }
        self.init(status: response.statusCode, headers: headers.sorted { $0.name < $1.name })
    }

    /// The declared length of the body.
    fileprivate var contentLength: Int? { header("Content-Length").flatMap { Int($0) } }

    /// Whether the body is not compressed.
    fileprivate var isPlain: Bool {
        (header("Content-Encoding") ?? "identity").lowercased() == "identity"
    }

    fileprivate var isRedirect: Bool { (300..<400).contains(status) }
}

extension TransportError {
    /// Classifies the system's error. `sawNothing` means that no response began and no body was sent. Only
    /// then can the error be a failed connection.
    fileprivate init(error: any Error, sawNothing: Bool) {
        switch (error as? URLError)?.code ?? .unknown {
        case .timedOut: self = .timedOut
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet,
            .internationalRoamingOff, .dataNotAllowed, .callIsActive, .badURL:
            self = sawNothing ? .unreachable : .interrupted
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot, .clientCertificateRejected,
            .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
            self = .notSecure
        case .unknown where sawNothing && Self.speaksOfTLS(text: error.localizedDescription):
            self = .notSecure
        default: self = .interrupted
        }
    }

    /// On Linux all TLS failures have the code `unknown`, so only libcurl's message identifies them. A
    /// connection that breaks later mentions `SSL_read`.
    private static func speaksOfTLS(text: String) -> Bool {
        guard !text.contains("_read") else { return false }
        return ["SSL", "TLS", "certificate"].contains { text.contains($0) }
    }
}
