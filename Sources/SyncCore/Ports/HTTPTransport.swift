/// Sends HTTP requests. An app or a test can supply its own; the HTTP backend ships one on `URLSession`.
public protocol HTTPTransport: Sendable {
    /// Sends one request and waits for the whole response, of any status. Redirects are returned, not followed.
    /// Throws `TransportError` or `CancellationError`.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
    /// Opens a stream that lasts until either side ends it. Throws `TransportError` or `CancellationError`.
    func stream(_ request: HTTPRequest) async throws -> HTTPStream
}

/// One header field.
public struct HTTPHeader: Sendable, Hashable {
    /// The name; case-insensitive.
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
    /// The largest accepted response body in bytes, after decoding.
    public var maxResponseBytes: Int
    /// Seconds until the whole response must have arrived.
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

/// A response as a value.
public struct HTTPResponse: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// Header fields.
    public var headers: [HTTPHeader]
    /// The whole body, decoded.
    public var body: [UInt8]

    /// Makes a response.
    public init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first value of a header field; case-insensitive.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }
}

/// A response whose body is a stream.
public struct HTTPStream: Sendable {
    /// Status and header fields; the body is empty.
    public var head: HTTPResponse
    /// Pieces of the body as they arrive.
    public var pieces: AsyncThrowingStream<[UInt8], any Error>

    /// Makes a stream.
    public init(head: HTTPResponse, pieces: AsyncThrowingStream<[UInt8], any Error>) {
        self.head = head
        self.pieces = pieces
    }
}

/// Why there is no response.
public enum TransportError: Error, Sendable, Hashable {
    /// No connection: unknown host, refused, or no network. The server received nothing.
    case unreachable
    /// The connection broke, or the response was cut short. The server may have acted on the request.
    case interrupted
    /// Too slow. The server may have acted on the request.
    case timedOut
    /// The response is larger than allowed. The server may have acted on the request.
    case tooLarge
    /// No secure connection could be made.
    case notSecure
}
