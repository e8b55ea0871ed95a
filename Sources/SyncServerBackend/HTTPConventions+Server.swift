import SyncCore
package import SyncHTTPClient
import SyncWire

extension HTTPConventions {
    /// The conventions of servers with protocol v1.
    package static let syncServer = HTTPConventions(
        accept: "\(WireProtocol.mediaType), \(WireProtocol.problemMediaType)",
        answerTypes: [WireProtocol.mediaType, WireProtocol.problemMediaType],
        decodeError: { response, retryAfter in
            // The server tells a token that has expired apart from one that it does not know (RFC 6750).
            if response.status == 401, WireError.mayBe(in: response),
                response.header("WWW-Authenticate")?.contains("has expired") == true
            {
                return SyncError.expiredToken()
            }
            if response.status == 404, !WireError.mayBe(in: response) { return SyncError.nothingThere() }
            return wireError(response, retryAfter: retryAfter)
        },
        // A 401 of a portal or a proxy says nothing about the token.
        refusesToken: { $0.status == 401 && WireError.mayBe(in: $0) },
        decodeOwnFailure: { response, retryAfter in
            let error = wireError(response, retryAfter: retryAfter)
            return error.flatMap { $0.storage == nil ? nil : SyncError($0) }
        }
    )

    private static func wireError(_ response: HTTPResponse, retryAfter: Double?) -> WireError? {
        var error = WireError(response)
        error?.retryAfterSeconds = retryAfter.map { Int(min($0.rounded(.up), 1e9)) }
        return error
    }
}
