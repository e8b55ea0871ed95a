import Foundation
public import SyncCore
package import SyncSQLite
public import SyncWire

/// Answers what accounts ask of their logs: the exchange, its stream of events, and scratch logs for checks.
///
/// ```swift
/// let handler = try ExchangeHandler(data: path, entities: entities, clock: clock, random: random) { hub.notify($0) }
/// let answer = try handler.answer(request, for: account)
/// ```
///
/// One SQLite file per account (`DATA/logs/ID.sqlite`): the code that answers an account holds that account's file only.
/// Any number of threads may call; requests of one account wait for each other, those of several do not. What was
/// acknowledged is on the disk. Nothing needs to be closed.
public final class ExchangeHandler: AccountHandler {
    private let folder: LogFolder
    private let heads = LogHeads()
    private let plan: PurgePlan
    private let entities: EntityList
    private let clock: any SyncClock
    private let random: any RandomSource
    private let limits: WireLimits
    private let policy: ExchangePolicy
    private let onPush: @Sendable (PushCounts) -> Void
    private let onChange: @Sendable (String) -> Void

    /// Makes a handler, and the folder for its files where that is missing.
    ///
    /// - Parameters:
    ///   - data: The folder that holds `logs`. One server at a time may use it.
    ///   - entities: The entities that the server knows; what is pushed has to fit them.
    ///   - clock: The only clock that counts for tombstones and far-ahead times.
    ///   - random: Where epochs and run tags come from.
    ///   - limits: What is taken and given at once.
    ///   - onPush: Called after a commit with what became of the changes of a push, on the thread of the request.
    ///   - onChange: Called with the topic of a log after a commit that changed it, on the thread of the request.
    /// - Throws: `WireProblem` `internal-error` when the folder cannot be made.
    public convenience init(
        data: String,
        entities: [EntityDescriptor],
        clock: any SyncClock,
        random: any RandomSource,
        limits: WireLimits = WireLimits(),
        policy: ExchangePolicy = ExchangePolicy(),
        onPush: @escaping @Sendable (PushCounts) -> Void = { _ in },
        onChange: @escaping @Sendable (String) -> Void
    ) throws {
        try self.init(
            data: data,
            entities: entities,
            clock: clock,
            random: random,
            limits: limits,
            policy: policy,
            medium: nil,
            onPush: onPush,
            onChange: onChange
        )
    }

    /// The same on a medium; nil is the system.
    package init(
        data: String,
        entities: [EntityDescriptor],
        clock: any SyncClock,
        random: any RandomSource,
        limits: WireLimits = WireLimits(),
        policy: ExchangePolicy = ExchangePolicy(),
        medium: (any DatabaseMedium)?,
        onPush: @escaping @Sendable (PushCounts) -> Void = { _ in },
        onChange: @escaping @Sendable (String) -> Void
    ) throws {
        folder = try LogFolder(
            data: data,
            clock: clock,
            random: random,
            maxOpen: policy.maxOpenFiles,
            cacheMegabytes: policy.cacheMegabytes,
            medium: medium
        )
        let kept = PurgePlan.Kept(entities: entities, otherwiseDays: policy.tombstoneDays)
        plan = PurgePlan(path: medium == nil ? data + "/purge.json" : nil, kept: kept, now: clock.now())
        self.entities = EntityList(entities)
        self.clock = clock
        self.random = random
        self.limits = limits
        self.policy = policy
        self.onPush = onPush
        self.onChange = onChange
    }

    /// Answers one request of an account that was authenticated. Throws `WireProblem`.
    public func answer(_ request: ServerRequest, for account: Account) throws -> ServerAnswer {
        do {
            switch try LogRoute(method: request.method, path: request.path) {
            case .exchange(let log): return try exchange(message: request, name: log, account: account)
            case .events(let log): return try events(name: log, account: account)
            case .purge(let log):
                return try change(name: log, account: account) { _ = try $0.purge { _ in .distantFuture } }
            case .restart(let log):
                let answer = try change(name: log, account: account) { try $0.restart() }
                onChange(topic(name: log, account: account))
                return answer
            case .remove(let log): return try change(name: log, account: account) { try $0.remove() }
            }
        } catch {
            throw WireError(failure: error)
        }
    }

