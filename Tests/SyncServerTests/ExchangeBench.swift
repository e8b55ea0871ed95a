import Foundation
import SyncChecks
import SyncCore
import SyncServer
import SyncWire
import Testing

/// A handler in its own folder. Every answer is checked against the OpenAPI contract.
final class ExchangeBench: @unchecked Sendable {
    // `handler`, `store` and `limits` are changed only by the test's own thread while nothing else uses them;
    // `topics` has its own lock.
    let path: String
    let clock = ManualClock()
    let random: SeededRandom
    private(set) var handler: any AccountHandler & TombstonePurger
    private(set) var store: any LogStore
    private let memory: MemoryLogStore?
    /// The database in place of a store; nil for none.
    private let database: BenchDatabase?
    private(set) var limits: WireLimits
    private let policy: ExchangePolicy
    private let lock = NSLock()
    private var changed: [String] = []

    /// Whether the logs of new benches are kept in memory.
    @TaskLocal static var isInMemory = false
    static let contract: OpenAPIContract? = try? OpenAPIContract(OpenAPIDocument.bytes)
    static let times = [
        FieldDescriptor(name: "createdAt", type: .dateTime),
        FieldDescriptor(name: "updatedAt", type: .dateTime),
    ]
    static let note = EntityDescriptor(
        name: "note",
        typeName: "Note",
        fields: [
            FieldDescriptor(name: "id", type: .string(), isRequired: true),
            FieldDescriptor(name: "title", type: .string(maxLength: 1_000_000), isRequired: true),
        ] + times,
        key: ["id"],
        strategy: .lastWriteWins,
        created: "createdAt",
        updated: "updatedAt"
    )
    static let tag = EntityDescriptor(
        name: "tag",
        typeName: "Tag",
        fields: [FieldDescriptor(name: "id", type: .string(), isRequired: true)],
        key: ["id"],
        strategy: .preserveLocal,
        tombstoneDays: 10
    )
    static let place = EntityDescriptor(
        name: "place",
        typeName: "Place",
        fields: [
            FieldDescriptor(name: "row", type: .integer(), isRequired: true),
            FieldDescriptor(name: "column", type: .string(), isRequired: true),
        ],
        key: ["row", "column"],
        strategy: .preserveLocal
    )

    init(
        limits: WireLimits = WireLimits(),
        policy: ExchangePolicy = ExchangePolicy(),
        seed: UInt64 = 7
    ) throws {
        path = NSTemporaryDirectory() + "exchange-" + UUID().uuidString
        self.limits = limits
        self.policy = policy
        random = SeededRandom(seed)
        database = BenchDatabase.current
        memory = Self.isInMemory || database != nil ? MemoryLogStore(random: random) : nil
        (store, handler) = try Self.idle(memory: memory, path: path, clock: clock, random: random)
        try reopen()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Replaces the handler by another one on the same logs, as after a restart. The old one is released
    /// without closing.
    func reopen(limits: WireLimits? = nil, entities: [EntityDescriptor] = [note, tag, place]) throws {
        if let database {
            handler = database.handler
            return
        }
        if let limits { self.limits = limits }
        memory?.reopen()
        store =
            try memory
            ?? SQLiteLogStore(
                data: path,
                clock: clock,
                random: random,
                maxOpenFiles: policy.maxOpenFiles,
                cacheMegabytes: policy.cacheMegabytes
            )
        handler = ExchangeHandler(
            store: store,
            planPath: memory == nil ? path + "/purge.json" : nil,
            entities: entities,
            clock: clock,
            random: random,
            limits: self.limits,
            policy: policy
        ) { [weak self] topic in
            guard let self else { return }
            lock.withLock { changed.append(topic) }
        }
    }

    /// A store and a handler without any files.
    private static func idle(
        memory: MemoryLogStore?,
        path: String,
        clock: ManualClock,
        random: SeededRandom
    ) throws -> (any LogStore, ExchangeHandler) {
        let store: any LogStore =
            try memory
            ?? SQLiteLogStore(data: path, clock: clock, random: random, maxOpenFiles: 1, cacheMegabytes: 1)
        return (store, ExchangeHandler(store: store, entities: [], clock: clock, random: random) { _ in })
    }

    /// Topics of the logs that changed since the last call.
    func takeTopics() async -> [String] {
        if let database { return await database.takeTopics() }
        return lock.withLock {
            defer { changed = [] }
            return changed
        }
    }

    /// Sends a request and checks the answer against the contract.
    func send(
        _ method: String,
        path: String,
        body: [UInt8] = [],
        headers: [HTTPHeader] = [],
        as account: Account = .ada
    ) async throws -> Reply {
        let request = ServerRequest(method: method, path: path, headers: headers, body: body)
        database?.note(method: method, path: path, account: account)
        var reply = Reply()
        let response: HTTPResponse
        do {
            switch try await handler.answer(request, for: account) {
            case .response(let whole): response = whole
            case .events(let topic):
                reply.topic = database?.name(topic: topic) ?? topic
                response = HTTPResponse(
                    status: 200,
                    headers: [HTTPHeader(name: "Content-Type", value: WireProtocol.eventsMediaType)]
                )
            }
        } catch let error as WireError {
            reply.error = error
            var headers = [HTTPHeader(name: "Content-Type", value: WireProtocol.problemMediaType)]
            if let seconds = error.retryAfterSeconds {
                headers.append(HTTPHeader(name: "Retry-After", value: "\(seconds)"))
            }
            response = HTTPResponse(status: error.code.status, headers: headers, body: error.body)
        }
        reply.status = response.status
        reply.body = response.body
        let contract = try #require(Self.contract)
        let findings = contract.findings(method: method, path: path, requestBody: body, answer: response)
        for finding in findings { Issue.record("\(finding)") }
        if response.status == 200, path.hasSuffix("/exchange") {
            reply.answer = try ExchangeAnswer(response.body)
        }
        return reply
    }

    /// Sends an exchange that the contract does not allow but that must be answered.
    func unchecked(body: [UInt8], as account: Account = .ada) async throws -> Reply {
        let request = ServerRequest(method: "POST", path: "/v1/exchange", body: body)
        guard case .response(let response) = try await handler.answer(request, for: account) else {
            return Reply()
        }
        return Reply(
            status: response.status,
            body: response.body,
            answer: try ExchangeAnswer(response.body)
        )
    }

    /// The error for an exchange that the contract may not allow; nil if it is answered.
    func unheld(body: [UInt8], as account: Account = .ada) async throws -> WireError? {
        let request = ServerRequest(method: "POST", path: "/v1/exchange", body: body)
        do { _ = try await handler.answer(request, for: account) } catch let error as WireError {
            return error
        }
        return nil
    }

    /// The files of the folder, by name.
    func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path + "/logs") {
            files[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/logs/" + name))
        }
        return files
    }

