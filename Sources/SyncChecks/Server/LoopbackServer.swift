import Foundation
public import SyncCore
import SyncHTTPClient
public import SyncServer
public import SyncWire

/// The real server without a network. This transport passes each request to the server's request handler, and
/// can lose, truncate, repeat or replace requests and answers.
public final class LoopbackServer: HTTPTransport, @unchecked Sendable {
    /// Chooses the fault of a request by its number (from 1) and content; nil for none.
    public typealias FaultPlan = @Sendable (_ number: Int, _ request: HTTPRequest) -> LoopbackFault?

    /// The server's own clock.
    public let clock: ManualClock
    /// The server's URL.
    public static let url = "http://127.0.0.1:1"
    private let path: String
    /// The disk that holds the path; nil for the system's disk.
    private let disk: SimulatedDisk?
    private let makeHandler: @Sendable (LoopbackServer) throws -> any AccountHandler & TombstonePurger
    /// The server that answers in place of this one; nil if this one does.
    private let other: RemoteServer?
    private let tokens = LoopbackTokens()
    private let entities: [EntityDescriptor]
    private let limits: WireLimits
    private let random: SeededRandom
    /// Generates request ids separately, so that the random numbers of the logs do not depend on the number
    /// of requests.
    private let requestIDs: SeededRandom
    private let hub = ChangeHub()
    private let lock = NSLock()
    // Guarded by `lock`.
    private var process: Process?
    private var plan: FaultPlan?
    private var count = 0
    private var onTheWay: [(due: Int, request: HTTPRequest)] = []
    private var lastAnswer: HTTPResponse?

    /// The state that is lost when the server stops.
    private struct Process {
        let handler: any AccountHandler & TombstonePurger
        let door: RequestHandler
    }

    /// Makes a server without accounts, with its data in the folder at `path`, on the given disk if there is
    /// one.
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

    /// Makes a server with its logs in a store.
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

    /// Makes a server over any handler, whose changes it learns by `publish`.
    package convenience init(
        entities: [EntityDescriptor],
        makeHandler: @escaping @Sendable () throws -> any AccountHandler & TombstonePurger
    ) {
        self.init(path: "", entities: entities, limits: WireLimits(), seed: 1, disk: nil) { _ in
            try makeHandler()
        }
    }

    /// A server that runs elsewhere, such as in a process.
    package struct RemoteServer: Sendable {
        /// Carries requests to it.
        package var transport: any HTTPTransport
        /// Purges its tombstones that are older than the given days.
        package var purge: @Sendable (Int) async throws -> Void

        /// Describes a server.
        package init(transport: any HTTPTransport, purge: @escaping @Sendable (Int) async throws -> Void) {
            (self.transport, self.purge) = (transport, purge)
        }
    }

    /// Passes all requests on to a server elsewhere, still subject to the faults.
    package convenience init(other: RemoteServer) {
        self.init(path: "", entities: [], limits: WireLimits(), seed: 1, disk: nil, other: other) { _ in
            throw TransportError.unreachable
        }
    }

    private init(
        path: String,
        entities: [EntityDescriptor],
        limits: WireLimits,
        seed: UInt64,
        disk: SimulatedDisk?,
        other: RemoteServer? = nil,
        makeHandler: @escaping @Sendable (LoopbackServer) throws -> any AccountHandler & TombstonePurger
    ) {
        self.path = path
        self.disk = disk
        self.makeHandler = makeHandler
        self.other = other
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

    /// Tells the streams of a topic that its log changed.
    package func publish(_ topic: String) { hub.publish(topic) }

    /// Makes a token invalid.
    public func remove(token: String) { tokens.set(nil, for: token) }

    /// Makes a token valid for an account.
    public func add(_ account: Account, token: String) { tokens.set(account, for: token) }

    /// Sets the faults and restarts the request count.
    public func setFaults(_ plan: FaultPlan?) {
        lock.withLock {
            self.plan = plan
            count = 0
        }
    }

    /// The number of requests since the faults were set.
    public var requests: Int { lock.withLock { count } }

    /// Restarts the server. Everything that is not on disk is lost.
    public func restart() { lock.withLock { process = nil } }

    /// Copies the data folder, like a backup of a stopped server.
    public func backUp(to copy: String) throws {
        restart()
        if let disk { return disk.restore(disk.snapshot(of: path), to: copy) }
        try FileManager.default.copyItem(atPath: path, toPath: copy)
    }

    /// Restores the data folder from a backup.
    public func restore(from copy: String) throws {
        restart()
        if let disk { return disk.restore(disk.snapshot(of: copy), to: path) }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: copy, toPath: path)
    }

    /// Purges tombstones that are older than the given days.
    public func purgeTombstones(olderThanDays days: Int) async throws {
        if let other { return try await other.purge(days) }
        _ = try await running().handler.purgeTombstones(account: nil, olderThanDays: days)
    }

    /// Sends a request, subject to the faults.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fault = lock.withLock { () -> LoopbackFault? in
            count += 1
            return plan?(count, request)
        }
        let response = try await carry(request, fault: fault)
        await deliverLate()
        return response
    }

    /// Delivers late requests that are due. Nobody waits for their answers.
    private func deliverLate() async {
        let due = lock.withLock {
            let due = onTheWay.filter { $0.due <= count }
            onTheWay.removeAll { $0.due <= count }
            return due
        }
        for (_, request) in due { _ = try? await answer(request) }
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

    /// Streams change events like the real server. Not counted as a request, and without faults.
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

    /// An answer that is not a stream.
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
        if let other { return try await other.transport.send(request) }
        if disk?.isCrashed == true { throw TransportError.unreachable }
        let response = try? await handled(request: request)
        // A machine that crashed meanwhile sends no answer.
        if disk?.isCrashed == true { throw TransportError.interrupted }
        // A server that cannot start does not listen.
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

    /// A date in HTTP format: `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(time: Timestamp) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: time.date)
    }
}

/// A fault of a request.
public enum LoopbackFault: Sendable {
    /// The request is lost.
    case dropRequest
    /// The request is processed, but its answer is lost.
    case dropResponse
    /// No connection.
    case unreachable
    /// A timeout.
    case timeOut
    /// Another answer, as from a proxy or captive portal.
    case answer(HTTPResponse)
    /// The request arrives twice.
    case repeated
    /// The request arrives after the given number of other requests, when nobody waits for its answer.
    case late(Int)
    /// The request is lost, and the previous request's answer is returned.
    case answerBefore
    /// The answer is cut in half.
    case truncated
}

/// The valid tokens of a loopback server.
private final class LoopbackTokens: Authenticator, @unchecked Sendable {
    // Guarded by `lock`.
    private var accounts: [String: Account] = [:]
    private let lock = NSLock()

    func set(_ account: Account?, for token: String) { lock.withLock { accounts[token] = account } }

    func authenticate(token: String) -> Account? { lock.withLock { accounts[token] } }
}

extension RatePolicy {
    /// Without limits, because the clock of a loopback server stands still between requests.
    fileprivate static let unlimited = RatePolicy(
        requestsPerSecond: 1e12,
        requestBurst: 1e12,
        failuresPerSecond: 1e12,
        failureBurst: 1e12
    )
}
