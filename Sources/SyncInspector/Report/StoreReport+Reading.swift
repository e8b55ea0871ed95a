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
        let changes = try WaitingChange.all(
            snapshot: snapshot,
            entities: entities,
            rejections: rejections,
            limit: limit
        )
        // Some pending records are not sent, such as those that are set aside: a list that was not cut is whole.
        waiting = ShownPart(elements: changes, of: changes.count < limit ? changes.count : status.pending)
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
        titles = [:]
        histories = try readHistories(snapshot: snapshot, entities: byName, entries: entries)
        titles = try readTitles(snapshot: snapshot, entities: byName, entries: entries)
    }

    /// The records of all lists, each once: first the one that was asked for, then those that need a person most.
    private var names: [RecordName] {
        var names = context.asked.map { [$0] } ?? []
        names += conflicts.elements.map(\.record) + rejected.elements.map(\.record)
        names += journal.elements.map(\.record) + waiting.elements.map(\.record)
        var seen: Set<RecordName> = []
        return names.filter { seen.insert($0).inserted }
    }

    /// What people call the records: by the version here, or where that says nothing, by another that is kept.
    private func readTitles(
        snapshot: any StoreSnapshot,
        entities: [String: EntityDescriptor],
        entries: [JournalEntry]
    ) throws -> [RecordName: String] {
        var titles: [RecordName: String] = [:]
        for name in names {
            guard let entity = entities[name.entity] else { continue }
            var title = try snapshot.load(entity: entity, key: name.key).flatMap {
                entity.title(of: $0.version.record)
            }
            for kind in [SideKind.remote, .base, .displaced] where title == nil {
                title = try snapshot.side(entity: entity, key: name.key, kind: kind).flatMap {
                    entity.title(of: $0.record)
                }
            }
            titles[name] = title
        }
        for entry in entries.reversed() {
            let name = RecordName(entity: entry.lost.entity, key: entry.lost.key)
            guard titles[name] == nil, let entity = entities[name.entity] else { continue }
            titles[name] = entity.title(of: entry.lost.record)
        }
        return titles
    }

    /// The histories of the record that was asked for, and of those of the other lists.
    private func readHistories(
        snapshot: any StoreSnapshot,
        entities: [String: EntityDescriptor],
        entries: [JournalEntry]
    ) throws -> ShownPart<RecordHistory> {
        let names = names
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
