import Foundation
public import SyncCore
public import SyncWire

/// The entry point for requests: routes, authentication, rate limits, size limits and error answers.
/// Independent of connections.
///
/// Methods that are not `async` may block on the accounts database. A host calls them where blocking is
/// allowed.
///
/// A host that reads bodies itself calls `admit` with the head first, and then `answer(_:body:)` or `refuse`.
/// So no client without a token can make the server hold a body.
public final class RequestHandler: @unchecked Sendable {
    /// The server's counters.
    public let metrics: ServerMetrics
    /// The size limits.
    public let limits: WireLimits

    private let authenticator: any Authenticator
    private let accounts: any AccountHandler
    let clock: any SyncClock
    let random: any RandomSource
    private let openAPI: [UInt8]
    private let storageFailure: @Sendable () async -> StorageFailure?
    private let admin: AdminAccess?
    let activity: ServerActivity
    private let requestBuckets: TokenBuckets
    private let failureBuckets: TokenBuckets
    private let newLoginBuckets: TokenBuckets
    private let lock = NSLock()
    // Guarded by `lock`.
    private var draining = false

    /// Makes a request handler.
    ///
    /// - Parameters:
    ///   - authenticator: Finds the account of a token.
    ///   - accounts: Answers the requests under `/v1`.
    ///   - clock: Measures rates and durations.
    ///   - random: Generates request ids.
    ///   - limits: Only `requestBytes` is checked here.
    ///   - rates: The rate limits.
    ///   - metrics: The counters to update.
    ///   - openAPI: The document served at `/v1/openapi.json`.
    ///   - activity: Remembers slow requests; nil makes its own.
    ///   - admin: Who may see the operator's page; nil if there is none.
    ///   - storageFailure: Why nothing can be stored at present; nil if it can.
    public init(
        authenticator: any Authenticator,
        accounts: any AccountHandler,
        clock: any SyncClock,
        random: any RandomSource,
        limits: WireLimits = WireLimits(),
        rates: RatePolicy = RatePolicy(),
        metrics: ServerMetrics = ServerMetrics(),
        openAPI: [UInt8],
        activity: ServerActivity? = nil,
        admin: AdminAccess? = nil,
        storageFailure: @escaping @Sendable () async -> StorageFailure? = { nil }
    ) {
        self.authenticator = authenticator
        self.accounts = accounts
        self.clock = clock
        self.random = random
        self.limits = limits
        self.metrics = metrics
        self.openAPI = openAPI
        self.storageFailure = storageFailure
        self.admin = admin
        self.activity = activity ?? ServerActivity(clock: clock)
        requestBuckets = TokenBuckets(
            perSecond: rates.requestsPerSecond,
            burst: rates.requestBurst,
            maxCount: rates.maxBuckets
        )
        failureBuckets = TokenBuckets(
            perSecond: rates.failuresPerSecond,
            burst: rates.failureBurst,
            maxCount: rates.maxBuckets
        )
        newLoginBuckets = TokenBuckets(
            perSecond: rates.newLoginsPerSecond,
            burst: rates.newLoginBurst,
            maxCount: rates.maxBuckets
        )
    }

    /// Makes `/health` and `/ready` report that the server is stopping, so that load balancers send no new clients.
    public func drain() { lock.withLock { draining = true } }

    /// Whether `drain` was called.
    public var isDraining: Bool { lock.withLock { draining } }

    /// Answers a whole request. Never throws: an error is an answer.
    public func answer(_ request: ServerRequest) async -> (ServerAnswer, RequestLog) {
        await prepare(request)
        switch admit(request, declaredBytes: request.body.count) {
        case .refused(let response, let log): return (.response(response), log)
        case .admitted(let admitted): return await answer(admitted, body: request.body)
        }
    }

    /// Waits for what `admit` needs for this request and is not there yet, for example the keys of a login.
    public func prepare(_ head: ServerRequest) async {
        guard Route(path: head.path).needsAccount, let token = bearerToken(head: head) else { return }
        await authenticator.prepare(token: token)
    }

