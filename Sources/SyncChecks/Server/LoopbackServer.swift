import Foundation
public import SyncCore
public import SyncHTTPClient
public import SyncServer
public import SyncServerBackend
public import SyncWire

/// The real server without a network: a transport that hands each request to the server's front door, and can
/// lose, cut, repeat or replace it on the way.
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
    private let makeHandler: @Sendable (LoopbackServer) throws -> ExchangeHandler
    private let tokens = LoopbackTokens()
    private let entities: [EntityDescriptor]
    private let limits: WireLimits
    private let random: SeededRandom
    /// Names requests. A source of its own, so that what the logs draw does not depend on their number.
    private let requestIDs: SeededRandom
    private let hub = ChangeHub()
    private let lock = NSLock()
    // Guarded by `lock`.
    private var process: Process?
    private var plan: FaultPlan?
    private var count = 0
    private var onTheWay: [(due: Int, request: HTTPRequest)] = []
    private var lastAnswer: HTTPResponse?

    /// What is gone when the server stops.
    private struct Process {
        let handler: ExchangeHandler
        let door: RequestHandler
    }

    /// A server on the folder at `path`, with no accounts yet; with a disk, its files lie there and nowhere else.
    public convenience init(
        path: String,
        entities: [EntityDescriptor],
        limits: WireLimits = WireLimits(),
        seed: UInt64 = 1,
        disk: SimulatedDisk? = nil
    ) {
        self.init(path: path, entities: entities, limits: limits, seed: seed, disk: disk) { server in
            let policy = ExchangePolicy()
            let store = try SQLiteLogStore(
                data: path,
                clock: server.clock,
                random: server.random,
                maxOpenFiles: policy.maxOpenFiles,
                cacheMegabytes: policy.cacheMegabytes,
                medium: disk
            )
            return server.handler(store: store, planPath: disk == nil ? path + "/purge.json" : nil)
        }
    }

    /// A server that keeps its logs in a store.
    package convenience init(
        store: any LogStore,
        entities: [EntityDescriptor],
        limits: WireLimits = WireLimits(),
        seed: UInt64 = 1
    ) {
        self.init(path: "", entities: entities, limits: limits, seed: seed, disk: nil) { server in
            server.handler(store: store, planPath: nil)
        }
    }

    private init(
        path: String,
        entities: [EntityDescriptor],
        limits: WireLimits,
        seed: UInt64,
        disk: SimulatedDisk?,
        makeHandler: @escaping @Sendable (LoopbackServer) throws -> ExchangeHandler
    ) {
        self.path = path
        self.disk = disk
        self.makeHandler = makeHandler
        self.entities = entities
        self.limits = limits
        clock = ManualClock()
        random = SeededRandom(seed)
        requestIDs = SeededRandom(seed)
    }

    private func handler(store: any LogStore, planPath: String?) -> ExchangeHandler {
        ExchangeHandler(
            store: store,
            planPath: planPath,
            entities: entities,
            clock: clock,
            random: random,
            limits: limits,
            onChange: { [hub] in hub.publish($0) }
        )
    }

    /// Lets a token in no more.
    public func remove(token: String) { tokens.set(nil, for: token) }

    /// Lets a token in.
    public func add(_ account: Account, token: String) { tokens.set(account, for: token) }

    /// Faults from now on; requests are counted anew.
    public func setFaults(_ plan: FaultPlan?) {
        lock.withLock {
            self.plan = plan
            count = 0
        }
    }

    /// Requests since the faults were set.
    public var requests: Int { lock.withLock { count } }

    /// Forgets everything that is not on the disk.
    public func restart() { lock.withLock { process = nil } }

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
    public func purgeTombstones(olderThanDays days: Int) async throws {
        _ = try await running().handler.purgeTombstones(account: nil, olderThanDays: days)
    }

    /// Carries a request, unless a fault is due.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fault = lock.withLock { () -> LoopbackFault? in
            count += 1
            return plan?(count, request)
        }
        let response = try await carry(request, fault: fault)
        await deliverLate()
        return response
    }

    /// What was late arrives now, when it is due. Nobody waits for its answer any more.
    private func deliverLate() async {
        let due = lock.withLock {
            let due = onTheWay.filter { $0.due <= count }
            onTheWay.removeAll { $0.due <= count }
            return due
        }
        for (_, request) in due { _ = try? await handled(request: request) }
    }

    private func carry(_ request: HTTPRequest, fault: LoopbackFault?) async throws -> HTTPResponse {
        switch fault {
        case nil:
            let response = try await answer(request)
            lock.withLock { lastAnswer = response }
            return response
        case .dropRequest?: throw TransportError.interrupted
        case .dropResponse?:
            _ = try await answer(request)
            throw TransportError.interrupted
        case .unreachable?: throw TransportError.unreachable
        case .timeOut?: throw TransportError.timedOut
        case .answer(let response)?: return response
        case .repeated?:
            _ = try await answer(request)
            return try await answer(request)
        case .late(let others)?:
            lock.withLock { onTheWay.append((count + others, request)) }
            throw TransportError.timedOut
        case .answerBefore?:
            guard let last = lock.withLock({ lastAnswer }) else { throw TransportError.interrupted }
            return last
        case .truncated?:
            var response = try await answer(request)
            response.body = Array(response.body.prefix(response.body.count / 2))
            return response
        }
    }

    /// Tells of changes, as the server's own stream does. Not counted as a request, and without faults.
    public func stream(_ request: HTTPRequest) async throws -> HTTPStream {
        guard let door = try? running().door else { throw TransportError.unreachable }
        switch door.admit(incoming(request: request), declaredBytes: 0) {
        case .refused(let response, _): return Self.stream(whole: response)
        case .admitted(let admitted):
            switch await door.answer(admitted, body: []).0 {
            case .response(let response): return Self.stream(whole: response)
            case .events(let topic):
                guard let changes = hub.subscribe(to: topic, account: admitted.accountID ?? "") else {
                    throw TransportError.unreachable
                }
                return Self.stream(changes: changes, headers: door.streamHeaders(request: admitted))
            }
        }
    }

    /// An answer that is no stream.
    private static func stream(whole response: HTTPResponse) -> HTTPStream {
        let pieces = AsyncThrowingStream<[UInt8], any Error> { feed in
            feed.yield(response.body)
            feed.finish()
        }
        return HTTPStream(head: response, pieces: pieces)
    }

    private static func stream(changes: AsyncStream<UInt64>, headers: [HTTPHeader]) -> HTTPStream {
        let pieces = AsyncThrowingStream<[UInt8], any Error> { feed in
            let task = Task {
                for await number in changes {
                    feed.yield(Array("event: \(WireProtocol.changeEvent)\ndata: \(number)\n\n".utf8))
                }
                feed.finish()
            }
            feed.onTermination = { _ in task.cancel() }
        }
        return HTTPStream(head: HTTPResponse(status: 200, headers: headers), pieces: pieces)
    }

    private func incoming(request: HTTPRequest) -> ServerRequest {
        ServerRequest(
            method: request.method,
            path: String(request.url.dropFirst(Self.url.count)),
            headers: request.headers,
            body: request.body
        )
    }

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        if disk?.isCrashed == true { throw TransportError.unreachable }
        let response = try? await handled(request: request)
        // A machine that went off meanwhile answers nobody.
        if disk?.isCrashed == true { throw TransportError.interrupted }
        // A server that cannot begin listens to nobody.
        guard let response else { throw TransportError.unreachable }
        return response
    }

    private func handled(request: HTTPRequest) async throws -> HTTPResponse {
        switch try await running().door.answer(incoming(request: request)).0 {
        case .response(var response):
            response.headers.append(HTTPHeader(name: "Date", value: Self.date(time: clock.now())))
            return response
        case .events: return HTTPResponse(status: 200)
        }
    }

    private func running() throws -> Process {
        try lock.withLock {
            if let process { return process }
            let handler = try makeHandler(self)
            let door = RequestHandler(
                authenticator: tokens,
                accounts: handler,
                clock: clock,
                random: requestIDs,
                limits: limits,
                rates: .unlimited,
                openAPI: OpenAPIDocument.bytes
            )
            let made = Process(handler: handler, door: door)
            process = made
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

/// The tokens that a loopback server lets in.
private final class LoopbackTokens: Authenticator, @unchecked Sendable {
    // Guarded by `lock`.
    private var accounts: [String: Account] = [:]
    private let lock = NSLock()

    func set(_ account: Account?, for token: String) { lock.withLock { accounts[token] = account } }

    func authenticate(token: String) -> Account? { lock.withLock { accounts[token] } }
}

extension RatePolicy {
    /// Takes all: the clock of a loopback server stands still between requests.
    fileprivate static let unlimited = RatePolicy(
        requestsPerSecond: 1e12,
        requestBurst: 1e12,
        failuresPerSecond: 1e12,
        failureBurst: 1e12
    )
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
