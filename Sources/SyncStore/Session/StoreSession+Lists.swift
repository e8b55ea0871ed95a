import SyncCore
import SyncSQLite

/// Small values, sequence numbers, the journal, rejections and history.
extension StoreSession {
    func value(name: String) throws -> String? {
        try withStoreErrors {
            let statement = try query(sql: "SELECT value FROM sync_value WHERE name = ?1", values: name)
            defer { statement.reset() }
            return try statement.step() ? statement.string(at: 0) : nil
        }
    }

    func setValue(_ name: String, value: String?) throws {
        try withStoreErrors {
            guard let value else {
                return try query(sql: "DELETE FROM sync_value WHERE name = ?1", values: name).run()
            }
            let sql = """
                INSERT INTO sync_value (name, value) VALUES (?1, ?2) \
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """
            try query(sql: sql, values: name, value).run()
        }
    }

    func nextSequence() throws -> Int64 {
        try withStoreErrors {
            try query(sql: "UPDATE sync_sequence SET last = last + 1 WHERE id = 1").run()
            let sequence = try lastSequence()
            guard sequence > 0 else {
                throw SyncError.damagedStore(detail: "the sequence counter is missing")
            }
            hasTakenSequence = true
            return sequence
        }
    }

    func lastSequence() throws -> Int64 {
        try withStoreErrors {
            let statement = try query(sql: "SELECT last FROM sync_sequence WHERE id = 1")
            defer { statement.reset() }
            return try statement.step() ? statement.int64(at: 0) : 0
        }
    }

    func journal(onDamage: (SyncError) throws -> Void) throws -> [JournalEntry] {
        try withStoreErrors {
            var entries: [JournalEntry] = []
            try query(sql: "SELECT id, at, entity, rule, kept, lost FROM sync_journal ORDER BY number")
                .forEachRow { row in
                    // An entry of an entity without a loaded schema stays, and is returned once the schema is loaded.
                    guard let table = try entity(named: row.string(at: 2))?.table else { return }
                    do {
                        let (kept, lost) = (
                            try table.version(bytes: row.bytes(at: 4)),
                            try table.version(bytes: row.bytes(at: 5))
                        )
                        entries.append(
                            JournalEntry(
                                id: row.string(at: 0),
                                at: Timestamp(microseconds: row.int64(at: 1)),
                                rule: row.string(at: 3),
                                kept: kept,
                                lost: lost
                            )
                        )
                    } catch let error
                        where error is FieldError || error is JSONError
                        || (error as? SyncError)?.kind == .unreadableStore
                    {
                        try onDamage(.damagedRecord(entity: table.descriptor.name, part: "journal entry"))
                    }
                }
            return entries
        }
    }

    func addJournal(_ entry: JournalEntry) throws {
        guard let table = try entity(named: entry.lost.entity)?.table else {
            throw SyncError.storeMisuse(
                sentence: "A journal entry names an entity that the store does not hold."
            )
        }
        try withStoreErrors {
            let sql = """
                INSERT INTO sync_journal (id, entity, key, rule, at, kept, lost) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
                ON CONFLICT (id) DO NOTHING
                """
            let statement = try query(
                sql: sql,
                values: entry.id,
                entry.lost.entity,
                entry.lost.key.text,
                entry.rule
            )
            try statement.bind(entry.at.microseconds, at: 5)
            try statement.bind(
                EntryCodec.encode(entry.kept, descriptor: table.descriptor, keepsLocal: true),
                at: 6
            )
            try statement.bind(
                EntryCodec.encode(entry.lost, descriptor: table.descriptor, keepsLocal: true),
                at: 7
            )
            try statement.run()
        }
    }

    func removeJournal(_ id: String) throws {
        try withStoreErrors { try query(sql: "DELETE FROM sync_journal WHERE id = ?1", values: id).run() }
    }

    func rejections() throws -> [Rejection] {
        try withStoreErrors { try query(sql: "\(Self.selectRejections) ORDER BY since, id").rejections() }
    }

