import SyncCore

/// One sync from beginning to end.
struct SyncRun {
    let store: any LocalStore
    let backend: any RemoteBackend
    let surroundings: SyncSurroundings
    let onProgress: @Sendable (SyncProgress) -> Void

    /// The table of contents of a sync.
    func perform(_ options: SyncOptions) async throws -> SyncReport {
        let (session, device) = try await open(options)
        var puller = Puller(entities: store.entities, device: device, now: surroundings.clock.now())
        try retryRejections(&puller)
        var problems: [RemoteProblem] = []
        while let page = try await session.fetch() {
            problems += page.problems
            try take(page, &puller)
            onProgress(.pulling(applied: puller.applied))
        }
        try store.write(.pulled) { try puller.settle($0) }
        try await push(session, &puller)
        // NB: durable before closing, as closing tells others what this store has taken, and they may forget it.
        let report = try finish(puller, problems)
        try await session.close(cursor: try store.read { try $0.value(StoreValue.cursor) })
        return report
    }

    /// The same on a transaction that is rolled back, with a session that may not write.
    func rehearse(_ options: SyncOptions) async throws -> SyncReport {
        let session = try await backend.open(try request(options, readOnly: true))
        var pages: [RemotePage] = []
        while let page = try await session.fetch() { pages.append(page) }
        let now = surroundings.clock.now()
        do {
            return try store.write(.pulled) { transaction in
                let device = try Incarnation.device(transaction)
                var puller = Puller(entities: store.entities, device: device, now: now)
                for page in pages { try puller.apply(page, transaction) }
                try puller.settle(transaction)
                for outgoing in try Pusher(entities: store.entities).collect(transaction)
                where outgoing.isEdit {
                    puller.reports[outgoing.change.entity]?.pushed += 1
                }
                throw Rehearsal(report: try report(puller, pages.flatMap(\.problems), transaction))
            }
        } catch let rehearsal as Rehearsal {
            return rehearsal.report
        }
    }

    /// Carries a report out of a transaction that must not be committed.
    private struct Rehearsal: Error {
        let report: SyncReport
    }

    private func request(_ options: SyncOptions, readOnly: Bool) throws -> SessionRequest {
        try store.read { snapshot in
            SessionRequest(
                device: try Incarnation.device(snapshot),
                label: surroundings.label,
                entities: store.entities,
                binding: try snapshot.value(StoreValue.binding),
                cursor: try snapshot.value(StoreValue.cursor),
                intent: try snapshot.value(StoreValue.intent),
                rejoin: options.rejoins,
                readOnly: readOnly
            )
        }
    }

    private func open(_ options: SyncOptions) async throws -> (any RemoteSession, DeviceID) {
        var session = try await backend.open(try request(options, readOnly: false))
        if session.greeting.isCopy {
            // NB: a copied store must stop writing under a name that another one uses, before it publishes anything.
            try NewIncarnation(store: store, random: surroundings.random).take()
            session = try await backend.open(try request(options, readOnly: false))
            if session.greeting.isCopy {
                throw SyncError.damagedStore("its new device identity is taken, too")
            }
        }
        let binding = session.greeting.binding
        try store.write(.full) { transaction in
            if options.rejoins { try Rejoin(entities: store.entities).forgetRevisions(transaction) }
            if try transaction.value(StoreValue.binding) != binding {
                try transaction.setValue(StoreValue.binding, binding)
            }
        }
        onProgress(.opened)
        return (session, try store.read { try Incarnation.device($0) })
    }

    /// Rows and the cursor that covers them in one transaction.
    private func take(_ page: RemotePage, _ puller: inout Puller) throws {
        var next = puller
        let cursor = try store.read { try $0.value(StoreValue.cursor) }
        if page.items.isEmpty, cursor == page.cursor { return }
        try store.write(.pulled) { transaction in
            next = puller
            try next.apply(page, transaction)
            try transaction.setValue(StoreValue.cursor, page.cursor)
        }
        puller = next
    }

