import SyncCore
import SyncWire

// Builds answers and log entries.
extension RequestHandler {
    func pending(
        head: ServerRequest,
        route: Route,
        account: Account? = nil,
        like other: AdmittedRequest? = nil
    ) -> AdmittedRequest {
        var head = head
        head.body = []
        return AdmittedRequest(
            head: head,
            route: route,
            account: account,
            requestID: other?.requestID ?? DeviceID(bits: random.next()).description,
            began: other?.began ?? clock.now()
        )
    }

    func refuse(
        _ request: AdmittedRequest,
        for error: any Error,
        bytesIn: Int
    ) -> (HTTPResponse, RequestLog) {
        let (wireError, cause) = WireError.of(error: error)
        var response = Self.page(
            body: wireError.body,
            type: WireProtocol.problemMediaType,
            status: wireError.code.status
        )
        if wireError.code == .unauthorized {
            response.headers.append(
                HTTPHeader(name: "WWW-Authenticate", value: Self.challenge(for: wireError))
            )
        }
        if wireError.code == .methodNotAllowed {
            let methods = request.route.methods ?? ["GET", "POST", "DELETE"]
            response.headers.append(HTTPHeader(name: "Allow", value: methods.joined(separator: ", ")))
        }
        let isAWait = wireError.code == .tooManyRequests || wireError.code == .unavailable
        if let seconds = wireError.retryAfterSeconds ?? (isAWait ? 1 : nil) {
            response.headers.append(HTTPHeader(name: "Retry-After", value: "\(max(1, seconds))"))
        }
        response.headers += commonHeaders(request: request)
        var log = entry(
            request: request,
            status: response.status,
            bytesIn: bytesIn,
            bytesOut: response.body.count
        )
        log.errorCode = wireError.code.rawValue
        log.cause = cause
        return (response, counted(log: log))
    }

    /// What a refused client is told about its token (RFC 6750, section 3).
    private static func challenge(for error: WireError) -> String {
        if error == .notTheOperator { return "Basic realm=\"syncserver\", charset=\"UTF-8\"" }
        guard error == .expiredToken else { return "Bearer" }
        return "Bearer error=\"invalid_token\", error_description=\"\(error.detail)\""
    }

    func finish(
        _ response: HTTPResponse,
        request: AdmittedRequest,
        bytesIn: Int,
        cause: String? = nil
    ) -> (ServerAnswer, RequestLog) {
        var response = response
        response.headers += commonHeaders(request: request).filter { response.header($0.name) == nil }
        var log = entry(
            request: request,
            status: response.status,
            bytesIn: bytesIn,
            bytesOut: response.body.count
        )
        log.cause = cause
        return (.response(response), counted(log: log))
    }

    func commonHeaders(request: AdmittedRequest) -> [HTTPHeader] {
        var headers = [
            HTTPHeader(name: "X-Content-Type-Options", value: "nosniff"),
            HTTPHeader(name: "X-Request-Id", value: request.requestID),
        ]
        if request.route.isOfProtocol { headers.append(HTTPHeader(name: "Cache-Control", value: "no-store")) }
        return headers
    }

    func entry(request: AdmittedRequest, status: Int, bytesIn: Int, bytesOut: Int) -> RequestLog {
        let known = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"]
        let duration = clock.now().microseconds - request.began.microseconds
        return RequestLog(
            requestID: request.requestID,
            method: known.contains(request.head.method) ? request.head.method : "OTHER",
            route: request.route.template,
            status: status,
            durationMicroseconds: max(0, duration),
            bytesIn: bytesIn,
            bytesOut: bytesOut,
            account: request.account?.id
        )
    }

    func counted(log: RequestLog) -> RequestLog {
        metrics.count(log)
        activity.note(log)
        return log
    }
}
