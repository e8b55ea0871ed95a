import Foundation
package import SyncCore

/// What a client has to know of the servers that it speaks to. A backend gives it once; everything else that the client
/// does is the same for every server.
package struct HTTPConventions: Sendable {
    /// How a token is sent.
    package enum Authorization: Sendable, Hashable {
        /// `Authorization: Bearer TOKEN`.
        case bearer
        /// `Authorization: Basic …`, for a token that is spelled `user:password`.
        case basic
    }

    /// The error that a status 4xx stands for; nil where the protocol gives it no meaning, which `SyncError` then says.
    package typealias Refusal = @Sendable (_ response: HTTPResponse, _ retryAfter: Double?) -> (any Error)?

    /// What requests accept, unless a call names something else.
    package var accept: String
    /// The media types that the servers themselves answer with. An answer of another type came from something in between,
    /// such as a proxy, whose clock tells nothing of the server's.
    package var answerTypes: Set<String>
    /// Fields that each request carries beside its own, such as an API key.
    package var headers: [HTTPHeader]
    /// How the token is sent.
    package var authorization: Authorization
    /// Reads the errors of the protocol.
    package var refusal: Refusal

    /// Makes conventions; without more, those of any server that answers with JSON and takes a bearer token.
    package init(
        accept: String = "application/json",
        answerTypes: Set<String> = ["application/json"],
        headers: [HTTPHeader] = [],
        authorization: Authorization = .bearer,
        refusal: @escaping Refusal = { _, _ in nil }
    ) {
        self.accept = accept
        self.answerTypes = answerTypes
        self.headers = headers
        self.authorization = authorization
        self.refusal = refusal
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
