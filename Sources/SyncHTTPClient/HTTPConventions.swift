import Foundation
package import SyncCore

/// What an HTTP client must know about a kind of server. A backend provides it once; everything else is the
/// same for all servers.
package struct HTTPConventions: Sendable {
    /// The authentication scheme of the token.
    package enum Authorization: Sendable, Hashable {
        /// `Authorization: Bearer TOKEN`.
        case bearer
        /// `Authorization: Basic …`; the token has the form `user:password`.
        case basic
    }

    /// Returns the error of a 4xx answer; nil if the protocol does not define one. Then a generic `SyncError`
    /// is used.
    package typealias ErrorDecoder =
        @Sendable (_ response: HTTPResponse, _ retryAfter: Double?) -> (any Error)?

    /// Whether an answer is about the token.
    package typealias TokenRefusal = @Sendable (_ response: HTTPResponse) -> Bool

    /// Reads from an answer how long its server is busy.
    package typealias Pause = @Sendable (_ response: HTTPResponse) -> Double?

    /// The `Accept` field of requests, unless a call sets its own.
    package var accept: String
    /// The media types of the server's own answers. An answer of another type comes from an intermediary such
    /// as a proxy, so its `Date` is ignored.
    package var answerTypes: Set<String>
    /// Additional fields of every request, such as an API key.
    package var headers: [HTTPHeader]
    /// The authentication scheme.
    package var authorization: Authorization
    /// Whether an answer refuses the token, so that another token may help. By default, every 401 does.
    package var refusesToken: TokenRefusal
    /// Seconds until a retry can help, for an answer without `Retry-After` that says that others keep the server
    /// busy; nil for any other answer. No change is blamed for such an answer at once.
    package var pauseSeconds: Pause
    /// Reads the protocol's errors.
    package var decodeError: ErrorDecoder
    /// Reads the error of an answer by which the server says that it failed itself, whatever was sent, such as a full
    /// disk; nil for any other answer. It is thrown once no retry is left.
    package var decodeOwnFailure: @Sendable (_ response: HTTPResponse, _ retryAfter: Double?) -> SyncError?

    /// Makes conventions. The defaults fit any server with JSON answers and bearer tokens.
    package init(
        accept: String = "application/json",
        answerTypes: Set<String> = ["application/json"],
        headers: [HTTPHeader] = [],
        authorization: Authorization = .bearer,
        decodeError: @escaping ErrorDecoder = { _, _ in nil },
        refusesToken: @escaping TokenRefusal = { $0.status == 401 },
        pauseSeconds: @escaping Pause = { _ in nil },
        decodeOwnFailure: @escaping @Sendable (HTTPResponse, Double?) -> SyncError? = { _, _ in nil }
    ) {
        self.accept = accept
        self.answerTypes = answerTypes
        self.headers = headers
        self.authorization = authorization
        self.refusesToken = refusesToken
        self.pauseSeconds = pauseSeconds
        self.decodeError = decodeError
        self.decodeOwnFailure = decodeOwnFailure
    }
}

extension HTTPConventions.Authorization {
    /// The value of the `Authorization` field.
    func value(token: String) -> String {
        switch self {
        case .bearer: "Bearer \(token)"
        case .basic: "Basic \(Data(token.utf8).base64EncodedString())"
        }
    }
}
