package import SyncCore

/// One request as a backend asks for it: below the server's URL, without token, with what the client may do to get an
/// answer.
package struct HTTPCall: Sendable {
    /// `GET`, `POST` ...
    package var method: String
    /// The path below the server's URL, with its query, percent-encoded.
    package var path: String
    /// Fields of this request. One of a name that the conventions give a value to replaces it.
    package var headers: [HTTPHeader]
    /// The body; empty for none.
    package var body: [UInt8]
    /// The statuses whose answers `read` is given. Others are judged by the client: repeated, or refused.
    package var answers: Set<Int>
    /// The most bytes that the answer's body may have once decoded.
    package var maxResponseBytes: Int
    /// Seconds until the whole answer must be there. The wait begins anew with each attempt.
    package var timeoutSeconds: Double
    /// The greatest number of attempts; nil for the policy's.
    package var attempts: Int?
    /// Whether the server does the same however often it gets the request. One that is not repeatable is sent again only
    /// where the server cannot have done what was asked.
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
