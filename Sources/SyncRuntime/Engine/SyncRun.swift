import SyncCore

/// One sync from beginning to end.
struct SyncRun {
    let store: any LocalStore
    let backend: any RemoteBackend
    let environment: SyncEnvironment
    let startedAt: Timestamp
    /// The store's entities, as their records merge in this sync.
    let entities: [EntityDescriptor]
    let onProgress: @Sendable (SyncProgress) -> Void

    /// The steps of a sync, in order.
    func run(_ options: SyncOptions) async throws -> SyncReport {
        try SharedValues(store: store, now: startedAt).publish()
        do {
            return try await runOnce(options, mayRenew: true)
        } catch let found as UnknownEdits {
            // Nothing was sent yet under an identity that another life of this store has used.
            try NewIncarnation(store: store, random: environment.random)
                .take(IncarnationRenewal(firstDoubtful: found.first))
            var options = options
            options.rejoins = false
            return try await runOnce(options, mayRenew: false)
        }
    }

    private func runOnce(_ options: SyncOptions, mayRenew: Bool) async throws -> SyncReport {
        let (opening, device, isFirstRemote, notice) = try await open(options: options)
        let sync = SyncRunState(
            entities: entities,
            device: device,
            remote: PulledRemote(backend: backend, greeting: opening.session.greeting),
            now: environment.clock.now()
        )
        var pulling = Pull(sync, acceptsMissing: options.acceptsMissing)
        if mayRenew { pulling.ownVersions = OwnVersionSearch(sync, neverMet: isFirstRemote) }
        do {
            if opening.session.greeting.isSettled {
                try ExpiredTombstones(store: store, now: startedAt).drop()
            }
            return try await exchange(options: options, opening: opening, notice: notice, pulling: &pulling)
        } catch let found as UnknownEdits {
            throw found
        } catch { throw FailedRun(cause: error, sync: pulling.sync) }
    }

    /// The remote knows edits of this device, from a sequence on, that the store does not.
    private struct UnknownEdits: Error {
        let first: Int64
    }

    private func exchange(
        options: SyncOptions,
        opening: Opening,
        notice: RemoteDiagnostic?,
        pulling: inout Pull
    ) async throws -> SyncReport {
        let session = opening.session
        let rejections = try store.read { snapshot in
            try pulling.sync.unresolved.recall(snapshot)
            return try snapshot.rejections()
        }
        try retry(try standing(rejections), pulling: &pulling)
        var diagnostics = [notice].compactMap { $0 }
        try await pull(session, pulling: &pulling, diagnostics: &diagnostics)
        if let first = pulling.ownVersions?.unknown { throw UnknownEdits(first: first) }
        var pushing = PushLoop(
            store: store,
            entities: store.entities.filter { options.entities?.contains($0.name) != false },
            session: session,
            clock: environment.clock
        )
        while try await pushing.step(&pulling.sync, onProgress: onProgress) {
            let pulled = pulling.sync.pulled
            try await pull(session, pulling: &pulling, diagnostics: &diagnostics)
            if pulling.sync.pulled > pulled { pushing.dropPrepared() }
        }
        diagnostics += (pulling.diagnostics + pushing.diagnostics).filter { diagnostic in
            !diagnostics.contains { $0.rule == diagnostic.rule && $0.place == diagnostic.place }
        }
        if options.entities == nil { diagnostics += try await compare(session) }
        try note(recordLimit: await session.recordLimit())
        // NB: everything taken in is durable before the session closes. Closing tells other devices, which may then
        // forget it.
        let (report, cursor) = try finish(
            pulling.sync,
            diagnostics: diagnostics,
            reported: opening.reported,
            requests: await session.requests(),
            conditions: await backend.conditions(),
            covering: options.entities
        )
        try await session.close(cursor: cursor)
        return report
    }

    /// Takes in all pages that the remote has now.
    private func pull(
        _ session: any RemoteSession,
        pulling: inout Pull,
        diagnostics: inout [RemoteDiagnostic]
    ) async throws {
        var buffer = PageBuffer()
        let applied = pulling.applied
        do {
            while let page = try await session.fetch() {
                diagnostics += page.diagnostics.filter { !diagnostics.contains($0) }
                buffer.add(page)
                if buffer.isFull { try take(&buffer, pulling: &pulling) }
            }
        } catch {
            // Pages received before the failure are kept.
            try take(&buffer, pulling: &pulling)
            throw error
        }
        try take(&buffer, pulling: &pulling)
        if !pulling.sync.unresolved.isEmpty {
            try pulling.sync.write(to: store, .pulled) { try $0.resolve($1) }
        }
        if pulling.applied > applied { try retryClashes(&pulling.sync) }
    }

    /// Sends again what clashed with another record: that one may have changed.
    private func retryClashes(_ sync: inout SyncRunState) throws {
        let clashes = try store.read { try $0.rejections() }.filter(\.isClash)
        guard !clashes.isEmpty else { return }
        try sync.write(to: store, .pulled) { next, transaction in
            for clash in clashes {
                guard let entity = next.entities[clash.entity] else { continue }
                let place = RecordPlace(entity: entity, key: clash.key, transaction: transaction)
                if try place.header()?.state == .rejected { try next.reconcile(.retried, at: place) }
            }
        }
    }

