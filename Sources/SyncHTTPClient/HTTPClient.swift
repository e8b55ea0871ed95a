package import SyncCore

/// Sends requests to one server for one account until there is an answer, or no hope.
///
/// Everything between a backend and the network is here: the token and its renewal, retries with jitter and
/// `Retry-After`, the circuit breaker of the host, limits of time and size, streams, and the judgement of what came back.
/// The client knows no protocol. A backend tells it once how its servers speak (``HTTPConventions``), and then asks for one
/// ``HTTPCall`` after the other:
///
/// ```swift
/// let client = HTTPClient(
///     url: url,
///     credentials: credentials,
///     conventions: HTTPConventions(headers: [HTTPHeader(name: "apikey", value: key)]),
///     environment: environment
/// )
/// let call = HTTPCall(
///     "GET", path: "/records?limit=100", answers: [200, 304], maxResponseBytes: 1 << 20, timeoutSeconds: 25
/// )
/// let page = try await client.send(call) { response in try Page(response) }
/// ```
///
/// - A call is repeated where that may help, and not otherwise; `isRepeatable` says whether it may have been done already.
/// - `read` is given the answers whose status the call names. What it throws, except `SyncError` and cancellation, means
///   that something else than such a server answered, such as a network that asks to sign in first.
/// - Other answers with a status 4xx become the error that the conventions read from them. It ends the call.
/// - All clients of an account share its `TokenStore`, and all of an app share the breakers, so that a refused token is
///   renewed once and a host that is down is left alone by all.
package final class HTTPClient: Sendable {
    /// Where the server is. Every request, and so the token, goes to this origin only.
    package let base: ServerURL
    /// Gives the token.
    package let tokens: TokenStore
    /// How often requests are repeated, and after which waits.
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

    /// Is told of a wait: the number of the attempt that failed (from 1), seconds until the next, and why.
    package typealias RetryNotice =
        @Sendable (_ attempt: Int, _ delaySeconds: Double, _ cause: RetryCause) -> Void
    /// Turns an answer whose status the call names into a value.
    package typealias Read<Value> = @Sendable (HTTPResponse) throws -> Value

    /// Makes a client. Clients of one account share `tokens`; those of one app share the environment's breakers.
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

    /// Makes the one client of an account. `onRetry` is told of each wait, in words.
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
        ) { attempt, seconds, cause in
            onRetry(HTTPRetry(attempt: attempt, delaySeconds: seconds, cause: cause.sentence))
        }
    }

    /// HTTP requests sent so far, repeats and streams included.
    package var requests: Int { metrics.requests }

    /// This machine's clock minus the server's, in seconds; nil before the first answer. From the `Date` field, and so
    /// exact to a second, until `noteServerTime` says better.
    package var skewSeconds: Double? { metrics.skew }

    /// When the server is to be asked again at the earliest: it said so in its last answer, or failed so often that it
    /// is left alone. Nil when nothing of that holds.
    package var notBefore: Timestamp? {
        var times = [metrics.notBefore].compactMap { $0 }
        if case .open(let until) = breakers.state(of: base) { times.append(until) }
        return times.max()
    }

    /// Notes the server's time as the body of an answer that came just now says it.
    package func noteServerTime(_ time: Timestamp) {
        metrics.note(skew: skew(from: time), isExact: true)
    }

    /// Sends a request and reads the answer, as often as it takes and helps.
    ///
    /// Throws what the conventions read from a refusal (4xx), `SyncError` `unreachable` when no attempt gave a usable
    /// answer and `notPermitted` when the token is refused, what `read` throws of that, and `CancellationError`.
    package func send<Value>(_ call: HTTPCall, read: Read<Value>) async throws -> Value {
        let request = request(for: call)
        var policy = policy
        policy.attempts = call.attempts ?? policy.attempts
        var attempt = 1
        var lastCause: RetryCause?
        while true {
            let now = clock.now()
            if let until = breakers.refusal(server: base, now: now) {
                // What happened to this very request says more than the breaker that it opened.
                throw lastCause.map { .noAnswer(cause: $0, attempts: attempt - 1) }
                    ?? SyncError.breakerIsOpen(until: until, now: now)
            }
            switch try await classify(request, for: call, read: read) {
            case .value(let value): return value
            case .again(let cause, let retryAfter):
                if let retryAfter { metrics.note(notBefore: until(seconds: retryAfter)) }
                let mayRepeat = call.isRepeatable || !cause.mayHaveBeenDone
                let step = policy.step(
                    after: mayRepeat ? attempt : policy.attempts,
                    cause: cause,
                    retryAfter: retryAfter,
                    fraction: random.fraction()
                )
                switch step {
                case .giveUp:
                    throw SyncError.noAnswer(cause: cause, attempts: attempt, retryAfter: retryAfter)
                case .askedToWait(let seconds): throw SyncError.askedToWait(seconds: seconds, cause: cause)
                case .wait(let seconds):
                    onRetry?(attempt, seconds, cause)
                    try await sleeper.sleep(seconds: seconds)
                }
                lastCause = cause
                attempt += 1
            }
        }
    }

    /// Opens a stream with the token, in one attempt; its head must be there after the call's `timeoutSeconds`, and may
    /// have any status. The pieces are not limited in size or time.
    ///
    /// Throws `TransportError`, `SyncError` `notPermitted` when the token is refused, and `CancellationError`.
    package func stream(_ call: HTTPCall) async throws -> HTTPStream {
        var request = request(for: call)
        request.maxResponseBytes = .max
        return try await authorized(request: request, status: \.head.status, send: transport.stream)
    }
}

