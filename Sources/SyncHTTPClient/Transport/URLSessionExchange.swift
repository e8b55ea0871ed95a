import Foundation
import SyncCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way: what the system's session reports goes in, one answer or one failure comes out.
final class URLSessionExchange: @unchecked Sendable {
    /// What becomes of the body.
    enum Sink {
        /// It is kept, up to some bytes, and the answer waits for its end.
        case whole(maxBytes: Int)
        /// It is passed on piece by piece, and the answer is there with its head.
        case pieces(AsyncThrowingStream<[UInt8], any Error>.Continuation)
    }

    /// How many pieces of a stream may wait for a reader.
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
        // Cancelled before it began: nothing is sent.
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

    /// Status and fields are there. Returns whether the body is wanted.
    func accept(_ response: URLResponse) -> Bool {
        receive(response)
        return lock.withLock { !isEnded }
    }

    private func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else {
            return end(.failure(TransportError.interrupted))
        }
        let head = HTTPResponse(response)
        // NB: a packed body is refused by its head, as nothing but `identity` was asked for. On Linux, the session may
        // unpack what has arrived before it hears of the refusal, as long as the server sends faster than it unpacks.
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

    /// Status and fields are there, and no body is waited for.
    func finish(_ response: URLResponse) {
        receive(response)
        end(.success(()))
    }

    /// A piece of the body is there, decoded.
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

    /// The session is done with the request.
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
        // NB: not every session takes a body that ends before its announced length for a failure.
        if case .whole = sink, let length = head.contentLength, count < length, !head.isRedirect {
            return end(.failure(TransportError.interrupted))
        }
        end(.success(()))
    }

    /// Ends the exchange, the first time; what comes later changes nothing.
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
            // NB: on Linux, cancelling waits for the session's thread, which a fast server keeps busy.
            if let task { DispatchQueue.global().async { task.cancel() } }
        }
    }

    private func exceeds(bytes: Int) -> Bool {
        guard case .whole(let maxBytes) = sink else { return false }
        return bytes > maxBytes
    }

    /// Takes the waiter, so that it is resumed once. Called with the lock held.
    private func take() -> CheckedContinuation<HTTPResponse, any Error>? {
        defer { waiter = nil }
        return waiter
    }
}

extension HTTPResponse {
    /// Status and fields of the system's type.
    fileprivate init(_ response: HTTPURLResponse) {
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { HTTPHeader(name: $0, value: "\(value)") }
        }
        self.init(status: response.statusCode, headers: headers.sorted { $0.name < $1.name })
    }

    /// The announced length of the body.
    fileprivate var contentLength: Int? { header("Content-Length").flatMap { Int($0) } }

    /// Whether the body is as it is, not packed.
    fileprivate var isPlain: Bool {
        (header("Content-Encoding") ?? "identity").lowercased() == "identity"
    }

    fileprivate var isRedirect: Bool { (300..<400).contains(status) }
}

extension TransportError {
    /// Reads the system's error. `sawNothing` says that no answer began and no body was sent: only then can an error be
    /// one of connecting.
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

    /// NB: on Linux, all failures of TLS come as `unknown`; only libcurl's text tells them apart. A connection that
    /// breaks later speaks of `SSL_read`.
    private static func speaksOfTLS(text: String) -> Bool {
        guard !text.contains("_read") else { return false }
        return ["SSL", "TLS", "certificate"].contains { text.contains($0) }
    }
}