    /// Accepts or refuses a request by its head.
    ///
    /// - Parameters:
    ///   - head: The request; its body is ignored.
    ///   - declaredBytes: The length of the body: 0 if there is none, nil if it is unknown.
    public func admit(_ head: ServerRequest, declaredBytes: Int?) -> Admission {
        let route = Route(path: head.path)
        var request = pending(head: head, route: route)
        do {
            if route.needsAccount {
                let account = try authenticate(head: head)
                request = pending(head: head, route: route, account: account, like: request)
                if let seconds = requestBuckets.take(account.id, at: clock.now()) {
                    metrics.countLimited(.account)
                    throw WireError.wait(seconds)
                }
            }
            if route == .admin { try admit(operator: head) }
            try checkPath(head, route: route)
            if head.method != "OPTIONS" { try checkBody(head, route: route, declaredBytes: declaredBytes) }
            return .admitted(request)
        } catch {
            let (response, log) = refuse(request, for: error, bytesIn: 0)
            return .refused(response, log)
        }
    }

    /// Answers a request that was admitted. Never throws: an error is an answer.
    public func answer(_ request: AdmittedRequest, body: [UInt8]) async -> (ServerAnswer, RequestLog) {
        do {
            guard body.count <= limits.requestBytes else { throw WireError.bodyTooLarge(limits: limits) }
            var cause: String?
            switch try await rawAnswer(request: request, body: body, cause: &cause) {
            case .events(let topic):
                let log = entry(request: request, status: 200, bytesIn: body.count, bytesOut: 0)
                return (.events(topic: topic), log)
            case .response(let response):
                return finish(response, request: request, bytesIn: body.count, cause: cause)
            }
        } catch {
            let (response, log) = refuse(request, for: error, bytesIn: body.count)
            return (.response(response), log)
        }
    }

    /// Answers an admitted request with an error, for example because its body was too slow.
    public func refuse(
        _ request: AdmittedRequest,
        error: WireError,
        bytesIn: Int = 0
    ) -> (HTTPResponse, RequestLog) {
        refuse(request, for: error, bytesIn: bytesIn)
    }

    /// The header fields of an event stream.
    public func streamHeaders(request: AdmittedRequest) -> [HTTPHeader] {
        // A reverse proxy that collects answers would hold events back (nginx reads this field).
        [
            HTTPHeader(name: "Content-Type", value: WireProtocol.eventsMediaType),
            HTTPHeader(name: "X-Accel-Buffering", value: "no"),
        ] + commonHeaders(request: request)
    }

    /// Whether the token of an admitted request is still valid for its account.
    public func isStillAdmitted(_ request: AdmittedRequest) -> Bool {
        guard let account = request.account, let token = bearerToken(head: request.head) else {
            return true
        }
        do {
            // A login whose account is gone gets no new one by an open stream.
            let found = try authenticator.authenticate(token: token) { throw WireError.badToken }
            return found?.id == account.id
        } catch let error as WireError where error.code == .unauthorized || error.code == .forbidden {
            return false
        } catch {
            // If the accounts cannot be read now, the request stays admitted.
            return true
        }
    }

    /// The log entry of a stream that ended.
    public func endOfStream(_ request: AdmittedRequest, bytesOut: Int) -> RequestLog {
        // A stream lasts as long as it is wanted, so it is never a slow request.
        let log = entry(request: request, status: 200, bytesIn: 0, bytesOut: bytesOut)
        metrics.count(log)
        return log
    }
}

extension RequestHandler {
    /// The account of the bearer token. A failure counts against the peer, and so does a login without an account. A
    /// valid token of an account that is there is always accepted, whatever other clients behind the same address did.
    private func authenticate(head: ServerRequest) throws -> Account {
        let token = bearerToken(head: head)
        do {
            if let token,
                let account = try authenticator.authenticate(
                    token: token,
                    admitNew: { try countNewLogin(of: head) }
                )
            {
                return account
            }
        } catch let error as WireError where error.code == .forbidden {
            try countFailure(of: head)
            throw error
        }
        try countFailure(of: head)
        throw token == nil ? WireError.noToken : WireError.badToken
    }

    /// Counts a failure against the peer. Throws `WireError` if it has to wait.
    private func countFailure(of head: ServerRequest) throws {
        try take(from: failureBuckets, peer: head.peer)
    }

    /// Counts a login without an account against the peer. Throws `WireError` if it has to wait.
    private func countNewLogin(of head: ServerRequest) throws {
        try take(from: newLoginBuckets, peer: head.peer)
    }

    private func take(from buckets: TokenBuckets, peer: String) throws {
        guard let seconds = buckets.take(peer, at: clock.now()) else { return }
        metrics.countLimited(.authentication)
        throw WireError.wait(seconds)
    }

    /// The token of the only `Authorization: Bearer ...` field (RFC 6750, section 2.1).
    private func bearerToken(head: ServerRequest) -> String? {
        let fields = head.headers(named: "authorization")
        guard fields.count == 1 else { return nil }
        let parts = fields[0].split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer",
            parts[1].utf8.count <= authenticator.maxTokenBytes
        else { return nil }
        return String(parts[1])
    }

