/// The names and numbers of protocol v1, in one place. A test compares them with the OpenAPI document.
public enum WireProtocol {
    /// The path of the account's own log.
    public static let rootPath = "/v1"
    /// Pushes and pulls in one round trip, below a log's path: `POST`.
    public static let exchangeName = "/exchange"
    /// The stream of change events, below a log's path: `GET`.
    public static let eventsName = "/events"
    /// The exchange of the account's own log.
    public static let exchangePath = rootPath + exchangeName
    /// The stream of the account's own log.
    public static let eventsPath = rootPath + eventsName
    /// The path of scratch logs for checks, with their name: `/v1/scratch/NAME/exchange` and so on.
    public static let scratchPath = "/v1/scratch"
    /// The most fingerprints in one request. A device with more entities sends none.
    public static let maxFingerprints = 256
    /// The most bytes of a fingerprint's name.
    public static let maxFingerprintNameBytes = 1024
    /// The media type of requests and answers.
    public static let mediaType = "application/json"
    /// The media type of error responses (RFC 9457).
    public static let problemMediaType = "application/problem+json"
    /// The media type of the stream.
    public static let eventsMediaType = "text/event-stream"
    /// The name of the event for a change.
    public static let changeEvent = "change"
}

/// A server's limits. Every answer contains them, and clients obey them.
public struct WireLimits: Sendable, Hashable {
    /// The greatest number of changes in one request.
    public var changes: Int
    /// The greatest request body in bytes.
    public var requestBytes: Int
    /// The greatest number of records in one page.
    public var pageRecords: Int
    /// The size in bytes at which a page ends; one record alone may be larger.
    public var pageBytes: Int

    /// Makes limits; the defaults are what `syncserver` uses.
    public init(
        changes: Int = 1000,
        requestBytes: Int = 4 << 20,
        pageRecords: Int = 1000,
        pageBytes: Int = 1 << 20
    ) {
        self.changes = changes
        self.requestBytes = requestBytes
        self.pageRecords = pageRecords
        self.pageBytes = pageBytes
    }
}

/// An error of a whole request.
public struct WireError: Error, Sendable, Hashable {
    /// The kind, on which a client acts.
    public var code: Code
    /// One sentence for a person. It contains no value that a person wrote.
    public var detail: String
    /// The server's limits, if they were exceeded.
    public var limits: WireLimits?
    /// Seconds to wait, if waiting helps; sent as `Retry-After`.
    public var retryAfterSeconds: Int?
    /// What is wrong with the server's storage, if that is why; whatever was sent is not to blame.
    public var storage: StorageFailure?
    /// For the server's log: what failed, as a type and a number. Never sent.
    package var cause: String?

    /// Makes an error.
    public init(
        code: Code,
        detail: String,
        limits: WireLimits? = nil,
        retryAfterSeconds: Int? = nil,
        storage: StorageFailure? = nil
    ) {
        self.code = code
        self.detail = detail
        self.limits = limits
        self.retryAfterSeconds = retryAfterSeconds
        self.storage = storage
    }

    /// The closed list of kinds.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The request does not follow the protocol.
        case malformed
        /// No token, or one that is not valid.
        case unauthorized
        /// The account may not do this at all.
        case forbidden
        /// There is nothing at this path.
        case notFound = "not-found"
        /// The path does not support the method.
        case methodNotAllowed = "method-not-allowed"
        /// The request did not arrive in time.
        case requestTimeout = "request-timeout"
        /// The cursor belongs to another history: another log, or one that was rolled back.
        case historyChanged = "history-changed"
        /// Another store pushes under the same device id.
        case deviceCopied = "device-copied"
        /// Tombstones after the cursor are gone: start again without a cursor.
        case cursorExpired = "cursor-expired"
        /// The request is larger than the limits.
        case tooLarge = "too-large"
        /// The body is not JSON, or is encoded.
        case unsupportedMediaType = "unsupported-media-type"
        /// Too many requests; `Retry-After` says when to come back.
        case tooManyRequests = "too-many-requests"
        /// A bug in the server.
        case internalError = "internal-error"
        /// The server cannot answer now; `Retry-After` says when to come back.
        case unavailable

        /// The status code of the kind.
        public var status: Int {
            switch self {
            case .malformed: 400
            case .unauthorized: 401
            case .forbidden: 403
            case .notFound: 404
            case .methodNotAllowed: 405
            case .requestTimeout: 408
            case .historyChanged, .deviceCopied: 409
            case .cursorExpired: 410
            case .tooLarge: 413
            case .unsupportedMediaType: 415
            case .tooManyRequests: 429
            case .internalError: 500
            case .unavailable: 503
            }
        }
    }
}