    func rejection(entity: String, key: RecordKey) throws -> Rejection? {
        try withStoreErrors {
            guard try mayHoldRejections() else { return nil }
            let sql = "\(Self.selectRejections) WHERE entity = ?1 AND key = ?2"
            return try query(sql: sql, values: entity, key.text).rejections().first
        }
    }

    private static let selectRejections =
        "SELECT entity, key, reason, attempts, raw, since FROM sync_rejection"

    func setRejection(_ rejection: Rejection) throws {
        hasRejections = true
        touch(entity: rejection.entity)
        try withStoreErrors {
            let sql = """
                INSERT INTO sync_rejection (entity, key, reason, attempts, raw, since) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                ON CONFLICT (entity, key) DO UPDATE SET reason = excluded.reason, attempts = excluded.attempts, \
                raw = excluded.raw, since = excluded.since
                """
            let statement = try query(
                sql: sql,
                values: rejection.entity,
                rejection.key.text,
                rejection.reason
            )
            try statement.bind(rejection.attempts, at: 4)
            try statement.bind(rejection.raw, at: 5)
            try statement.bind(rejection.since.microseconds, at: 6)
            try statement.run()
        }
    }

    func removeRejection(entity: String, key: RecordKey, seenBy vector: VersionVector?) throws {
        try withStoreErrors {
            // Every record that is taken in checks this, and there are hardly ever rejections.
            if try !mayHoldRejections() { return }
            if let vector, try rejection(entity: entity, key: key)?.holdsMore(than: vector) == true { return }
            touch(entity: entity)
            try query(
                sql: "DELETE FROM sync_rejection WHERE entity = ?1 AND key = ?2",
                values: entity,
                key.text
            ).run()
        }
    }

    private func mayHoldRejections() throws -> Bool {
        if let hasRejections { return hasRejections }
        let statement = try query(sql: "SELECT 1 FROM sync_rejection LIMIT 1")
        defer { statement.reset() }
        let found = try statement.step()
        hasRejections = found
        return found
    }

    func history(entity: EntityDescriptor, key: RecordKey) throws -> [HistoryEntry] {
        let name = try self.entity(descriptor: entity).table.descriptor.name
        return try withStoreErrors {
            var entries: [HistoryEntry] = []
            let sql = "SELECT at, event, detail FROM sync_history WHERE entity = ?1 AND key = ?2 ORDER BY id"
            try query(sql: sql, values: name, key.text).forEachRow { row in
                entries.append(
                    HistoryEntry(
                        at: Timestamp(microseconds: row.int64(at: 0)),
                        event: row.string(at: 1),
                        detail: row.string(at: 2)
                    )
                )
            }
            return entries
        }
    }

    func addHistory(entity: EntityDescriptor, key: RecordKey, entry: HistoryEntry) throws {
        let name = try self.entity(descriptor: entity).table.descriptor.name
        try withStoreErrors {
            let sql = "INSERT INTO sync_history (entity, key, event, detail, at) VALUES (?1, ?2, ?3, ?4, ?5)"
            let statement = try query(sql: sql, values: name, key.text, entry.event, entry.detail)
            try statement.bind(entry.at.microseconds, at: 5)
            try statement.run()
            let oldest = """
                SELECT id FROM sync_history WHERE entity = ?1 AND key = ?2 ORDER BY id DESC \
                LIMIT 1 OFFSET \(StoreFormat.maxHistoryEntries)
                """
            let prune = "DELETE FROM sync_history WHERE entity = ?1 AND key = ?2 AND id <= (\(oldest))"
            try query(sql: prune, values: name, key.text).run()
        }
    }
}

extension Statement {
    fileprivate func rejections() throws -> [Rejection] {
        var rejections: [Rejection] = []
        try forEachRow { row in
            rejections.append(
                Rejection(
                    entity: row.string(at: 0),
                    key: RecordKey(row.string(at: 1)),
                    reason: row.string(at: 2),
                    attempts: Int(row.int64(at: 3)),
                    raw: row.optionalBytes(at: 4),
                    since: Timestamp(microseconds: row.int64(at: 5))
                )
            )
        }
        return rejections
    }
}
