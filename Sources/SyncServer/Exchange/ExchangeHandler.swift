import Foundation
public import SyncCore
public import SyncWire

/// Answers requests about an account's logs: the exchange, its event stream, and scratch logs for tests.
///
/// The logs are kept in a `LogStore`; the handler decides what to read and write. It may be called from any
/// number of tasks. Acknowledged changes are on disk. There is nothing to close.
public final class ExchangeHandler: AccountHandler, TombstonePurger {
    private let store: any LogStore
    private let logEnds = LogEndCache()
    private let plan: PurgeSchedule
    private let entities: EntityList
    private let clock: any SyncClock
    private let random: any RandomSource
    private let limits: WireLimits
    private let policy: ExchangePolicy
    private let onPush: @Sendable (PushCounts) -> Void
    private let onExchange: @Sendable (ExchangeReport) -> Void
    private let onChange: @Sendable (String) -> Void

    /// Makes a handler over files in a folder. Creates the folder if it is missing.
    ///
    /// - Parameters:
    ///   - data: The folder that holds `logs`. One server at a time may use it.
    ///   - entities: The entities that the server knows. Pushed records must match them.
    ///   - clock: The server's clock. Tombstone ages and edit times in the future are measured by it.
    ///   - random: Generates epochs and run tags.
    ///   - limits: The limits of one request and its answer.
    ///   - threads: Runs the file access.
    ///   - onPush: Called after the commit of a push with its counts.
    ///   - onExchange: Called after each round trip on an account's data.
    ///   - onChange: Called with the topic of a log after a commit that changed it.
    /// - Throws: `WireError` `internal-error` if the folder cannot be created.
    public convenience init(
        data: String,
        entities: [EntityDescriptor],
        clock: any SyncClock,
        random: any RandomSource,
        limits: WireLimits = WireLimits(),
        policy: ExchangePolicy = ExchangePolicy(),
        threads: any BlockingThreads = CallingThread(),
        onPush: @escaping @Sendable (PushCounts) -> Void = { _ in },
        onExchange: @escaping @Sendable (ExchangeReport) -> Void = { _ in },
        onChange: @escaping @Sendable (String) -> Void
    ) throws {
        let store = try SQLiteLogStore(
            data: data,
            clock: clock,
            random: random,
            maxOpenFiles: policy.maxOpenFiles,
            cacheMegabytes: policy.cacheMegabytes,
            threads: threads
        )
        self.init(
            store: store,
            planPath: data + "/purge.json",
            entities: entities,
            clock: clock,
            random: random,
            limits: limits,
            policy: policy,
            onPush: onPush,
            onExchange: onExchange,
            onChange: onChange
        )
    }

    /// Makes a handler over any store.
    ///
    /// - Parameters:
    ///   - store: Keeps the logs.
    ///   - planPath: A file that saves the purge schedule for the next start; nil for none.
    package init(
        store: any LogStore,
        planPath: String? = nil,
        entities: [EntityDescriptor],
        clock: any SyncClock,
        random: any RandomSource,
        limits: WireLimits = WireLimits(),
        policy: ExchangePolicy = ExchangePolicy(),
        onPush: @escaping @Sendable (PushCounts) -> Void = { _ in },
        onExchange: @escaping @Sendable (ExchangeReport) -> Void = { _ in },
        onChange: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        let retention = PurgeSchedule.Retention(entities: entities, otherwiseDays: policy.tombstoneDays)
        plan = PurgeSchedule(path: planPath, retention: retention, now: clock.now())
        self.entities = EntityList(entities)
        self.clock = clock
        self.random = random
        self.limits = limits
        self.policy = policy
        self.onPush = onPush
        self.onExchange = onExchange
        self.onChange = onChange
    }

    /// Answers one request of an authenticated account. Throws `WireError`.
    public func answer(_ request: ServerRequest, for account: Account) async throws -> ServerAnswer {
        do {
            switch try LogRoute(method: request.method, path: request.path) {
            case .exchange(let log): return try await exchange(message: request, log: log, account: account)
            case .events(let log): return try await events(log: log, account: account)
            case .purge(let log):
                let all = TombstoneCutoffs(otherwise: Timestamp(microseconds: .max))
                let result = try await store.purge(log, account: account.id, cutoffs: all)
                return try Self.done(result != nil)
            case .restart(let log):
                let answer = try Self.done(await store.restart(log, account: account.id))
                onChange(topic(log: log, account: account))
                return answer
            case .remove(let log): return try Self.done(await store.remove(log, account: account.id))
            }
        } catch {
            throw WireError(failure: error)
        }
    }

    /// Removes expired tombstones of one account, or of all (nil). Cursors from before them expire. Returns
    /// the number of tombstones removed. Scratch logs are not touched.
    ///
    /// - Parameters:
    ///   - account: The account's id. An account that never exchanged anything has no tombstones.
    ///   - olderThanDays: The age in days by the server's clock; nil for the rules of schemas and policy.
    /// - Throws: `PurgeError` after all other accounts are done; the store's error if it cannot list the
    ///   accounts.
    public func purgeTombstones(account: String? = nil, olderThanDays: Int? = nil) async throws -> Int {
        let now = clock.now()
        var count = 0
        var failures: [PurgeError.FailedAccount] = []
        let cutoffs = cutoffs(olderThanDays: olderThanDays, now: now)
        let accounts = if let account { [account] } else { try await store.accounts() }
        for account in accounts where olderThanDays != nil || plan.isDue(account: account, at: now) {
            do {
                guard let result = try await store.purge(.main, account: account, cutoffs: cutoffs) else {
                    continue
                }
                count += result.removed
                let due = result.oldest.map { $0.value.adding(seconds: retentionSeconds(entity: $0.key)) }
                plan.set(account, time: due.min())
            } catch let error as CancellationError {
                throw error
            } catch {
                let wireError = WireError(failure: error)
                failures.append(
                    PurgeError.FailedAccount(account: account, cause: wireError.cause ?? wireError.detail)
                )
            }
        }
        if account == nil { plan.save(at: now) }
        guard failures.isEmpty else { throw PurgeError(accounts: failures, removed: count) }
        return count
    }
}

