import SyncCore

/// Pushes batch after batch until nothing more can be pushed in this sync.
struct PushLoop {
    let store: any LocalStore
    let session: any RemoteSession
    let clock: any SyncClock
    /// Diagnostics about changes that could not be pushed.
    private(set) var diagnostics: [RemoteDiagnostic] = []
    /// How often a change was sent on an outdated base, by record.
    private var conflicts: [Push.Item: Int] = [:]
    /// The last sequence number before the first push. Later edits wait for the next sync, so that continuous writing
    /// does not keep a sync from ending.
    private var lastSequence: Int64?
    /// Records that are not sent again in this sync, although they may still be pending.
    private var done: Set<Push.Item> = []
    /// Entities that the remote does not accept.
    private var refused: [String: String] = [:]
    /// How many changes wait for somebody else at the remote.
    private var busy = 0
    /// Changes that failed when they were sent alone. Once the remote accepts another change, those are rejected that
    /// may be to blame.
    private var suspects: [(sent: PendingChange, setback: Setback)] = []
    /// Suspects that were sent once more.
    private var released: Set<Push.Item> = []
    /// The batch that was prepared while the one before was under way. Its intent is durable.
    private var ahead: PushBatch?
    private let push: Push

    /// Pushes changes of `entities`.
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

    /// After this many conflicts, a change waits for the next sync. Two are usual if devices write at the same time.
    private static let maxConflicts = 4

    /// Pushes one batch. Returns whether the remote may have more pages, and more changes may be left. Where the remote
    /// allows it, the next batch is prepared meanwhile.
    mutating func step(_ sync: inout SyncRunState, onProgress: (SyncProgress) -> Void) async throws -> Bool {
        let limit = await session.pushLimit()
        let ready = ahead.flatMap { $0.changes.count <= limit.changes ? $0 : nil }
        ahead = nil
        let collected = ready == nil ? try await collect(limit: limit, sync: sync) : nil
        guard let batch = ready ?? collected else {
            // NB: if nothing else is left to send, the suspects are sent once more: only another answer can tell who
            // is to blame.
            if try releaseSuspects() { return true }
            try forgetIntent()
            report()
            return false
        }
        if try refuseDamaged(batch.changes, sync: &sync) { return true }
        onProgress(.pushing(count: batch.changes.count))
        if collected != nil {
            try store.write(.full) { try intend(batch, device: sync.device, transaction: $0) }
        }
        let session = session
        async let answer = session.push(batch.prepared)
        let next = session.preparesAhead ? try await collect(limit: limit, behind: batch, sync: sync) : nil
        let receipt = try await answer
        let changed = try acknowledge(batch.changes, receipt: receipt, next: next, sync: &sync)
        note(batch.changes, results: receipt.results, changed: changed)
        if receipt.results.contains(where: \.isDecided) { try refuseSuspects(&sync) }
        guard limit != .none else { return false }
        let isSent = receipt.results.contains { if case .notSent = $0 { false } else { true } }
        let isLowered = await session.pushLimit().changes < limit.changes
        if !isSent, !isLowered { diagnostics.append(.nothingSent()) }
        return isSent || isLowered
    }

    /// The remote had something new, which may have changed the records of the batch that was prepared.
    mutating func dropPrepared() { ahead = nil }

    /// The next batch, or the one behind the batch that is under way; nil if nothing is left to send.
    private mutating func collect(
        limit: PushLimit,
        behind last: PushBatch? = nil,
        sync: SyncRunState
    ) async throws -> PushBatch? {
        let (changes, cursor) = try store.read { snapshot in
            let present = try snapshot.lastSequence()
            let first = lastSequence ?? present
            lastSequence = first
            // An own edit with a higher number than the present one is of another life of this store, and is sent.
            var leftOut = leftOut(meanwhile: first..<max(first, present), sync: sync)
            // A side of a conflict has no place in the order, so what is under way is left out by name, too.
            if let last { leftOut.done.formUnion(last.changes.lazy.map { Push.Item($0) }) }
            return (
                try push.collect(snapshot, limit: limit, after: last?.changes.last) { leftOut.contains($0) },
                try snapshot.value(name: StoreValue.cursor)
            )
        }
        guard !changes.isEmpty else { return nil }
        return PushBatch(
            changes: changes,
            prepared: try await session.prepare(changes.map(\.change), cursor: cursor)
        )
    }

