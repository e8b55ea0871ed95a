package import SyncCore

extension HTTPRequest {
    package var token: String? { headers.first { $0.name == "Authorization" }?.value }
}

extension HTTPResponse {
    package static func json(text: String = "{}", _ headers: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8")] + headers,
            body: Array(text.utf8)
        )
    }

    package static func page(status: Int, headers: [HTTPHeader] = []) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [HTTPHeader(name: "Content-Type", value: "text/html")] + headers,
            body: Array("<html>Please sign in</html>".utf8)
        )
    }

    package static let events = HTTPResponse(
        status: 200,
        headers: [HTTPHeader(name: "Content-Type", value: "text/event-stream")]
    )
}
