package import SyncHTTPClient
import SyncWire

extension HTTPConventions {
    /// The conventions of servers with protocol v1.
    package static let syncServer = HTTPConventions(
        accept: "\(WireProtocol.mediaType), \(WireProtocol.problemMediaType)",
        answerTypes: [WireProtocol.mediaType, WireProtocol.problemMediaType]
    ) { response, retryAfter in
        var error = WireError(response)
        error?.retryAfterSeconds = retryAfter.map { Int(min($0.rounded(.up), 1e9)) }
        return error
    }
}
