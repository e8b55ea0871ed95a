import SyncCore
import SyncSQLite
import SyncWire

/// One log within a transaction on its account's file.
struct LogSession {
    let access: AccountLogs.Access
    /// The log's id in its file.
    let id: Int64
    /// The log's history: 128 random bits. A restarted log gets a new one.
    let epoch: String
    /// The highest revision.
    private(set) var revision: Int64
    /// The highest revision of a purged tombstone.
    let floor: Int64
    private let random: any RandomSource
    /// The row ids of the query's records; 0 for a missing record.
    var rows: [Int64] = []
    private var entityIDs: [String: Int64] = [:]
    /// The run that was looked up last.
    private var knownRun: (revisions: Range<Int64>, tag: String)?
    /// What entries of an entity begin with. Kept, because its buffer is used again for each record.
    private var heads: [Int64: EntryHead] = [:]
    // Prepared once, because a push uses it for each of its changes. The transaction ends before anybody else
    // needs it.
    private var recordQuery: Statement?
    private var recordUpsert: Statement?

    var connection: Connection { access.connection }

    /// Finds the log; nil if there is none with that name.
    init?(name: LogName, access: AccountLogs.Access, random: any RandomSource) throws {
        let query = try access.connection.cached(
            sql: "SELECT id, epoch, revision, floor FROM log WHERE name = ?1"
        )
        defer { query.reset() }
        try query.bind(name.text, at: 1)
        guard try query.step() else { return nil }
        self.access = access
        self.random = random
        id = query.int64(at: 0)
        epoch = query.string(at: 1)
        revision = query.int64(at: 2)
        floor = query.int64(at: 3)
    }

    /// Creates an empty log.
    static func make(
        _ name: LogName,
        on connection: Connection,
        now: Timestamp,
        random: any RandomSource
    ) throws {
        let insert = try connection.cached(
            sql: "INSERT INTO log (name, epoch, revision, floor, made_at) VALUES (?1, ?2, 0, 0, ?3)"
        )
        try insert.bind(name.text, at: 1)
        try insert.bind(epoch(random: random), at: 2)
        try insert.bind(now.microseconds, at: 3)
        try insert.run()
    }

    /// Restarts the log: a new epoch and no records.
    func restart() throws {
        try removeContent()
        let update = try connection.cached(
            sql: "UPDATE log SET epoch = ?2, revision = 0, floor = 0 WHERE id = ?1"
        )
        try update.bind(id, at: 1)
        try update.bind(Self.epoch(random: random), at: 2)
        try update.run()
    }

    /// Removes the log.
    func remove() throws {
        try removeContent()
        let delete = try connection.cached(sql: "DELETE FROM log WHERE id = ?1")
        try delete.bind(id, at: 1)
        try delete.run()
    }

    private func removeContent() throws {
        let tables = ["record", "device", "run"] + (try hasFingerprints() ? ["fingerprint"] : [])
        for table in tables {
            let delete = try connection.cached(sql: "DELETE FROM \(table) WHERE log = ?1")
            try delete.bind(id, at: 1)
            try delete.run()
        }
    }

    /// Makes a new epoch.
    static func epoch(random: any RandomSource) -> String {
        DeviceID(bits: random.next()).description + DeviceID(bits: random.next()).description
    }

    /// The tag of the run that contains a position; empty at 0.
    func runTag(at position: Int64) throws -> String {
        let query = try connection.cached(
            sql: "SELECT tag FROM run WHERE log = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1"
        )
        defer { query.reset() }
        try query.bind(id, at: 1)
        try query.bind(position, at: 2)
        return try query.step() ? query.string(at: 0) : ""
    }

    /// The tag of the run of a stored revision. Revisions that are asked for one after the other are mostly of one run.
    mutating func run(of revision: Int64) throws -> String {
        if let knownRun, knownRun.revisions.contains(revision) { return knownRun.tag }
        let query = try connection.cached(
            sql: """
                SELECT first, tag, (SELECT min(first) FROM run WHERE log = ?1 AND first > ?2) FROM run
                WHERE log = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1
                """
        )
        defer { query.reset() }
        try query.bind(id, at: 1)
        try query.bind(revision, at: 2)
        guard try query.step() else { throw WireError.damagedLog() }
        let tag = query.string(at: 1)
        knownRun = (query.int64(at: 0)..<(query.optionalInt64(at: 2) ?? .max), tag)
        return tag
    }

    /// The last batch of a device; nil if it has pushed none.
    func batch(of device: DeviceID) throws -> String? {
        let query = try connection.cached(sql: "SELECT batch FROM device WHERE log = ?1 AND device = ?2")
        defer { query.reset() }
        try query.bind(id, at: 1)
        try query.bind(device.description, at: 2)
        return try query.step() ? query.string(at: 0) : nil
    }

    /// Saves the last batch of a device.
    private func save(batch: String, of device: DeviceID) throws {
        let upsert = try connection.cached(
            sql: "INSERT OR REPLACE INTO device (log, device, batch) VALUES (?1, ?2, ?3)"
        )
        try upsert.bind(id, at: 1)
        try upsert.bind(device.description, at: 2)
        try upsert.bind(batch, at: 3)
        try upsert.run()
    }

    /// The id of an entity in this file; nil if no record of it was ever stored.
    mutating func id(of entity: String) throws -> Int64? {
        if let id = entityIDs[entity] { return id }
        let query = try connection.cached(sql: "SELECT id FROM entity WHERE name = ?1")
        defer { query.reset() }
        try query.bind(entity, at: 1)
        guard try query.step() else { return nil }
        let id = query.int64(at: 0)
        entityIDs[entity] = id
        return id
    }