    /// Removes tombstones that were kept long enough, from the data of one account or of all (nil), and makes cursors from
    /// before them expire. Returns how many went. Scratch logs are left alone.
    ///
    /// - Parameters:
    ///   - account: The account's id. One that never exchanged anything has no tombstones.
    ///   - olderThanDays: Age in days by the server's clock; nil for what schemas and policy say.
    /// - Throws: `PurgeError`, once all other accounts are done; `WireProblem` where the folder cannot be read.
    public func purgeTombstones(account: String? = nil, olderThanDays: Int? = nil) throws -> Int {
        let now = clock.now()
        var count = 0
        var failures: [PurgeError.Failure] = []
        let accounts = try account.map { folder.holds($0) ? [$0] : [] } ?? folder.accounts()
        for account in accounts where olderThanDays != nil || plan.isDue(account: account, at: now) {
            do {
                let (removed, next): (Int, Timestamp?) = try folder.use(account) { file in
                    try file.transaction(kind: .immediate) {
                        guard let session = try LogSession(name: .main, access: file, random: random) else {
                            return (0, nil)
                        }
                        let removed = try session.purge { entity in
                            now.adding(
                                seconds: -(olderThanDays.map(Self.seconds) ?? keptSeconds(entity: entity))
                            )
                        }
                        return (removed, try session.nextPurge(kept: keptSeconds))
                    }
                }
                count += removed
                plan.set(account, time: next)
            } catch {
                let problem = WireError(failure: error)
                failures.append(PurgeError.Failure(account: account, cause: problem.cause ?? problem.detail))
            }
        }
        if account == nil { plan.save(at: now) }
        guard failures.isEmpty else { throw PurgeError(failures: failures, removed: count) }
        return count
    }
}

extension ExchangeHandler {
    /// The texts of the statements that an account's open file has compiled, for tests.
    package func statements(of account: String) throws -> [String] {
        try folder.use(account) { $0.connection.statements }
    }

    /// The size of the page cache of an account's open file in KiB, for tests.
    package func cacheKiB(of account: String) throws -> Int {
        // SQLite tells a size in KiB as a negative number.
        try folder.use(account) { -Int(try $0.connection.integer(sql: "PRAGMA cache_size")) }
    }

    private func exchange(message: ServerRequest, name: LogName, account: Account) throws
        -> ServerAnswer
    {
        let request = try read(message: message)
        let cursor = try request.cursor.map { try PageCursor($0) }
        let now = clock.now()
        let judge = ChangeValidator(entities: entities, account: account, policy: policy, now: now)
        if name.isMain, request.records == nil,
            let body = Exchange.idleAnswer(
                request: request,
                cursor: cursor,
                judge: judge,
                limits: limits,
                heads: heads
            )
        {
            return Self.page(body: body)
        }
        do { return try exchange(request: request, cursor: cursor, name: name, judge: judge) } catch let error
            as SQLiteError
        {
            // A reader is answered though what it tells cannot be written: on a full disk, beside another writer.
            guard request.changeCount == 0, request.records != nil else { throw error }
            var request = request
            request.records = nil
            return try exchange(request: request, cursor: cursor, name: name, judge: judge)
        }
    }

    private func exchange(
        request: ExchangeRequest,
        cursor: PageCursor?,
        name: LogName,
        judge: ChangeValidator
    ) throws -> ServerAnswer {
        let (account, now) = (judge.account, judge.now)
        let (body, exchange) = try folder.use(account.id) { file in
            var session = try LogSession(name: name, access: file, random: random)
            let mayTell = request.records != nil && cursor?.seen == session?.revision
            let isWriting = session == nil || request.changeCount > 0 || mayTell
            if name.isMain, request.changeCount > 0 { heads.forget(account.id) }
            return try file.transaction(kind: isWriting ? .immediate : .deferred) {
                // Read again, because another process may have changed it before the transaction began.
                session = try LogSession(name: name, access: file, random: random)
                if session == nil { try make(name, file: file, now: now) }
                guard let session = try session ?? LogSession(name: name, access: file, random: random) else {
                    throw WireError.damagedLog()
                }
                var exchange = Exchange(
                    request: request,
                    cursor: cursor,
                    judge: judge,
                    limits: limits,
                    session: session
                )
                let body = try exchange.answer()
                if name.isMain, exchange.hasTold {
                    heads.forget(account.id)
                } else if name.isMain, request.changeCount == 0 {
                    try heads.note(
                        account.id,
                        session: exchange.session,
                        device: request.device,
                        differences: exchange.differences
                    )
                }
                return (body, exchange)
            }
        }
        if request.changeCount > 0 { onPush(exchange.counts) }
        if name.isMain {
            for entity in exchange.tombstoned {
                plan.lower(account.id, to: now.adding(seconds: keptSeconds(entity: entity)))
            }
        }
        if exchange.hasGrown { onChange(topic(name: name, account: account)) }
        return Self.page(body: body)
    }

