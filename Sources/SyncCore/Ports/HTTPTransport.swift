/// Carries requests to servers. An app or a test can give its own; the HTTP backend ships one over `URLSession`.
public protocol HTTPTransport: Sendable {
    /// Sends one request and waits for the whole answer, of whatever status. Redirects are answers, not followed.
    /// Throws `HTTPFailure`, or `CancellationError`.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
    /// Opens a stream that goes on until either side ends it. Throws `HTTPFailure`, or `CancellationError`.
    func stream(_ request: HTTPRequest) async throws -> HTTPStream
}

/// One header field.
public struct HTTPHeader: Sendable, Hashable {
    /// The name; compared without regard to case.
    public var name: String
    /// The value.
    public var value: String

    /// Makes a field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// A request as a value.
public struct HTTPRequest: Sendable, Hashable {
    /// `GET`, `POST` ...
    public var method: String
    /// The absolute URL.
    public var url: String
    /// Header fields, `Authorization` included.
    public var headers: [HTTPHeader]
    /// The body; empty for none.
    public var body: [UInt8]
    /// The most bytes that the answer's body may have once decoded.
    public var maxResponseBytes: Int
    /// Seconds until the whole answer must be there.
    public var timeoutSeconds: Double

    /// Makes a request.
    public init(
        method: String,
        url: String,
        headers: [HTTPHeader] = [],
        body: [UInt8] = [],
        maxResponseBytes: Int,
        timeoutSeconds: Double
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.maxResponseBytes = maxResponseBytes
        self.timeoutSeconds = timeoutSeconds
    }
}

/// An answer as a value.
public struct HTTPResponse: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// Header fields.
    public var headers: [HTTPHeader]
    /// The whole body, decoded.
    public var body: [UInt8]

    /// Makes an answer.
    public init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first value of a field, by name without regard to case.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}

/// An answer whose body goes on.
public struct HTTPStream: Sendable {
    /// Status and fields; the body is empty.
    public var head: HTTPResponse
    /// Pieces of the body as they come.
    public var pieces: AsyncThrowingStream<[UInt8], any Error>

    /// Makes a stream.
    public init(head: HTTPResponse, pieces: AsyncThrowingStream<[UInt8], any Error>) {
        self.head = head
        self.pieces = pieces
    }
}

/// Why there is no answer.
public enum TransportError: Error, Sendable, Hashable {
    /// No connection: name not found, refused, no network. The server saw nothing.
    case unreachable
    /// The connection broke, or the answer was cut short. The server may have done what was asked.
    case interrupted
    /// Too slow. The server may have done what was asked.
    case timedOut
    /// The answer is larger than allowed. The server may have done what was asked.
    case tooLarge
    /// No secure connection could be made.
    case notSecure
}