    private mutating func madeID(of entity: String) throws -> Int64 {
        if let id = try id(of: entity) { return id }
        let insert = try connection.cached(sql: "INSERT INTO entity (name) VALUES (?1)")
        try insert.bind(entity, at: 1)
        try insert.run()
        let id = connection.lastInsertRowID
        entityIDs[entity] = id
        return id
    }

    /// The present version of a record, without its entry, and its row id.
    mutating func record(_ record: LogRecordID) throws -> (version: StoredVersion, row: Int64)? {
        guard let entity = try id(of: record.entity) else { return nil }
        let query =
            try recordQuery
            ?? connection.cached(
                sql: """
                    SELECT revision, mark, pushed, vector, length(entry),
                        \(EntryHead.isWhole), id
                    FROM record WHERE log = ?1 AND entity = ?2 AND key = ?3
                    """
            )
        recordQuery = query
        defer { query.reset() }
        try query.bind(id, at: 1)
        try query.bind(entity, at: 2)
        let key = StoredKey(record.key)
        try key.bind(to: query, at: 3)
        guard try query.step() else { return nil }
        let mark = EditTimestamp(query.text(at: 1))
        let sent = query.isNull(at: 2) ? mark : EditTimestamp(query.text(at: 2))
        guard let mark, let sent else { throw WireError.damagedLog() }
        let vector = query.optionalString(at: 3)
        var head = heads.removeValue(forKey: entity) ?? EntryHead(entity: record.entity)
        head.write(key: key, mark: query.text(at: 1), vector: vector)
        heads[entity] = head
        let version = StoredVersion(
            number: query.int64(at: 0),
            run: try run(of: query.int64(at: 0)),
            editTimestamp: mark,
            pushed: sent,
            vector: vector ?? VersionVector(mark).description,
            entryBytes: Int(query.int64(at: 4)) + (query.int64(at: 5) == 1 ? 0 : head.bytes.count)
        )
        return (version, query.int64(at: 6))
    }

    /// The entries of some of the query's records.
    func entries(at places: [Int]) throws -> [[UInt8]] {
        guard !places.isEmpty else { return [] }
        let query = try connection.cached(
            sql: """
                SELECT name, \(EntryHead.columns) FROM record JOIN entity ON entity.id = record.entity
                WHERE record.id = ?1
                """
        )
        defer { query.reset() }
        return try places.map { place in
            query.reset()
            try query.bind(rows[place], at: 1)
            guard try query.step() else { throw WireError.damagedLog() }
            var head = EntryHead(entity: query.string(at: 0))
            try head.read(query, at: 1)
            return head.bytes
        }
    }

    /// Writes the commit of an exchange.
    mutating func write(_ commit: LogCommit, device: DeviceID) throws {
        if !commit.versions.isEmpty, !access.hasBegun(epoch) { try begin(run: commit.run) }
        for version in commit.versions { try store(version, commit: commit) }
        if !commit.versions.isEmpty { try saveRevision() }
        if let records = access.records {
            access.records = records + commit.versions.count { $0.isNew }
        }
        if let batch = commit.batch { try save(batch: batch, of: device) }
        if let fingerprints = commit.fingerprints { try save(fingerprints) }
    }

    /// Starts a run with the first write of each connection. So a revision that is issued again after a
    /// restored backup has another tag than the lost one.
    private mutating func begin(run: String) throws {
        knownRun = nil
        let insert = try connection.cached(sql: "INSERT INTO run (log, first, tag) VALUES (?1, ?2, ?3)")
        try insert.bind(id, at: 1)
        try insert.bind(revision + 1, at: 2)
        try insert.bind(run, at: 3)
        try insert.run()
        access.begin(epoch)
    }

    /// Stores a version under the next revision.
    private mutating func store(_ version: NewVersion, commit: LogCommit) throws {
        let entity = try madeID(of: version.record.entity)
        revision += 1
        let upsert =
            try recordUpsert
            ?? connection.cached(
                sql: """
                    INSERT INTO record (log, entity, key, revision, mark, pushed, vector, deleted, stored_at, entry)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                    ON CONFLICT (log, entity, key) DO UPDATE SET
                        revision = ?4, mark = ?5, pushed = ?6, vector = ?7, deleted = ?8, stored_at = ?9, entry = ?10
                    """
            )
        recordUpsert = upsert
        let key = StoredKey(version.record.key)
        try upsert.bind(id, at: 1)
        try upsert.bind(entity, at: 2)
        try key.bind(to: upsert, at: 3)
        try upsert.bind(revision, at: 4)
        let mark = version.editTimestamp.description
        let vector = version.vector == VersionVector(version.editTimestamp).description ? nil : version.vector
        try upsert.bind(mark, at: 5)
        try upsert.bind(version.pushed == version.editTimestamp ? nil : version.pushed.description, at: 6)
        try upsert.bind(vector, at: 7)
        try upsert.bind(Int64(version.isDeleted ? 1 : 0), at: 8)
        try upsert.bind(commit.time.microseconds, at: 9)
        var head = heads.removeValue(forKey: entity) ?? EntryHead(entity: version.record.entity)
        head.write(key: key, mark: mark.utf8, vector: vector)
        try version.entry.withUnsafeBufferPointer { entry in
            try upsert.bindBlobWithoutCopy(head.rest(of: entry), at: 10)
            try upsert.run()
        }
        heads[entity] = head
    }

    /// Saves the log's highest revision.
    private func saveRevision() throws {
        let update = try connection.cached(sql: "UPDATE log SET revision = ?2 WHERE id = ?1")
        try update.bind(id, at: 1)
        try update.bind(revision, at: 2)
        try update.run()
    }
}