    /// Notes that a batch is about to be sent, and the sequence up to which others may know this device's edits then.
    private func intend(_ batch: PushBatch, device: DeviceID, transaction: any StoreTransaction) throws {
        try transaction.setValue(StoreValue.intent, value: batch.prepared.intent)
        guard let known = try transaction.value(name: StoreValue.publishedSequence).flatMap({ Int64($0) })
        else { return }
        var highest = known
        for index in batch.changes.indices {
            highest = max(highest, batch.changes[index].change.header.writtenMetadata.vector[device])
        }
        guard highest > known else { return }
        try transaction.setValue(StoreValue.publishedSequence, value: String(highest))
    }

    /// Forgets the intent of a batch that was not sent.
    private func forgetIntent() throws {
        guard try store.read({ try $0.value(name: StoreValue.intent) }) != nil else { return }
        try store.write(.full) { try $0.setValue(StoreValue.intent, value: nil) }
    }

    /// `meanwhile` holds the numbers of the edits since the first push, each less one.
    private func leftOut(meanwhile: Range<Int64>, sync: SyncRunState) -> LeftOut {
        LeftOut(
            refused: refused,
            done: done,
            stale: Set(conflicts.lazy.filter { $0.value >= Self.maxConflicts }.map(\.key)),
            meanwhile: meanwhile,
            device: sync.device,
            ownEdits: sync.ownEdits
        )
    }

    /// The pending changes that a batch leaves out. Held apart from the loop, as each record asks: the loop's own
    /// collections would be copied for each.
    private struct LeftOut {
        let refused: [String: String]
        var done: Set<Push.Item>
        let stale: Set<Push.Item>
        let meanwhile: Range<Int64>
        let device: DeviceID
        let ownEdits: [ClosedRange<Int64>]

        func contains(_ pending: PendingChange) -> Bool {
            let header = pending.change.header
            if refused[header.entity] != nil { return true }
            if !done.isEmpty, done.contains(Push.Item(header)) { return true }
            let edit = header.writtenMetadata.editTimestamp
            if meanwhile.contains(edit.sequence - 1), edit.device == device,
                !ownEdits.contains(where: { $0.contains(edit.sequence) })
            {
                return true
            }
            return !stale.isEmpty && stale.contains(Push.Item(header))
        }
    }

    /// Records the answers. Returns the changes whose records are no longer as they were sent. If all were accepted as
    /// they are, the next batch may be sent once this is durable.
    private mutating func acknowledge(
        _ outgoing: [PendingChange],
        receipt: PushReceipt,
        next batch: PushBatch? = nil,
        sync: inout SyncRunState
    ) throws -> [PendingChange] {
        let now = clock.now()
        var changed: [PendingChange] = []
        let areAccepted =
            receipt.results.count == outgoing.count
            && receipt.results.allSatisfy { if case .accepted = $0 { true } else { false } }
        let device = sync.device
        try sync.write(to: store, .full) { next, transaction in
            changed = []
            let acknowledgement = try Acknowledgement(transaction: transaction, now: now)
            // By position, as copying a change copies a dozen references.
            for index in 0..<min(outgoing.count, receipt.results.count) {
                let answer = try acknowledgement.record(
                    sent: outgoing[index],
                    result: receipt.results[index],
                    sync: &next
                )
                if answer.isPushed { next.reports[outgoing[index].change.header.entity]?.pushed += 1 }
                if !answer.isAsSent { changed.append(outgoing[index]) }
            }
            if let cursor = receipt.cursor { try transaction.setValue(StoreValue.cursor, value: cursor) }
            ahead = areAccepted && changed.isEmpty ? batch : nil
            if let ahead {
                try intend(ahead, device: device, transaction: transaction)
            } else {
                try transaction.setValue(StoreValue.intent, value: nil)
            }
        }
        return changed
    }

