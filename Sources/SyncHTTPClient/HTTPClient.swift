package import SyncCore

/// Sends requests to one server for one account, and retries them where that can help.
///
/// It does everything between a backend and the network: token and renewal, retries with jitter and
/// `Retry-After`, the host's circuit breaker, limits of time and size, event streams, and the classification
/// of answers. It knows no protocol. A backend describes its servers once (``HTTPConventions``), and then
/// sends one ``HTTPCall`` after another:
///
/// - A call is retried only if that can help. `isRepeatable` says whether it may run twice.
/// - `read` gets the answers with a status that the call names. If it throws anything but `SyncError` or
///   cancellation, the answer is treated as coming from something else, such as a captive portal.
/// - Any other 4xx status ends the call with the error that the conventions read from it.
/// - All clients of an account share its `TokenStore`, and all of an app share the circuit breakers. So a
///   refused token is renewed once, and a host that is down is left alone by all of them.
package final class HTTPClient: Sendable {
    /// The server's URL. Requests, and so the token, are sent to this origin only.
    package let base: ServerURL
    /// Provides the token.
    package let tokens: TokenStore
    /// The number of attempts and the delays between them.
    package let policy: RetryPolicy
    /// The wall clock.
    package let clock: any SyncClock
    let conventions: HTTPConventions
    let transport: any HTTPTransport
    let breakers: SharedCircuitBreaker
    let random: any RandomSource
    let sleeper: any SyncSleeper
    let onRetry: RetryNotice?
    let metrics = ClientMetrics()

    /// Called before a retry with the number of the failed attempt (from 1), the delay in seconds, and what failed.
    package typealias RetryNotice =
        @Sendable (_ attempt: Int, _ delaySeconds: Double, _ setback: Setback) -> Void
    /// Decodes an answer whose status the call names.
    package typealias Read<Value> = @Sendable (HTTPResponse) throws -> Value

    /// Makes a client. Clients of one account share `tokens`; those of one app share the environment's
    /// circuit breakers.
    package init(
        url: ServerURL,
        tokens: TokenStore,
        conventions: HTTPConventions,
        policy: RetryPolicy = RetryPolicy(),
        environment: HTTPEnvironment,
        onRetry: RetryNotice? = nil
    ) {
        base = url
        self.tokens = tokens
        self.conventions = conventions
        self.policy = policy
        self.onRetry = onRetry
        transport = environment.transport
        breakers = environment.breakers
        clock = environment.clock
        random = environment.random
        sleeper = environment.sleeper
    }

    /// Makes the only client of an account. `onRetry` is called before each retry, with the cause as text.
    package convenience init(
        url: ServerURL,
        credentials: any CredentialSource,
        conventions: HTTPConventions,
        environment: HTTPEnvironment,
        onRetry: @escaping @Sendable (HTTPRetry) -> Void = { _ in }
    ) {
        self.init(
            url: url,
            tokens: TokenStore(credentials),
            conventions: conventions,
            environment: environment
        ) { attempt, seconds, setback in
            onRetry(HTTPRetry(attempt: attempt, delaySeconds: seconds, cause: setback.sentence))
        }
    }

    /// The number of HTTP requests sent, including retries and streams.
    package var requests: Int { metrics.requests }

    /// The difference between this machine's clock and the server's, in seconds; nil before the first answer.
    /// It comes from the `Date` field, in whole seconds, until `noteServerTime` provides an exact value.
    package var skewSeconds: Double? { metrics.skew }

    /// The earliest time of the next request: as the server asked for, or the end of an open circuit breaker.
    /// Nil if there is no restriction.
    package var notBefore: Timestamp? {
        var times = [metrics.notBefore].compactMap { $0 }
        if case .open(let until) = breakers.state(of: base) { times.append(until) }
        return times.max()
    }

    /// Records the server's time from the body of an answer that has just arrived.
    package func noteServerTime(_ time: Timestamp) {
        metrics.note(skew: skew(from: time), isExact: true)
    }

    /// Sends a request and decodes the answer, with retries.
    ///
    /// Throws the error of the conventions for a 4xx answer, `SyncError` `unreachable` if no attempt gave a
    /// usable answer, `SyncError` `notPermitted` if the token is refused, errors of `read`, and
    /// `CancellationError`.
    package func send<Value>(_ call: HTTPCall, read: Read<Value>) async throws -> Value {
        let request = request(for: call)
        var policy = policy
        policy.attempts = call.attempts ?? policy.attempts
        var attempt = 1
        var lastError: SyncError?
        var waited = 0.0
        while true {
            let now = clock.now()
            if let until = breakers.blockedUntil(server: base, now: now) {
                // This request's own failure says more than the open breaker that it caused.
                throw lastError ?? SyncError.breakerIsOpen(until: until, now: now)
            }
            switch try await attempted(request, for: call, read: read) {
            case .success(let value): return value
            case .failure(let setback):
                if let asked = setback.retryAfterSeconds { metrics.note(notBefore: until(seconds: asked)) }
                let wait = setback.callWait(
                    after: attempt,
                    waited: waited,
                    isRepeatable: call.isRepeatable,
                    policy: policy,
                    fraction: random.fraction()
                )
                guard let wait else { throw SyncError.givenUp(setback, attempts: attempt, policy: policy) }
                onRetry?(attempt, wait, setback)
                try await sleeper.sleep(seconds: wait)
                waited += wait
                // What the server asked for is over now.
                let past = Setback(setback.cause, own: setback.error)
                lastError = SyncError.givenUp(past, attempts: attempt, policy: policy)
                attempt += 1
            }
        }
    }

    /// Opens a stream with the token, in one attempt. The head must arrive within the call's `timeoutSeconds`
    /// and may have any status. The body is not limited in size or time.
    ///
    /// Throws `TransportError`, `SyncError` `notPermitted` if the token is refused, and `CancellationError`.
    package func stream(_ call: HTTPCall) async throws -> HTTPStream {
        var request = request(for: call)
        request.maxResponseBytes = .max
        return try await authorized(request: request, head: \.head, send: transport.stream)
    }
}