extension HTTPClient {
    /// One attempt, and what it tells of the host. The breaker permitted it.
    private func classify<Value>(
        _ request: HTTPRequest,
        for call: HTTPCall,
        read: Read<Value>
    ) async throws -> ResponseClassification<Value> {
        let response: HTTPResponse
        do {
            response = try await authorized(request: request, status: \.status, send: transport.send)
        } catch let failure as TransportError {
            record(failure == .unreachable || failure == .timedOut ? .failed : .unknown)
            try Task.checkCancellation()
            if let cause = RetryCause(failure) { return .again(cause, retryAfter: nil) }
            throw failure == .notSecure
                ? SyncError.notSecure() : SyncError.answerTooLarge(limit: request.maxResponseBytes)
        } catch {
            record(.unknown)
            throw error
        }
        record(response.status >= 500 ? .failed : .answered)
        metrics.note(notBefore: nil)
        noteDate(of: response)
        return try ResponseClassification(
            response: response,
            answers: call.answers,
            refusal: conventions.refusal,
            now: clock.now(),
            read: read
        )
    }

    /// Sends with the token. A refused one is replaced once for all requests that it was refused to, and the request is
    /// sent once more.
    private func authorized<Answer>(
        request: HTTPRequest,
        status: (Answer) -> Int,
        send: (HTTPRequest) async throws -> Answer
    ) async throws -> Answer {
        let token = try await tokens.token()
        metrics.countRequest()
        let first = try await send(authorize(request, token: token))
        guard status(first) == 401 else { return first }
        let other = try await tokens.replacement(for: token)
        metrics.countRequest()
        let second = try await send(authorize(request, token: other))
        guard status(second) == 401 else { return second }
        await tokens.pause(other)
        throw SyncError.tokenRefused()
    }

    /// The request of a call, without its token.
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

    /// Notes what became of a request to the host.
    func record(_ outcome: CircuitBreaker.Outcome) {
        breakers.record(outcome, server: base, now: clock.now(), fraction: random.fraction())
    }

    /// Takes the server's time from one of its own answers; a proxy's clock tells nothing.
    private func noteDate(of response: HTTPResponse) {
        guard conventions.answerTypes.contains(response.mediaType),
            let date = response.header("Date").flatMap({ HTTPDate.parse($0, now: clock.now()) })
        else { return }
        metrics.note(skew: skew(from: date), isExact: false)
    }

    /// The instant that is so many seconds away. A server may name any number.
    private func until(seconds: Double) -> Timestamp {
        Timestamp(microseconds: clock.now().microseconds + Int64(min(seconds, 1e9) * 1_000_000))
    }

    private func skew(from time: Timestamp) -> Double {
        Double(clock.now().microseconds - time.microseconds) / 1_000_000
    }
}