    /// The same in a transaction that is rolled back, with a read-only session.
    func rehearse(_ options: SyncOptions) async throws -> SyncReport {
        let session = try await opened(options: options, readOnly: true).session
        var pages: [RemotePage] = []
        while let page = try await session.fetch() { pages.append(page) }
        let now = environment.clock.now()
        let requests = await session.requests()
        do {
            return try store.write(.pulled) { transaction in
                let device = try Incarnation.device(snapshot: transaction)
                if options.rejoins {
                    try Rejoin(entities: store.entities).forgetRevisions(transaction, at: now)
                }
                let sync = SyncRunState(
                    entities: entities,
                    device: device,
                    remote: PulledRemote(backend: backend, greeting: session.greeting),
                    now: now
                )
                var pulling = Pull(sync, acceptsMissing: options.acceptsMissing)
                try pulling.sync.unresolved.recall(transaction)
                try pulling.take(pages, transaction: transaction)
                try pulling.sync.resolve(transaction)
                for pending in try Push(entities: store.entities).collect(transaction)
                where pending.isEdit {
                    pulling.sync.reports[pending.change.header.entity]?.pushed += 1
                }
                throw Rehearsal(
                    report: try report(
                        sync: pulling.sync,
                        diagnostics: pages.flatMap(\.diagnostics) + pulling.diagnostics,
                        requests: requests,
                        snapshot: transaction
                    )
                )
            }
        } catch let rehearsal as Rehearsal {
            return rehearsal.report
        }
    }

    /// Carries a report out of a transaction that must not be committed.
    private struct Rehearsal: Error {
        let report: SyncReport
    }

    /// The open session, the identity to sync under, whether the store never synced before, and diagnostics.
    private func open(options: SyncOptions) async throws -> (
        opening: Opening, device: DeviceID, isFirstRemote: Bool, notice: RemoteDiagnostic?
    ) {
        var opening = try await opened(options: options)
        let renewal = opening.session.greeting.renewal ?? IncarnationRenewal()
        // A new incarnation that joins another remote has already forgotten the former one.
        let forgets = options.rejoins && !opening.session.greeting.isCopy
        if opening.session.greeting.isCopy {
            // A copied store must change its identity, which another store uses, before it publishes anything.
            try NewIncarnation(store: store, random: environment.random)
                .take(renewal, joiningAt: options.rejoins ? environment.clock.now() : nil)
            opening = try await opened(options: options)
            if opening.session.greeting.isCopy {
                throw SyncError.damagedStore(detail: "its new device identity is taken, too")
            }
        }
        let binding = opening.session.greeting.binding
        let (known, device) = try store.read { snapshot in
            (try snapshot.value(name: StoreValue.binding), try Incarnation.device(snapshot: snapshot))
        }
        if options.rejoins || known != binding {
            let now = environment.clock.now()
            try store.write(.full) { transaction in
                if forgets { try Rejoin(entities: store.entities).forgetRevisions(transaction, at: now) }
                try transaction.setValue(StoreValue.binding, value: binding)
                if known == nil { try transaction.setValue(StoreValue.publishedSequence, value: "0") }
            }
        }
        onProgress(.opened)
        return (opening, device, known == nil, renewal.notice)
    }

    /// Writes rows, and the cursor that covers them in the transaction of the last ones: rows that come again change nothing.
    /// An app's write that waits gets its turn in between.
    private func take(_ buffer: inout PageBuffer, pulling: inout Pull) throws {
        let pages = buffer.taken()
        guard let cursor = pages.last?.cursor else { return }
        let isNews = pages.contains { !$0.changes.isEmpty || $0.kind != .delta }
        guard try isNews || store.read({ try $0.value(name: StoreValue.cursor) }) != cursor else {
            return
        }
        if pulling.ownVersions != nil {
            try store.read { try pulling.ownVersions?.search(pages, snapshot: $0) }
            // A version that covers a pending edit only by its sequence number would count as its successor.
            if pulling.ownVersions?.unknown != nil { return }
        }
        var work = PageWork(pages)
        repeat {
            try pulling.write(to: store, .pulled) { next, transaction in
                try next.take(&work, transaction: transaction) { store.isAwaited(after: $0) }
                if work.isDone { try transaction.setValue(StoreValue.cursor, value: cursor) }
            }
        } while !work.isDone
        onProgress(.pulling(applied: pulling.applied))
    }