extension HTTPClient {
    /// Makes one attempt, which the breaker has permitted: a value, or no usable answer. Throws the error of the
    /// conventions for a refusal.
    private func attempted<Value>(
        _ request: HTTPRequest,
        for call: HTTPCall,
        read: Read<Value>
    ) async throws -> Result<Value, Setback> {
        let response: HTTPResponse
        do {
            response = try await authorized(request: request, head: \.self, send: transport.send)
        } catch let failure as TransportError {
            let setback = Setback(.transport(failure))
            record(setback)
            try Task.checkCancellation()
            return .failure(setback)
        } catch {
            record(Setback(error))
            throw error
        }
        let asked = response.retryAfterSeconds(now: clock.now()) ?? conventions.pauseSeconds(response)
        let isServers = conventions.answerTypes.contains(response.mediaType)
        let setback = Setback(status: response.status, isServers: isServers, retryAfterSeconds: asked)
        let isNamed = call.answers.contains(response.status)
        record(isNamed ? nil : setback)
        metrics.note(notBefore: nil)
        noteDate(of: response)
        if isNamed { return try reading(response, read: read) }
        if case .status = setback.cause {
            let own = conventions.decodeOwnFailure(response, asked)
            return .failure(Setback(setback.cause, retryAfterSeconds: asked, own: own))
        }
        let mayRefuse = (400..<500).contains(response.status) || response.status == 511
        if mayRefuse, let error = conventions.decodeError(response, asked) { throw error }
        return .failure(setback)
    }

    /// Decodes an answer that the call asked for. One that cannot be read did not come from the server.
    private func reading<Value>(_ response: HTTPResponse, read: Read<Value>) throws -> Result<Value, Setback>
    {
        do {
            return .success(try read(response))
        } catch let error where error is SyncError || error is CancellationError {
            throw error
        } catch {
            return .failure(Setback(.foreign(response.status)))
        }
    }

    /// Sends a request with the token. If the token is refused, it is renewed once for all waiting requests
    /// and the request is sent again.
    private func authorized<Answer>(
        request: HTTPRequest,
        head: (Answer) -> HTTPResponse,
        send: (HTTPRequest) async throws -> Answer
    ) async throws -> Answer {
        let token = try await tokens.token()
        metrics.countRequest()
        let first = try await send(authorize(request, token: token))
        guard conventions.refusesToken(head(first)) else { return first }
        let other: String
        do { other = try await tokens.replacement(for: token) } catch let error as SyncError
            where error == SyncError.tokenRefused()
        {
            throw reason(of: head(first)) ?? error
        }
        metrics.countRequest()
        let second = try await send(authorize(request, token: other))
        guard conventions.refusesToken(head(second)) else { return second }
        await tokens.pause(other)
        throw reason(of: head(second)) ?? SyncError.tokenRefused()
    }

    /// What is wrong with a refused token; nil if the answer does not say it.
    private func reason(of refusal: HTTPResponse) -> SyncError? {
        conventions.decodeError(refusal, nil) as? SyncError
    }

    /// The HTTP request of a call, without token.
    private func request(for call: HTTPCall) -> HTTPRequest {
        let usual = [
            HTTPHeader(name: "Accept", value: conventions.accept),
            HTTPHeader(name: "User-Agent", value: "EntitySync"),
        ]
        let own = Set(call.headers.map { $0.name.lowercased() })
        let shared = (usual + conventions.headers).filter { !own.contains($0.name.lowercased()) }
        return HTTPRequest(
            method: call.method,
            url: base.url(path: call.path),
            headers: shared + call.headers,
            body: call.body,
            maxResponseBytes: call.maxResponseBytes,
            timeoutSeconds: call.timeoutSeconds
        )
    }

    private func authorize(_ request: HTTPRequest, token: String) -> HTTPRequest {
        var request = request
        let value = conventions.authorization.value(token: token)
        request.headers.append(HTTPHeader(name: "Authorization", value: value))
        return request
    }

    /// Records how a request ended in the circuit breaker; nil for an answer.
    func record(_ setback: Setback?) {
        breakers.record(setback, server: base, now: clock.now(), fraction: random.fraction())
    }

    /// Reads the server's time from its own answers only, because a proxy's clock says nothing about it.
    private func noteDate(of response: HTTPResponse) {
        guard conventions.answerTypes.contains(response.mediaType),
            let date = response.header("Date").flatMap({ HTTPDate.parse($0, now: clock.now()) })
        else { return }
        metrics.note(skew: skew(from: date), isExact: false)
    }

    /// The time that many seconds from now. The server's number may be arbitrarily large.
    private func until(seconds: Double) -> Timestamp {
        Timestamp(microseconds: clock.now().microseconds + Int64(min(seconds, 1e9) * 1_000_000))
    }

    private func skew(from time: Timestamp) -> Double {
        Double(clock.now().microseconds - time.microseconds) / 1_000_000
    }
}
