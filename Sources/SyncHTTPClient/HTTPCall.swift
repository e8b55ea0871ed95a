package import SyncCore

/// A request of a backend, relative to the server's URL and without token, with the rules for its answer and
/// its retries.
package struct HTTPCall: Sendable {
    /// `GET`, `POST` ...
    package var method: String
    /// The path below the server's URL, with its query, percent-encoded.
    package var path: String
    /// Header fields of this request. They replace the fields of the conventions with the same name.
    package var headers: [HTTPHeader]
    /// The body; empty for none.
    package var body: [UInt8]
    /// The statuses whose answers are passed to `read`. The client retries all others or reports them as
    /// errors.
    package var answers: Set<Int>
    /// The most bytes of the decoded answer body.
    package var maxResponseBytes: Int
    /// The time limit in seconds of one attempt, including the whole answer.
    package var timeoutSeconds: Double
    /// The maximum number of attempts; nil for that of the policy.
    package var attempts: Int?
    /// Whether the request is idempotent. Other requests are retried only if the server cannot have processed
    /// them.
    package var isRepeatable: Bool

    /// Makes a call.
    package init(
        _ method: String,
        path: String,
        headers: [HTTPHeader] = [],
        body: [UInt8] = [],
        answers: Set<Int> = [200],
        maxResponseBytes: Int,
        timeoutSeconds: Double,
        attempts: Int? = nil,
        isRepeatable: Bool = true
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.answers = answers
        self.maxResponseBytes = maxResponseBytes
        self.timeoutSeconds = timeoutSeconds
        self.attempts = attempts
        self.isRepeatable = isRepeatable
    }
}