    /// Checks the operator's token. A failure counts against the peer, and a peer with too many failures waits, so that
    /// nobody tries tokens without end. Without an operator's page, there is nothing under the path.
    private func admit(operator head: ServerRequest) throws {
        guard let admin else { throw WireError.noPath }
        let key = "admin " + head.peer
        if let seconds = failureBuckets.wait(key, at: clock.now()) {
            metrics.countLimited(.authentication)
            throw WireError.wait(seconds)
        }
        if admin.permits(head) { return }
        _ = failureBuckets.take(key, at: clock.now())
        throw WireError.notTheOperator
    }

    private func checkPath(_ head: ServerRequest, route: Route) throws {
        if route == .unknown || route == .unknownOfProtocol, head.path != "*" { throw WireError.noPath }
        if let methods = route.methods, head.method != "OPTIONS", !methods.contains(head.method) {
            throw WireError.noMethod(allowed: methods)
        }
    }

    private func checkBody(_ head: ServerRequest, route: Route, declaredBytes: Int?) throws {
        if head.path == "*" { throw WireError.noPath }
        if let declaredBytes, declaredBytes > limits.requestBytes {
            throw WireError.bodyTooLarge(limits: limits)
        }
        guard declaredBytes != 0, route.needsAccount else { return }
        let encodings = head.headers(named: "content-encoding")
        guard encodings.allSatisfy({ $0.lowercased() == "identity" }) else { throw WireError.encodedBody }
        guard head.method == "POST" || head.method == "PUT" else { return }
        let types = head.headers(named: "content-type")
        let type = types.first?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
        guard types.count == 1, type == WireProtocol.mediaType else { throw WireError.otherMedia }
    }

    /// The answer to a request.
    ///
    /// - Parameter cause: Set to the reason of a failed probe, for the log.
    private func rawAnswer(
        request: AdmittedRequest,
        body: [UInt8],
        cause: inout String?
    ) async throws -> ServerAnswer {
        if request.head.method == "OPTIONS" {
            let methods = (request.route.methods ?? ["GET", "HEAD", "POST"]) + ["OPTIONS"]
            let allow = HTTPHeader(name: "Allow", value: methods.joined(separator: ", "))
            return .response(HTTPResponse(status: 204, headers: [allow]))
        }
        switch request.route {
        case .health:
            return .response(Self.state(isDraining ? "draining" : "ok"))
        case .ready:
            if isDraining {
                cause = "draining"
                return .response(Self.state("draining"))
            }
            guard let failure = await storageFailure() else { return .response(Self.state("ok")) }
            cause = failure.rawValue
            return .response(Self.state("storing-fails", reason: failure))
        case .admin:
            guard let admin else { throw WireError.noPath }
            return .response(Self.operatorPage(try await admin.page(isDraining)))
        case .metrics:
            return .response(
                Self.page(body: metrics.text().utf8, type: "text/plain; version=0.0.4; charset=utf-8")
            )
        case .openAPI: return .response(Self.page(body: openAPI, type: WireProtocol.mediaType))
        case .unknown, .unknownOfProtocol: throw WireError.noPath
        case .exchange, .events, .scratchExchange, .scratchEvents, .scratchPurge, .scratchRestart, .scratch:
            guard let account = request.account else { throw WireError.noToken }
            var whole = request.head
            whole.body = body
            return try await accounts.answer(whole, for: account)
        }
    }

    /// The answer to a probe.
    private static func state(_ state: String, reason: StorageFailure? = nil) -> HTTPResponse {
        let more = reason.map { #","reason":"\#($0.rawValue)""# } ?? ""
        let text = #"{"status":"\#(state)"\#(more)}"#
        return page(body: text.utf8, type: WireProtocol.mediaType, status: state == "ok" ? 200 : 503)
    }

    /// The operator's page, which no other site may frame.
    private static func operatorPage(_ html: [UInt8]) -> HTTPResponse {
        var response = page(body: html, type: "text/html; charset=utf-8")
        response.headers.append(HTTPHeader(name: "Content-Security-Policy", value: "frame-ancestors 'none'"))
        response.headers.append(HTTPHeader(name: "Referrer-Policy", value: "no-referrer"))
        return response
    }

    static func page(body: some Sequence<UInt8>, type: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [HTTPHeader(name: "Content-Type", value: type)],
            body: Array(body)
        )
    }
}
