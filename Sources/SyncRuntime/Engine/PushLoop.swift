import SyncCore

/// Pushes batch after batch until nothing is left that could still be pushed in this sync.
struct PushLoop {
    let store: any LocalStore
    let session: any RemoteSession
    let clock: any SyncClock
    /// What could not be pushed, in words.
    private(set) var problems: [RemoteDiagnostic] = []
    /// How often a change was sent and found to be made on an older state, by record.
    private var conflicts: [Push.Item: Int] = [:]
    /// Records whose edit is with the remote, by entity; what is edited meanwhile waits for the next sync.
    private var done: [String: Set<RecordKey>] = [:]
    /// Entities that the remote does not take.
    private var refused: [String: String] = [:]
    /// Changes on which the remote failed when they were sent alone, and why. They are to blame, and refused, once it takes
    /// another one; else the remote is.
    private var suspects: [(sent: PendingChange, reason: String)] = []
    private let push: Push

    /// `entities` are those that are pushed.
    init(
        store: any LocalStore,
        entities: [EntityDescriptor],
        session: any RemoteSession,
        clock: any SyncClock
    ) {
        self.store = store
        self.session = session
        self.clock = clock
        push = Push(entities: entities)
    }

    /// A change that was found stale so often waits for the next sync. Twice is usual where devices write at once.
    private static let maxConflicts = 4

    /// Pushes one batch. Returns whether the remote may have more to tell, and more may be left to push.
    mutating func step(pulling: inout Pull, onProgress: (SyncProgress) -> Void) async throws -> Bool {
        let limit = await session.pushLimit()
        let (outgoing, cursor, intent) = try store.read { snapshot in
            (
                try push.collect(snapshot, limit: limit, leavingOut: isLeftOut),
                try snapshot.value(name: StoreValue.cursor), try snapshot.value(name: StoreValue.intent)
            )
        }
        guard !outgoing.isEmpty else {
            // NB: with nothing else to send that could tell, those that the remote failed on are sent once more.
            if releaseSuspects() { return true }
            if intent != nil { try store.write(.full) { try $0.setValue(StoreValue.intent, value: nil) } }
            report()
            return false
        }
        onProgress(.pushing(count: outgoing.count))
        let prepared = try await session.prepare(outgoing.map(\.change), cursor: cursor)
        try store.write(.full) { transaction in
            try transaction.setValue(StoreValue.intent, value: prepared.intent)
            try notePublished(outgoing, device: pulling.device, transaction: transaction)
        }
        let receipt = try await session.push(prepared)
        try acknowledge(outgoing, receipt: receipt, pulling: &pulling)
        note(outgoing, results: receipt.results)
        if receipt.results.contains(where: \.isDecided) { try refuseSuspects(&pulling) }
        guard limit != .none else { return false }
        let isSent = receipt.results.contains { if case .notSent = $0 { false } else { true } }
        let isLowered = await session.pushLimit().changes < limit.changes
        if !isSent, !isLowered { problems.append(.nothingSent()) }
        return isSent || isLowered
    }

    /// Notes up to which sequence others can know edits of this device once the push is under way.
    private func notePublished(
        _ outgoing: [PendingChange],
        device: DeviceID,
        transaction: any StoreTransaction
    ) throws {
        let highest = outgoing.map { $0.change.header.writtenMetadata.vector[device] }.max() ?? 0
        guard let known = try transaction.value(name: StoreValue.publishedSequence).flatMap({ Int64($0) }),
            highest > known
        else { return }
        try transaction.setValue(StoreValue.publishedSequence, value: String(highest))
    }

    private func isLeftOut(_ pending: PendingChange) -> Bool {
        let (entity, key) = (pending.change.header.entity, pending.change.header.key)
        if done[entity]?.contains(key) == true || refused[entity] != nil { return true }
        return !conflicts.isEmpty && conflicts[Push.Item(pending), default: 0] >= Self.maxConflicts
    }

    private func acknowledge(_ outgoing: [PendingChange], receipt: PushReceipt, pulling: inout Pull)
        throws
    {
        let now = clock.now()
        var next = pulling
        try store.write(.full) { transaction in
            next = pulling
            let acknowledgement = try Acknowledgement(
                entities: pulling.entities,
                transaction: transaction,
                now: now
            )
            for (sent, result) in zip(outgoing, receipt.results)
            where try acknowledgement.record(sent: sent, result: result, pulling: &next) {
                next.reports[sent.change.header.entity]?.pushed += 1
            }
            try next.remember(transaction)
            if let cursor = receipt.cursor { try transaction.setValue(StoreValue.cursor, value: cursor) }
            try transaction.setValue(StoreValue.intent, value: nil)
        }
        pulling = next
    }

    private mutating func note(_ outgoing: [PendingChange], results: [PushReceipt.Result]) {
        for (sent, result) in zip(outgoing, results) {
            switch result {
            case .accepted, .altered: noteDone(sent.change.header)
            case .failed(let reason):
                suspects.append((sent, reason))
                noteDone(sent.change.header)
            case .conflict, .missing:
                conflicts[Push.Item(sent), default: 0] += 1
            case .entityRefused(let reason): refused[sent.change.header.entity] = reason
            case .refused, .notSent: break
            }
        }
    }

    private mutating func noteDone(_ header: Change.Header) {
        done[header.entity, default: []].insert(header.key)
    }

    /// The remote takes others, so it is these that it fails on: they wait for a person.
    private mutating func refuseSuspects(_ pulling: inout Pull) throws {
        guard !suspects.isEmpty else { return }
        let receipt = PushReceipt(results: suspects.map { .refused($0.reason) }, cursor: nil)
        try acknowledge(suspects.map(\.sent), receipt: receipt, pulling: &pulling)
        suspects = []
    }

    /// Lets those that the remote failed on be sent again. Returns whether there were any.
    private mutating func releaseSuspects() -> Bool {
        for (sent, _) in suspects { done[sent.change.header.entity]?.remove(sent.change.header.key) }
        defer { suspects = [] }
        return !suspects.isEmpty
    }

    /// Says what stays in the outbox although the sync is over.
    private mutating func report() {
        for (entity, reason) in refused.sorted(by: { $0.key < $1.key }) {
            problems.append(.entityRefused(entity: entity, reason: reason))
        }
        let stale = conflicts.values.count { $0 >= Self.maxConflicts }
        if stale > 0 { problems.append(.stale(count: stale)) }
    }
}

extension PushReceipt.Result {
    /// Whether the remote looked at the change and answered for it.
    fileprivate var isDecided: Bool {
        switch self {
        case .accepted, .altered, .refused, .entityRefused: true
        case .conflict, .missing, .notSent, .failed: false
        }
    }
}

extension RemoteDiagnostic {
    fileprivate static func nothingSent() -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "not-sent",
            place: "",
            message: "The remote took none of the changes of a push; they stay in the outbox.",
            isSerious: true
        )
    }

    fileprivate static func entityRefused(entity: String, reason: String) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "entity-refused",
            place: entity,
            message: "The remote does not take \(entity) records (\(reason)); they stay in the outbox.",
            isSerious: true
        )
    }

    fileprivate static func stale(count: Int) -> RemoteDiagnostic {
        RemoteDiagnostic(
            rule: "stale",
            place: "",
            message:
                "\(count) \(count == 1 ? "change was" : "changes were") overtaken again and again; the next sync tries them anew.",
            isSerious: true
        )
    }
}