    private mutating func note(
        _ outgoing: [PendingChange],
        results: [PushReceipt.Result],
        changed: [PendingChange]
    ) {
        for index in 0..<min(outgoing.count, results.count) {
            switch results[index] {
            case .failed(let setback):
                suspects.append((outgoing[index], setback))
                done.insert(Push.Item(outgoing[index]))
            case .conflict, .missing: conflicts[Push.Item(outgoing[index]), default: 0] += 1
            case .entityRefused(let reason): refused[outgoing[index].change.header.entity] = reason
            case .busy:
                busy += 1
                done.insert(Push.Item(outgoing[index]))
            case .accepted, .altered, .refused, .notSent: break
            }
        }
        done.formUnion(changed.map { Push.Item($0) })
    }

    /// Rejects changes with bytes that are no text, because the file was damaged: nobody could read them. Returns whether
    /// there were any.
    private mutating func refuseDamaged(_ outgoing: [PendingChange], sync: inout SyncRunState) throws -> Bool
    {
        let damaged = outgoing.indices.filter { index in
            outgoing[index].change.body.withUnsafeBufferPointer {
                UTF8Check.firstInvalidOffset(in: $0) != nil
            }
        }.map { outgoing[$0] }
        guard !damaged.isEmpty else { return false }
        let reason = "The file of the store was damaged: a text of the record holds bytes that are no text."
        let receipt = PushReceipt(results: damaged.map { _ in .refused(reason) }, cursor: nil)
        _ = try acknowledge(damaged, receipt: receipt, sync: &sync)
        done.formUnion(damaged.map { Push.Item($0) })
        return true
    }

    /// The remote accepts other changes, so what may be the fault of these is: they are rejected and wait for a person.
    private mutating func refuseSuspects(_ sync: inout SyncRunState) throws {
        let blamed = suspects.filter(\.setback.isRecordsOnceOthersPass)
        guard !blamed.isEmpty else { return }
        let reasons = blamed.map { ($0.setback.error ?? .unanswered($0.setback)).message }
        let receipt = PushReceipt(results: reasons.map { .refused($0) }, cursor: nil)
        _ = try acknowledge(blamed.map(\.sent), receipt: receipt, sync: &sync)
        suspects.removeAll(where: \.setback.isRecordsOnceOthersPass)
    }

    /// Lets the suspects be sent once more. Returns whether there were any. Throws the setback's error if all of them were
    /// sent again already.
    private mutating func releaseSuspects() throws -> Bool {
        guard let setback = suspects.first?.setback else { return false }
        let items = Set(suspects.map { Push.Item($0.sent) })
        guard !items.isSubset(of: released) else { throw setback.error ?? .unanswered(setback) }
        released.formUnion(items)
        done.subtract(items)
        suspects = []
        return true
    }

    /// Reports what stays in the outbox after the sync.
    private mutating func report() {
        for (entity, reason) in refused.sorted(by: { $0.key < $1.key }) {
            diagnostics.append(.entityRefused(entity: entity, reason: reason))
        }
        let stale = conflicts.values.count { $0 >= Self.maxConflicts }
        if stale > 0 { diagnostics.append(.stale(count: stale)) }
        if busy > 0 { diagnostics.append(.busy(count: busy)) }
    }
}

/// Changes that are encoded to be sent together.
struct PushBatch {
    let changes: [PendingChange]
    let prepared: PreparedPush
}

extension PushReceipt.Result {
    /// Whether the remote considered the change and answered it.
    fileprivate var isDecided: Bool {
        switch self {
        case .accepted, .altered, .refused, .entityRefused, .busy: true
        case .conflict, .missing, .notSent, .failed: false
        }
    }
}

extension SyncError {
    /// A change that was sent alone, and again after all others, was not answered.
    fileprivate static func unanswered(_ setback: Setback) -> SyncError {
        SyncError(
            kind: .unreachable,
            message: "The remote did not answer for a change that was sent alone; it stays in the outbox.",
            help: "Sync again later.",
            retry: setback.retry,
            retryAfterSeconds: setback.retryAfterSeconds
        )
    }
}

extension SyncReport {
    /// Whether changes are left that the next sync sends again, and that nobody has to look at.
    package var leavesChanges: Bool {
        diagnostics.contains { ["not-sent", "busy", "stale"].contains($0.rule) }
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

    fileprivate static func busy(count: Int) -> RemoteDiagnostic {
        let changes = count == 1 ? "1 change waits" : "\(count) changes wait"
        return RemoteDiagnostic(
            rule: "busy",
            place: "",
            message:
                "\(changes) for another program that holds the record at the remote; the next sync tries again.",
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
