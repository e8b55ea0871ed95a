import Foundation
public import SyncCore
public import SyncHTTPClient
public import SyncServer
public import SyncServerBackend
public import SyncWire

/// The real server without a network: a transport that hands each request to the request handler, and can lose, cut,
/// repeat or replace it on the way.
public final class LoopbackServer: HTTPTransport, @unchecked Sendable {
    /// Decides what happens to a request: its number from 1, and what it is. Nil lets it pass.
    public typealias FaultPlan = @Sendable (_ number: Int, _ request: HTTPRequest) -> LoopbackFault?

    /// The server's own clock.
    public let clock: ManualClock
    /// The URL by which clients name it.
    public static let url = "http://127.0.0.1:1"
    private let path: String
    /// Where the path leads; nil is the system.
    private let disk: SimulatedDisk?
    private let entities: [EntityDescriptor]
    private let limits: WireLimits
    private let random: SeededRandom
    private let hub = ChangeHub()
    private let lock = NSLock()
    // Guarded by `lock`.
    private var handler: ExchangeHandler?
    private var accounts: [String: Account] = [:]
    private var plan: FaultPlan?
    private var count = 0
    private var statuses: [Int] = []
    private var onTheWay: [(due: Int, request: HTTPRequest)] = []
    private var lastAnswer: HTTPResponse?

    /// A server on the folder at `path`, with no accounts yet; with a disk, its files lie there and nowhere else.
    public init(
        path: String,
        entities: [EntityDescriptor],
        limits: WireLimits = WireLimits(),
        seed: UInt64 = 1,
        disk: SimulatedDisk? = nil
    ) {
        self.path = path
        self.disk = disk
        self.entities = entities
        self.limits = limits
        clock = ManualClock()
        random = SeededRandom(seed)
    }

    /// Lets a token in no more.
    public func remove(token: String) {
        lock.withLock { accounts[token] = nil }
    }

    /// Lets a token in.
    public func add(_ account: Account, token: String) {
        lock.withLock { accounts[token] = account }
    }

    /// Faults from now on; requests are counted anew.
    public func setFaults(_ plan: FaultPlan?) {
        lock.withLock {
            self.plan = plan
            count = 0
            statuses = []
        }
    }

    /// Requests since the faults were set.
    public var requests: Int { lock.withLock { count } }

    /// Forgets everything that is not on the disk.
    public func restart() { lock.withLock { handler = nil } }

    /// Copies the data folder, as a backup does while the server is stopped.
    public func backUp(to copy: String) throws {
        restart()
        if let disk { return disk.restore(disk.snapshot(of: path), to: copy) }
        try FileManager.default.copyItem(atPath: path, toPath: copy)
    }