    /// Restores the files while no handler is open.
    func restore(_ files: [String: Data]) throws {
        (store, handler) = try Self.idle(memory: memory, path: path, clock: clock, random: random)
        for name in try FileManager.default.contentsOfDirectory(atPath: path + "/logs") {
            try FileManager.default.removeItem(atPath: path + "/logs/" + name)
        }
        for (name, data) in files { try data.write(to: URL(fileURLWithPath: path + "/logs/" + name)) }
        try reopen()
    }

    /// A backup of the logs.
    enum Backup {
        case files([String: Data])
        case memory(MemoryLogStore.Backup)
    }

    /// Makes a backup of the logs.
    func backUp() throws -> Backup { try memory.map { .memory($0.backUp()) } ?? .files(files()) }

    /// Restores a backup of the logs.
    func restore(_ backup: Backup) throws {
        switch backup {
        case .files(let files): try restore(files)
        case .memory(let backup):
            memory?.restore(backup)
            try reopen()
        }
    }

    /// The SQL of the statements cached on an account's open file.
    func statements(of account: String) async throws -> [String] {
        try await #require(store as? SQLiteLogStore).statements(of: account)
    }

    /// The size of the page cache of an account's open file in KiB.
    func cacheKiB(of account: String) async throws -> Int {
        try await #require(store as? SQLiteLogStore).cacheKiB(of: account)
    }
}

extension Account {
    static let ada = Account(id: "ada", name: "Ada")
    static let eve = Account(id: "eve", name: "Eve")
}

/// A received answer.
struct Reply {
    var status = 0
    var body: [UInt8] = []
    var answer: ExchangeAnswer?
    var error: WireError?
    var topic: String?

    /// `entity/key` of the page's records, with `-` for a deleted one.
    var page: [String] {
        (answer?.changes ?? []).map { "\($0.isDeleted ? "-" : "")\($0.entity)/\($0.key)" }
    }

    /// The results in one word each; the rule of a refused change.
    var results: [String] {
        (answer?.results ?? []).map { result in
            switch result {
            case .accepted: "accepted"
            case .conflict(let current): current == nil ? "conflict-nothing" : "conflict"
            case .refused(let rule, _, _): rule
            }
        }
    }

    /// The revision of the first result: accepted or current.
    var revision: Revision? {
        switch answer?.results.first {
        case .accepted(let revision, _): revision
        case .conflict(let current): current?.revision
        default: nil
        }
    }

    /// The numbers of the page's revisions.
    var numbers: [Int64] { (answer?.changes ?? []).compactMap { $0.revision?.number } }
}

extension Revision {
    /// The part before the run.
    var number: Int64? { text.split(separator: "-").first.flatMap { Int64($0) } }
}
