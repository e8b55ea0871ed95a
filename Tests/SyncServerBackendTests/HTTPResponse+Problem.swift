import SyncCore
import SyncWire

extension HTTPResponse {
    /// The answer by which a server refuses a request.
    static func problem(problem: WireError, headers: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(
            status: problem.code.status,
            headers: [HTTPHeader(name: "Content-Type", value: "application/problem+json")] + headers,
            body: problem.body
        )
    }
}
