import SyncCore
import SyncWire

extension HTTPResponse {
    /// The answer by which a server refuses a request.
    static func error(_ error: WireError, headers: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(
            status: error.code.status,
            headers: [HTTPHeader(name: "Content-Type", value: "application/problem+json")] + headers,
            body: error.body
        )
    }
}
