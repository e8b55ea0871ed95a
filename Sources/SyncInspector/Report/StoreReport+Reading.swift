package import SyncCore
package import SyncRuntime

extension StoreReport {
    /// Reads a report from one snapshot.
    ///
    /// - Throws: `SyncError`: `notFound` if the store has never seen the record that was asked for.
    package init(
        snapshot: any StoreSnapshot,
        entities: [EntityDescriptor],
        status: SyncStatus,
        context: ReportContext
    ) throws {
        let limit = context.limits.items
        self.context = context
        self.status = status
        let orphans = status.orphaned > 0 ? try snapshot.waitingChildren(of: entities) : [:]
        self.entities = zip(entities, status.entities).map { entity, counted in
            ReportedEntity(
                name: entity.name,
                strategy: entity.strategy.rawValue,
                counts: counted.counts,
                orphans: orphans[entity.name] ?? 0
            )
        }
        let rejections = try snapshot.rejections()
        waiting = ShownPart(
            elements: try WaitingChange.all(
                snapshot: snapshot,
                entities: entities,
                rejections: rejections,
                limit: limit
            ),
            of: status.pending
        )
        conflicts = ShownPart(
            elements: try ReportedConflict.all(snapshot: snapshot, entities: entities, limit: limit),
            of: status.conflicted
        )
        let standing = rejections.filter { !$0.isTriedAgain }
        rejected = ShownPart(
            elements: try standing.prefix(limit).map {
                let record = try RejectedRecord(rejection: $0, entities: entities, snapshot: snapshot)
                return try ReportedRejection(record: record, entities: entities, snapshot: snapshot)
            },
            of: standing.count
        )
        var damaged = 0
        let entries = try snapshot.journal { _ in damaged += 1 }
        damagedLosses = damaged
        let byName = Dictionary(entities.map { ($0.name, $0) }) { first, _ in first }
        journal = ShownPart(
            elements: try entries.reversed().prefix(limit).compactMap { entry in
                try byName[entry.lost.entity].map {
                    try ReportedLoss(entry: entry, entity: $0, snapshot: snapshot)
                }
            },
            of: entries.count
        )
        syncs = try snapshot.syncHistory().reversed()
        histories = ShownPart(elements: [], of: 0)
        histories = try readHistories(snapshot: snapshot, entities: byName, entries: entries)
    }

    /// The histories of the record that was asked for, and of those of the other lists.
    private func readHistories(
        snapshot: any StoreSnapshot,
        entities: [String: EntityDescriptor],
        entries: [JournalEntry]
    ) throws -> ShownPart<RecordHistory> {
        var names = context.asked.map { [$0] } ?? []
        names += conflicts.elements.map(\.record) + rejected.elements.map(\.record)
        names += journal.elements.map(\.record) + waiting.elements.map(\.record)
        var seen: Set<RecordName> = []
        names = names.filter { seen.insert($0).inserted }
        let chosen = Set(names.prefix(context.limits.histories))
        let losses = Dictionary(
            grouping: entries.lazy.filter {
                chosen.contains(RecordName(entity: $0.lost.entity, key: $0.lost.key))
            }
        ) { RecordName(entity: $0.lost.entity, key: $0.lost.key) }
        let histories = try names.prefix(context.limits.histories).compactMap { name in
            try entities[name.entity].flatMap { entity in
                try RecordHistory(
                    snapshot: snapshot,
                    entity: entity,
                    key: name.key,
                    losses: losses[name] ?? [],
                    own: DeviceID(context.device)
                )
            }
        }
        if let asked = context.asked, histories.first?.record != asked {
            throw SyncError.noSuchRecord(entity: asked.entity)
        }
        return ShownPart(
            elements: histories,
            of: histories.count + max(0, names.count - context.limits.histories)
        )
    }
}
