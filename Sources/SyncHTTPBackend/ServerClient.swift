package import SyncCore
import SyncWire

/// Sends requests of the protocol to one server until there is an answer that is one, or no hope.
///
/// Everything between a session and the network is here: token, retries, breaker, and the judgement of what came back.
package final class ServerClient: Sendable {
    /// Where the server is. Every request, and so the token, goes to this origin only.
    package let base: ServerURL
    /// Who gives the token.
    package let tokens: TokenStore
    let transport: any HTTPTransport
    let policy: RetryPolicy
    let breakers: SharedCircuitBreaker
    let clock: any SyncClock
    let random: any RandomSource
    let sleeper: any SyncSleeper
    let onRetry: RetryNotice?
    let tally = Tally()

    /// Tells of a wait: the number of the attempt that failed (from 1), seconds until the next, and why.
    package typealias RetryNotice =
        @Sendable (_ attempt: Int, _ delaySeconds: Double, _ cause: RetryCause) -> Void
    /// Turns an answer with status 200 and a JSON body into a value.
    package typealias Read<Value> = @Sendable (HTTPResponse) throws -> Value

    /// Makes a client. Clients of one account share `tokens`; clients of one app share `breakers`.
    package init(
        base: ServerURL,
        transport: any HTTPTransport,
        tokens: TokenStore,
        policy: RetryPolicy = RetryPolicy(),
        breakers: SharedCircuitBreaker,
        clock: any SyncClock,
        random: any RandomSource,
        sleeper: any SyncSleeper,
        onRetry: RetryNotice? = nil
    ) {
        self.base = base
        self.transport = transport
        self.tokens = tokens
        self.policy = policy
        self.breakers = breakers
        self.clock = clock
        self.random = random
        self.sleeper = sleeper
        self.onRetry = onRetry
    }

    /// HTTP requests sent so far, repeats and streams included.
    package var requests: Int { tally.requests }

    /// This machine's clock minus the server's, in seconds; nil before the first answer. From the `Date` field, and so
    /// exact to a second, until `noteServerTime` says better.
    package var skewSeconds: Double? { tally.skew }

    /// When the server is to be asked again at the earliest: it said so in its last answer, or failed so often that it
    /// is left alone. Nil when nothing of that holds.
    package var notBefore: Timestamp? {
        var times = [tally.notBefore].compactMap { $0 }
        if case .open(let until) = breakers.state(of: base) { times.append(until) }
        return times.max()
    }

    /// Notes the server's time as the body of an answer that came just now says it.
    package func noteServerTime(_ time: Timestamp) {
        tally.note(skew: skew(from: time), isExact: true)
    }

    /// Sends a JSON body to a path of the protocol and reads the answer.
    ///
    /// `read` is called for status 200 with a JSON body. What it throws means that something else than a sync server
    /// answered, which is tried again; only `SyncError`, `WireProblem` and `CancellationError` pass through.
    /// `attempts` overrides the policy's, for a caller that halves its batch instead of insisting.
    ///
    /// Throws `WireProblem` for a refusal (4xx), `SyncError` `unreachable` when no attempt gave a usable answer and
    /// `notPermitted` when the token is refused, and `CancellationError`.
    package func post<Value: Sendable>(
        path: String,
        body: [UInt8],
        maxResponseBytes: Int,
        timeoutSeconds: Double,
        attempts: Int? = nil,
        read: @escaping Read<Value>
    ) async throws -> Value {
        var request = request(
            "POST",
            path: path,
            maxResponseBytes: maxResponseBytes,
            timeoutSeconds: timeoutSeconds
        )
        request.headers.append(HTTPHeader(name: "Content-Type", value: WireProtocol.mediaType))
        request.body = body
        return try await perform(request, attempts: attempts ?? policy.attempts) {
            try self.value(of: $0, read: read)
        }
    }

    /// Asks for a path and reads the answer; see `post`.
    package func get<Value: Sendable>(
        _ path: String,
        maxResponseBytes: Int,
        timeoutSeconds: Double,
        read: @escaping Read<Value>
    ) async throws -> Value {
        let request = request(
            "GET",
            path: path,
            maxResponseBytes: maxResponseBytes,
            timeoutSeconds: timeoutSeconds
        )
        return try await perform(request, attempts: policy.attempts) { try self.value(of: $0, read: read) }
    }

    /// Deletes what is under a path; any success (200, 202, 204) will do. Throws as `post` does.
    package func delete(_ path: String, timeoutSeconds: Double) async throws {
        try await perform(
            request("DELETE", path: path, maxResponseBytes: 1 << 16, timeoutSeconds: timeoutSeconds),
            attempts: policy.attempts
        ) { response in
            guard [200, 202, 204].contains(response.status) else { throw ForeignAnswer() }
        }
    }

    func request(
        _ method: String,
        path: String,
        maxResponseBytes: Int,
        timeoutSeconds: Double
    ) -> HTTPRequest {
        HTTPRequest(
            method: method,
            url: base.url(path: path),
            headers: [
                HTTPHeader(
                    name: "Accept",
                    value: "\(WireProtocol.mediaType), \(WireProtocol.problemMediaType)"
                ),
                HTTPHeader(name: "User-Agent", value: "EntitySync"),
            ],
            maxResponseBytes: maxResponseBytes,
            timeoutSeconds: timeoutSeconds
        )
    }

    private func value<Value>(of response: HTTPResponse, read: Read<Value>) throws -> Value {
        guard response.status == 200, response.mediaType == WireProtocol.mediaType else {
            throw ForeignAnswer()
        }
        return try read(response)
    }
}