    /// Tries again what an older schema could not take in.
    private func retryRejections(_ puller: inout Puller) throws {
        let rejections = try store.read { try $0.rejections() }.filter { $0.raw != nil }
        guard !rejections.isEmpty else { return }
        var next = puller
        try store.write(.pulled) { transaction in
            next = puller
            for rejection in rejections {
                guard let raw = rejection.raw, let page = RemotePage(entry: raw) else { continue }
                try transaction.removeRejection(entity: rejection.entity, key: rejection.key)
                try next.apply(page, transaction)
            }
        }
        puller = next
    }

    private func push(_ session: any RemoteSession, _ puller: inout Puller) async throws {
        let pusher = Pusher(entities: store.entities)
        let outgoing = try store.read { try pusher.collect($0) }
        guard !outgoing.isEmpty else {
            try clearIntent()
            return
        }
        onProgress(.pushing(count: outgoing.count))
        let cursor = try store.read { try $0.value(StoreValue.cursor) }
        let prepared = try await session.prepare(outgoing.map(\.change), cursor: cursor)
        try store.write(.full) { try $0.setValue(StoreValue.intent, prepared.intent) }
        let receipt = try await session.push(prepared)
        var reports = puller.reports
        let now = surroundings.clock.now()
        try store.write(.full) { transaction in
            reports = puller.reports
            try pusher.acknowledge(outgoing, receipt.results, transaction, now: now, counts: &reports)
            try settle(outgoing, transaction, now)
            if let cursor = receipt.cursor { try transaction.setValue(StoreValue.cursor, cursor) }
            try transaction.setValue(StoreValue.intent, nil)
        }
        puller.reports = reports
    }

    /// What was just published can now meet the records that share its unique values.
    private func settle(_ pushed: [Pusher.Outgoing], _ transaction: any StoreTransaction, _ now: Timestamp)
        throws
    {
        let settler = Settler(transaction: transaction, device: try Incarnation.device(transaction), now: now)
        for entity in store.entities where !entity.unique.isEmpty {
            let keys = pushed.filter { $0.change.entity == entity.name }.map(\.change.key)
            _ = try settler.settle(entity, touched: Set(keys))
        }
    }

    private func clearIntent() throws {
        guard try store.read({ try $0.value(StoreValue.intent) }) != nil else { return }
        try store.write(.full) { try $0.setValue(StoreValue.intent, nil) }
    }

    private func finish(_ puller: Puller, _ problems: [RemoteProblem]) throws -> SyncReport {
        let now = surroundings.clock.now()
        return try store.write(.full) { transaction in
            try transaction.setValue(StoreValue.lastSync, now.description)
            return try report(puller, problems, transaction)
        }
    }

    private func report(
        _ puller: Puller,
        _ problems: [RemoteProblem],
        _ snapshot: any StoreSnapshot
    ) throws -> SyncReport {
        var entities: [EntityReport] = []
        let rejections = try snapshot.rejections()
        for entity in store.entities {
            var counts = puller.reports[entity.name] ?? EntityReport(entity: entity.name)
            counts.conflicts = try snapshot.keys(entity, in: .conflict, after: nil, limit: .max).count
            counts.rejected = rejections.count { $0.entity == entity.name }
            entities.append(counts)
        }
        entities.sort { $0.entity.utf8.lexicographicallyPrecedes($1.entity.utf8) }
        let isPartial = !rejections.isEmpty || puller.hasSkipped || problems.contains(where: \.isSerious)
        return SyncReport(
            outcome: isPartial ? .partial : .synced,
            requests: 0,
            entities: entities,
            problems: problems
        )
    }
}

/// Names of small values that the runtime keeps in the store.
package enum StoreValue {
    package static let binding = "binding"
    package static let cursor = "cursor"
    package static let intent = "intent"
    package static let lastSync = "last-sync"
}

extension RemotePage {
    /// A page of one entry that was set aside; nil when the bytes hold none.
    init?(entry bytes: [UInt8]) {
        let header = bytes.withUnsafeBufferPointer { buffer -> EntryCodec.Header? in
            guard var reader = try? JSONReader(buffer) else { return nil }
            return try? EntryCodec.header(&reader)
        }
        guard let header else { return nil }
        let item = RemoteItem(
            entity: header.entity,
            key: header.key,
            kind: header.isDeleted ? .delete : .upsert,
            mergedInto: header.mergedInto,
            stamp: header.stamp,
            body: header.body
        )
        self.init(bytes: bytes, items: [item], cursor: "")
    }
}
