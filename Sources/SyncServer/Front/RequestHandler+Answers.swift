import SyncCore
import SyncWire

// How answers and log entries look, whatever they are about.
extension RequestHandler {
    func pending(
        _ head: ServerRequest,
        _ route: Route,
        _ account: Account? = nil,
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
        let (problem, cause) = WireProblem.of(error)
        var response = Self.page(problem.body, WireProtocol.problemMediaType, status: problem.code.status)
        if problem.code == .unauthorized { response.headers.append(HTTPHeader("WWW-Authenticate", "Bearer")) }
        if problem.code == .methodNotAllowed {
            let methods = request.route.methods ?? ["GET", "POST", "DELETE"]
            response.headers.append(HTTPHeader("Allow", methods.joined(separator: ", ")))
        }
        let isAWait = problem.code == .tooManyRequests || problem.code == .unavailable
        if let seconds = problem.retryAfterSeconds ?? (isAWait ? 1 : nil) {
            response.headers.append(HTTPHeader("Retry-After", "\(max(1, seconds))"))
        }
        response.headers += commonHeaders(request)
        var log = entry(request, status: response.status, bytesIn: bytesIn, bytesOut: response.body.count)
        log.problem = problem.code.rawValue
        log.cause = cause
        return (response, counted(log))
    }

    func finish(
        _ response: HTTPResponse,
        _ request: AdmittedRequest,
        bytesIn: Int
    ) -> (ServerAnswer, RequestLog) {
        var response = response
        response.headers += commonHeaders(request).filter { response.header($0.name) == nil }
        let log = entry(request, status: response.status, bytesIn: bytesIn, bytesOut: response.body.count)
        return (.response(response), counted(log))
    }

    func commonHeaders(_ request: AdmittedRequest) -> [HTTPHeader] {
        var headers = [
            HTTPHeader("X-Content-Type-Options", "nosniff"), HTTPHeader("X-Request-Id", request.requestID),
        ]
        if request.route.isOfProtocol { headers.append(HTTPHeader("Cache-Control", "no-store")) }
        return headers
    }

    func entry(_ request: AdmittedRequest, status: Int, bytesIn: Int, bytesOut: Int) -> RequestLog {
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

    func counted(_ log: RequestLog) -> RequestLog {
        metrics.count(log)
        return log
    }
}