extension ExchangeHandler {
    private func exchange(
        message: ServerRequest,
        log: LogName,
        account: Account
    ) async throws -> ServerAnswer {
        let request = try ExchangeRequest(message: message, limits: limits, maxEntities: policy.maxEntities)
        let now = clock.now()
        let validator = ChangeValidator(entities: entities, account: account, policy: policy, now: now)
        var exchange = Exchange(
            request: request,
            cursor: try request.cursor.map { try PageCursor($0) },
            validator: validator,
            bodies: validator.bodies(of: request.changes),
            limits: limits,
            random: random
        )
        if log.isMain, let body = exchange.idleAnswer(logEnds: logEnds) {
            onExchange(ExchangeReport(account: account.id, device: request.device.description))
            return Self.page(body: body)
        }
        do { return try await perform(exchange, log: log) } catch let error as LogStoreError {
            // A pure read succeeds even if its fingerprints cannot be saved, as on a full or busy disk.
            guard request.changeCount == 0, request.records != nil else { throw error }
            exchange.request.records = nil
            return try await perform(exchange, log: log)
        }
    }

    private func perform(_ exchange: Exchange, log: LogName) async throws -> ServerAnswer {
        let (account, isPush) = (exchange.validator.account, exchange.request.changeCount > 0)
        let isKept = log.isMain && store.isExclusive
        let visit = isKept ? logEnds.begin(account.id, isWriting: isPush) : nil
        let result: LogResult<Exchange.Note>
        do {
            result = try await store.exchange(
                exchange.query,
                log: log,
                account: account.id,
                decide: { try exchange.decide($0) }
            )
        } catch {
            if let visit { logEnds.end(visit, hasChanged: isPush || exchange.request.records != nil) }
            throw error
        }
        let note = result.note
        if let visit {
            let isAtEnd = exchange.wantsFingerprints && !result.page.hasMore
            let head = isAtEnd ? note.head(device: exchange.request.device) : nil
            logEnds.end(visit, hasChanged: note.hasNewFingerprints, head: head)
        }
        if isPush { onPush(note.push?.counts ?? PushCounts()) }
        if log.isMain {
            onExchange(ExchangeReport(exchange.request, push: note.push, account: account.id))
            for entity in note.push?.tombstoned ?? [] {
                let due = exchange.validator.now.adding(seconds: retentionSeconds(entity: entity))
                plan.lower(account.id, to: due)
            }
        }
        if note.hasGrown { onChange(topic(log: log, account: account)) }
        return Self.page(body: exchange.answer(result))
    }

    /// The times up to which tombstones are removed.
    private func cutoffs(olderThanDays days: Int?, now: Timestamp) -> TombstoneCutoffs {
        if let days { return TombstoneCutoffs(otherwise: now.adding(seconds: -Self.seconds(days: days))) }
        var cutoffs = TombstoneCutoffs(
            otherwise: now.adding(seconds: -Self.seconds(days: policy.tombstoneDays))
        )
        for entity in entities.names {
            cutoffs.entities[entity] = now.adding(seconds: -retentionSeconds(entity: entity))
        }
        return cutoffs
    }

    /// How long tombstones of an entity are kept.
    private func retentionSeconds(entity: String) -> Int64 {
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

    private func events(log: LogName, account: Account) async throws -> ServerAnswer {
        if !log.isMain, try await !store.contains(log, account: account.id) {
            throw WireError.noScratchLog()
        }
        return .events(topic: topic(log: log, account: account))
    }

    /// The answer to a command; throws if the log does not exist.
    private static func done(_ isDone: Bool) throws -> ServerAnswer {
        guard isDone else { throw WireError.noScratchLog() }
        return .response(HTTPResponse(status: 204))
    }

    /// The name of a log within the process. It is unambiguous because account ids contain no `/`.
    private func topic(log: LogName, account: Account) -> String { "\(account.id)/\(log.text)" }
}

extension ExchangeReport {
    /// The report of a round trip.
    fileprivate init(_ request: ExchangeRequest, push: PushOutcome?, account: String) {
        self.init(
            account: account,
            device: request.device.description,
            counts: push?.counts ?? PushCounts()
        )
        guard let push, push.counts.refused > 0 else { return }
        // Results stand for all elements that were sent, changes for those that could be read.
        var entities = request.changes.map { $0.header.entity }.makeIterator()
        for (index, result) in push.results.enumerated() {
            let entity = request.malformed.contains(index) ? nil : entities.next()
            if case .refused(let error) = result {
                refused.append(Refused(entity: entity ?? "", rule: error.rule))
            }
        }
    }
}

extension Exchange.Note {
    /// The end of the log as this answer gave it to the device.
    fileprivate func head(device: DeviceID) -> LogEndCache.LogEnd {
        LogEndCache.LogEnd(
            epoch: state.epoch,
            revision: state.revision,
            run: state.run,
            batches: [device: batch],
            differences: differences ?? RecordDifferences(state.fingerprints)
        )
    }
}

extension Int64 {
    fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