    /// How long tombstones of an entity are kept.
    private func keptSeconds(entity: String) -> Int64 {
        Self.seconds(days: entities[entity]?.tombstoneDays ?? policy.tombstoneDays)
    }

    private static func seconds(days: Int) -> Int64 {
        Int64(clamping: max(0, days)).multipliedClamping(by: 86_400)
    }

    private static func page(body: [UInt8]) -> ServerAnswer {
        let headers = [
            HTTPHeader(name: "Content-Type", value: WireProtocol.mediaType),
            HTTPHeader(name: "Cache-Control", value: "no-store"),
        ]
        return .response(HTTPResponse(status: 200, headers: headers, body: body))
    }

    private func read(message: ServerRequest) throws -> ExchangeRequest {
        try checkMedia(message)
        guard message.body.count <= limits.requestBytes else {
            throw WireError.tooManyBytes(limits: limits)
        }
        let request = try ExchangeRequest(message.body)
        guard request.entities.count <= policy.maxEntities else {
            throw WireError.tooManyEntities(count: policy.maxEntities)
        }
        for name in [request.batch, request.previous] {
            guard name?.utf8.count ?? 0 <= ExchangePolicy.maxBatchBytes else {
                throw WireError.tooLongBatch(count: ExchangePolicy.maxBatchBytes)
            }
        }
        guard request.records?.count ?? 0 <= WireProtocol.maxFingerprints,
            request.records?.keys.allSatisfy(Self.isFingerprintName) != false
        else { throw WireError.tooManyFingerprints(count: WireProtocol.maxFingerprints) }
        guard request.changeCount <= limits.changes else { throw WireError.tooManyChanges(limits: limits) }
        return request
    }

    private static func isFingerprintName(_ name: String) -> Bool {
        (1...WireProtocol.maxFingerprintNameBytes).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0 >= 0x20 }
    }

    /// A body whose sender does not say what it is, is taken for what it should be.
    private func checkMedia(_ message: ServerRequest) throws {
        for type in message.headers(named: "Content-Type") {
            let media = type.split(separator: ";").first?.filter { $0 != " " && $0 != "\t" }.lowercased()
            guard media == WireProtocol.mediaType else { throw WireError.notJSONBody() }
        }
        for encoding in message.headers(named: "Content-Encoding") where encoding.lowercased() != "identity" {
            throw WireError.notJSONBody()
        }
    }

    private func make(_ name: LogName, file: AccountLogs.Access, now: Timestamp) throws {
        guard !name.isMain else { throw WireError.damagedLog() }
        let scratch = ScratchLogs(
            access: file,
            random: random,
            now: now,
            lifetimeSeconds: Int64(clamping: policy.scratchLifetimeSeconds)
        )
        try scratch.make(name)
    }

    private func events(name: LogName, account: Account) throws -> ServerAnswer {
        if !name.isMain {
            guard folder.holds(account.id) else { throw WireError.noScratchLog() }
            try folder.use(account.id) { file in
                if try LogSession(name: name, access: file, random: random) == nil {
                    throw WireError.noScratchLog()
                }
            }
        }
        return .events(topic: topic(name: name, account: account))
    }

    private func change(
        name: LogName,
        account: Account,
        body: (LogSession) throws -> Void
    ) throws -> ServerAnswer {
        guard folder.holds(account.id) else { throw WireError.noScratchLog() }
        try folder.use(account.id) { file in
            try file.transaction(kind: .immediate) {
                guard let session = try LogSession(name: name, access: file, random: random) else {
                    throw WireError.noScratchLog()
                }
                try body(session)
            }
        }
        return .response(HTTPResponse(status: 204))
    }

    /// Names a log within the process: account ids hold no `/`.
    private func topic(name: LogName, account: Account) -> String { "\(account.id)/\(name.text)" }
}

extension Timestamp {
    fileprivate static let distantFuture = Timestamp(microseconds: .max)
}

extension Int64 {
    fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