    /// Puts a backup in the place of the data folder.
    public func restore(from copy: String) throws {
        restart()
        if let disk { return disk.restore(disk.snapshot(of: copy), to: path) }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: copy, toPath: path)
    }

    /// Forgets tombstones that are older than so many days.
    public func purgeTombstones(olderThanDays days: Int) throws {
        _ = try running().purgeTombstones(account: nil, olderThanDays: days)
    }

    /// Carries a request, unless a fault is due.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fault = lock.withLock { () -> LoopbackFault? in
            count += 1
            return plan?(count, request)
        }
        let response = try carry(request, fault: fault)
        try deliverLate()
        return response
    }

    /// What was late arrives now, when it is due. Nobody waits for its answer any more.
    private func deliverLate() throws {
        let due = lock.withLock {
            let due = onTheWay.filter { $0.due <= count }
            onTheWay.removeAll { $0.due <= count }
            return due
        }
        for (_, request) in due { _ = try handled(request: request) }
    }

    private func carry(_ request: HTTPRequest, fault: LoopbackFault?) throws -> HTTPResponse {
        switch fault {
        case nil:
            let response = try answer(request)
            lock.withLock { lastAnswer = response }
            return response
        case .dropRequest?: throw TransportError.interrupted
        case .dropResponse?:
            _ = try answer(request)
            throw TransportError.interrupted
        case .unreachable?: throw TransportError.unreachable
        case .timeOut?: throw TransportError.timedOut
        case .answer(let response)?: return response
        case .repeated?:
            _ = try answer(request)
            return try answer(request)
        case .late(let others)?:
            lock.withLock { onTheWay.append((count + others, request)) }
            throw TransportError.timedOut
        case .answerBefore?:
            guard let last = lock.withLock({ lastAnswer }) else { throw TransportError.interrupted }
            return last
        case .truncated?:
            var response = try answer(request)
            response.body = Array(response.body.prefix(response.body.count / 2))
            return response
        }
    }

    /// Tells of changes, as the server's own stream does. Not counted as a request, and without faults.
    public func stream(_ request: HTTPRequest) async throws -> HTTPStream {
        guard let account = account(of: request) else {
            let problem = Self.problem(problem: .noToken)
            return HTTPStream(head: problem, pieces: AsyncThrowingStream { $0.finish() })
        }
        guard
            case .events(let topic)? = try? running().answer(
                incoming(request: request),
                for: account
            ),
            let changes = hub.subscribe(to: topic, account: account.id)
        else { throw TransportError.unreachable }
        let pieces = AsyncThrowingStream<[UInt8], any Error> { feed in
            let task = Task {
                for await number in changes {
                    feed.yield(Array("event: \(WireProtocol.changeEvent)\ndata: \(number)\n\n".utf8))
                }
                feed.finish()
            }
            feed.onTermination = { _ in task.cancel() }
        }
        let head = HTTPResponse(
            status: 200,
            headers: [HTTPHeader(name: "Content-Type", value: WireProtocol.eventsMediaType)]
        )
        return HTTPStream(head: head, pieces: pieces)
    }

    private func account(of request: HTTPRequest) -> Account? {
        let token =
            request.headers.first { $0.name == "Authorization" }?.value.dropFirst("Bearer ".count) ?? ""
        return lock.withLock { accounts[String(token)] }
    }

    private func incoming(request: HTTPRequest) -> ServerRequest {
        ServerRequest(
            method: request.method,
            path: String(request.url.dropFirst(Self.url.count)),
            headers: request.headers,
            body: request.body
        )
    }

    private func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        if disk?.isCrashed == true { throw TransportError.unreachable }
        let response = try handled(request: request)
        // A machine that went off meanwhile answers nobody.
        if disk?.isCrashed == true { throw TransportError.interrupted }
        return response
    }

    private func handled(request: HTTPRequest) throws -> HTTPResponse {
        guard let account = account(of: request) else { return Self.problem(problem: .noToken) }
        do {
            guard
                case .response(var response) = try running().answer(
                    incoming(request: request),
                    for: account
                )
            else {
                return HTTPResponse(status: 200)
            }
            response.headers.append(HTTPHeader(name: "Date", value: Self.date(time: clock.now())))
            return response
        } catch let problem as WireError {
            return Self.problem(problem: problem)
        }
    }

    private func running() throws -> ExchangeHandler {
        try lock.withLock {
            if let handler { return handler }
            let made = try ExchangeHandler(
                data: path,
                entities: entities,
                clock: clock,
                random: random,
                limits: limits,
                medium: disk,
                onChange: { [hub] in hub.publish($0) }
            )
            handler = made
            return made
        }
    }

    /// As HTTP writes an instant: `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(time: Timestamp) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: time.date)
    }

    private static func problem(problem: WireError) -> HTTPResponse {
        var response = HTTPResponse(
            status: problem.code.status,
            headers: [HTTPHeader(name: "Content-Type", value: WireProtocol.problemMediaType)],
            body: problem.body
        )
        if let seconds = problem.retryAfterSeconds {
            response.headers.append(HTTPHeader(name: "Retry-After", value: "\(max(1, seconds))"))
        }
        return response
    }
}

/// What may happen to a request on its way.
public enum LoopbackFault: Sendable {
    /// It never arrives.
    case dropRequest
    /// It arrives and is carried out, but its answer is lost.
    case dropResponse
    /// There is no connection.
    case unreachable
    /// Nothing comes in time.
    case timeOut
    /// Something else answers: a proxy, a captive portal.
    case answer(HTTPResponse)
    /// It arrives twice.
    case repeated
    /// It arrives after so many others, when nobody waits for its answer any more.
    case late(Int)
    /// It is lost, and the answer of the request before comes in the place of its own.
    case answerBefore
    /// Half of the answer is missing.
    case truncated
}

extension WireError {
    fileprivate static let noToken = WireError(code: .unauthorized, detail: "The token is not valid.")
}

extension LoopbackServer {
    /// A backend of an account for one device. No wait takes any time unless a sleeper is given; who reads `changes` needs
    /// one that waits.
    public func backend(
        token: String,
        clock: any SyncClock,
        random: any RandomSource,
        sleeper: any SyncSleeper = NoSleep(),
        limits: HTTPLimits = HTTPLimits()
    ) throws -> HTTPBackend {
        HTTPBackend(
            url: try ServerURL(Self.url),
            credentials: FixedToken(text: token),
            environment: HTTPEnvironment(
                clock: clock,
                random: random,
                sleeper: sleeper,
                transport: self,
                breakers: SharedCircuitBreaker(CircuitBreaker.Settings(failures: 1000))
            ),
            limits: limits
        )
    }
}

/// A token that never changes.
public struct FixedToken: CredentialSource {
    let text: String

    /// Always this token.
    public init(text: String) {
        self.text = text
    }

    /// The token.
    public func token() async throws -> String { text }

    /// There is no other.
    public func refresh(refused: String) async throws -> String? { nil }
}

/// Waits that are over at once.
public struct NoSleep: SyncSleeper {
    /// Waits that are over at once.
    public init() {}

    /// Returns at once.
    public func sleep(seconds: Double) async throws { try Task.checkCancellation() }
}