    private func finish(
        _ sync: SyncRunState,
        diagnostics: [RemoteDiagnostic],
        reported: ReportedRecords?,
        requests: Int,
        conditions: RemoteConditions,
        covering covered: Set<String>?
    ) throws -> (SyncReport, cursor: String?) {
        let now = environment.clock.now()
        return try store.write(.noted) { transaction in
            try transaction.setValue(StoreValue.lastSync, value: now.description)
            let report = try report(
                sync: sync,
                diagnostics: diagnostics,
                requests: requests,
                snapshot: transaction
            )
            var past = PastSync(started: startedAt, ended: now, report: report)
            past.note(conditions)
            try transaction.addHistory(past)
            try transaction.setValue(StoreValue.partial, value: report.outcome == .partial ? "1" : nil)
            if report.outcome == .synced {
                try transaction.noteSuccess(at: now, covering: covered, of: entities)
                try transaction.setValue(
                    StoreValue.confirmedSequence,
                    value: String(transaction.lastSequence())
                )
            }
            let cursor = try transaction.value(name: StoreValue.cursor)
            // If the cursor has moved since, the report may not cover what others reported.
            if let reported, reported.cursor == cursor {
                try transaction.setValue(StoreValue.recordsReported, value: reported.text)
            }
            return (report, cursor)
        }
    }

    /// The report of a failed sync. `sync` is nil if it failed before it took anything in.
    func report(sync: SyncRunState?, requests: Int) -> SyncReport {
        let sync =
            sync
            ?? SyncRunState(entities: store.entities, device: DeviceID(bits: 0), now: environment.clock.now())
        // If the store can no longer be read, the counts so far are all that is known.
        var result =
            (try? store.read {
                try report(sync: sync, diagnostics: [], requests: requests, snapshot: $0)
            })
            ?? SyncReport(
                outcome: .failed,
                requests: requests,
                entities: store.entities.map { sync.reports[$0.name] ?? EntityReport(entity: $0.name) },
                diagnostics: []
            )
        result.outcome = .failed
        return result
    }

    private func report(
        sync: SyncRunState,
        diagnostics: [RemoteDiagnostic],
        requests: Int,
        snapshot: any StoreSnapshot
    ) throws -> SyncReport {
        var entities: [EntityReport] = []
        let rejections = try snapshot.rejections().filter { !$0.isTriedAgain }
        var isPartial = false
        let unclean = try snapshot.unclean()
        for entity in store.entities {
            var counts = sync.reports[entity.name] ?? EntityReport(entity: entity.name)
            if unclean.contains(entity.name) {
                counts.conflicts = try snapshot.keys(entity: entity, in: .conflict, after: nil, limit: .max)
                    .count
            }
            let rejected = Set(rejections.filter { $0.entity == entity.name }.map(\.key))
            counts.rejected = try rejected.union(snapshot.setAside(entity)).count
            if counts.rejected > 0 { isPartial = true }
            entities.append(counts)
        }
        entities.sort { $0.entity.utf8.lexicographicallyPrecedes($1.entity.utf8) }
        let diagnostics =
            try diagnostics + store.entities.flatMap(RemoteDiagnostic.patternsNotChecked)
            + RemoteDiagnostic.withoutSchema(counts: snapshot.uncleanWithoutSchema())
            + RemoteDiagnostic.unknownEntities(rejections, known: store.entities)
        if diagnostics.contains(where: \.isSerious) { isPartial = true }
        return SyncReport(
            outcome: isPartial ? .partial : .synced,
            requests: requests,
            entities: entities,
            diagnostics: diagnostics
        )
    }
}

/// The error of a failed sync, and what the sync had done until then.
struct FailedRun: Error {
    let cause: any Error
    let sync: SyncRunState
}

/// Names of values that the runtime keeps in the store.
package enum StoreValue {
    package static let binding = "binding"
    package static let cursor = "cursor"
    package static let intent = "intent"
    /// Records that were taken in and are still to be resolved.
    package static let unresolved = "unsettled"
    package static let lastSync = "last-sync"
    /// When a sync last exchanged everything.
    package static let lastSuccess = "last-success"
    /// The entities that the last syncs left out, and when they were last exchanged.
    static let skipped = "skipped"
    /// The last sequence number at that time.
    package static let confirmedSequence = "confirmed-sequence"
    /// The highest sequence number of an edit that was ever sent to a remote under the present identity.
    package static let publishedSequence = "published-sequence"
    /// The cursor that the store had under its previous incarnation.
    package static let formerCursor = "former-cursor"
    /// The stores whose records were adopted.
    package static let adoptedStores = "adopted-stores"
    package static let adoptedOwner = "adopted-owner"
    /// The store's former incarnations.
    package static let former = "former"
    /// What absence from the remote's full state means for a new incarnation.
    package static let comparing = "comparing"
    /// The last report of this store's records (`ReportedRecords`).
    package static let recordsReported = "records-told"
    /// The fingerprint of the schemas under which bytes that were set aside were last refused.
    package static let refusedUnder = "refused-under"
    /// Whether the last sync that was not cancelled was partial.
    package static let partial = "partial"
    /// The last syncs.
    package static let history = "sync-history"
    /// The trees in which circles were looked for.
    package static let checkedTrees = "checked-trees"
    package static let checkedUnique = "checked-unique"
    /// How many children were deleted with their parent since somebody viewed the automatic decisions.
    package static let deletedWithParent = "deleted-with-parent"
    /// How many edits the remote has altered since somebody viewed the automatic decisions.
    package static let altered = "altered"
}