extension ServerClient {
    /// Sends a request until there is a verdict on it or attempts are used up.
    func perform<Value>(
        _ request: HTTPRequest,
        attempts: Int,
        read: Read<Value>
    ) async throws -> Value {
        var policy = policy
        policy.attempts = attempts
        var attempt = 1
        var lastCause: RetryCause?
        while true {
            let now = clock.now()
            if let until = breakers.refusal(server: base, now: now) {
                // What happened to this very request says more than the breaker that it opened.
                throw lastCause.map { .noAnswer(cause: $0, attempts: attempt - 1) }
                    ?? SyncError.breakerIsOpen(until: until, now: now)
            }
            switch try await ask(request, read: read) {
            case .value(let value): return value
            case .again(let cause, let retryAfter):
                if let retryAfter { tally.note(notBefore: until(seconds: retryAfter)) }
                let step = policy.step(
                    after: attempt,
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

    /// One attempt, and what it tells of the host. The breaker permitted it.
    private func ask<Value>(_ request: HTTPRequest, read: Read<Value>) async throws -> ResponseClassification<
        Value
    > {
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
        tally.note(notBefore: nil)
        noteDate(of: response)
        return try ResponseClassification(response: response, now: clock.now(), read: read)
    }

    /// Sends with the token. A refused one is replaced once for all requests that it was refused to, and the request is
    /// sent once more.
    func authorized<Answer>(
        request: HTTPRequest,
        status: (Answer) -> Int,
        send: (HTTPRequest) async throws -> Answer
    ) async throws -> Answer {
        let token = try await tokens.token()
        tally.countRequest()
        let first = try await send(request.bearing(token: token))
        guard status(first) == 401 else { return first }
        let other = try await tokens.replacement(for: token)
        tally.countRequest()
        let second = try await send(request.bearing(token: other))
        guard status(second) == 401 else { return second }
        await tokens.pause(other)
        throw SyncError.tokenRefused()
    }

    func record(_ outcome: CircuitBreaker.Outcome) {
        breakers.record(outcome, server: base, now: clock.now(), fraction: random.fraction())
    }

    /// Takes the server's time from an answer that looks like one of the protocol; a proxy's clock tells nothing.
    private func noteDate(of response: HTTPResponse) {
        guard [WireProtocol.mediaType, WireProtocol.problemMediaType].contains(response.mediaType),
            let date = response.header("Date").flatMap({ HTTPDate.parse($0, now: clock.now()) })
        else { return }
        tally.note(skew: skew(from: date), isExact: false)
    }

    /// The instant that is so many seconds away. A server may name any number.
    private func until(seconds: Double) -> Timestamp {
        Timestamp(microseconds: clock.now().microseconds + Int64(min(seconds, 1e9) * 1_000_000))
    }

    private func skew(from time: Timestamp) -> Double {
        Double(clock.now().microseconds - time.microseconds) / 1_000_000
    }
}

extension HTTPRequest {
    /// The request with the token of its account.
    fileprivate func bearing(token: String) -> HTTPRequest {
        var request = self
        request.headers.append(HTTPHeader(name: "Authorization", value: "Bearer \(token)"))
        return request
    }
}
