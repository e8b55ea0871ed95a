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
                    SELECT revision, run, mark, pushed, vector, length(entry), id FROM record
                    WHERE log = ?1 AND entity = ?2 AND key = ?3
                    """
            )
        recordQuery = query
        defer { query.reset() }
        try query.bind(id, at: 1)
        try query.bind(entity, at: 2)
        try StoredKey(record.key).bind(to: query, at: 3)
        guard try query.step() else { return nil }
        guard let editTimestamp = EditTimestamp(query.text(at: 2)),
            let pushed = EditTimestamp(query.text(at: 3))
        else {
            throw WireError.damagedLog()
        }
        let version = StoredVersion(
            number: query.int64(at: 0),
            run: query.string(at: 1),
            editTimestamp: editTimestamp,
            pushed: pushed,
            vector: query.string(at: 4),
            entryBytes: Int(query.int64(at: 5))
        )
        return (version, query.int64(at: 6))
    }

    /// The entries of some of the query's records.
    func entries(at places: [Int]) throws -> [[UInt8]] {
        guard !places.isEmpty else { return [] }
        let query = try connection.cached(sql: "SELECT entry FROM record WHERE id = ?1")
        defer { query.reset() }
        return try places.map { place in
            query.reset()
            try query.bind(rows[place], at: 1)
            guard try query.step() else { throw WireError.damagedLog() }
            return query.bytes(at: 0)
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
    private func begin(run: String) throws {
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
                    INSERT INTO record
                        (log, entity, key, revision, run, mark, pushed, vector, deleted, stored_at, entry)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
                    ON CONFLICT (log, entity, key) DO UPDATE SET
                        revision = ?4, run = ?5, mark = ?6, pushed = ?7, vector = ?8, deleted = ?9, stored_at = ?10,
                        entry = ?11
                    """
            )
        recordUpsert = upsert
        try upsert.bind(id, at: 1)
        try upsert.bind(entity, at: 2)
        try StoredKey(version.record.key).bind(to: upsert, at: 3)
        try upsert.bind(revision, at: 4)
        try upsert.bind(commit.run, at: 5)
        let editTimestamp = version.editTimestamp.description
        try upsert.bind(editTimestamp, at: 6)
        try upsert.bind(
            version.pushed == version.editTimestamp ? editTimestamp : version.pushed.description,
            at: 7
        )
        try upsert.bind(version.vector, at: 8)
        try upsert.bind(Int64(version.isDeleted ? 1 : 0), at: 9)
        try upsert.bind(commit.time.microseconds, at: 10)
        try version.entry.withUnsafeBufferPointer { entry in
            try upsert.bindBlobWithoutCopy(entry, at: 11)
            try upsert.run()
        }
    }

    /// Saves the log's highest revision.
    private func saveRevision() throws {
        let update = try connection.cached(sql: "UPDATE log SET revision = ?2 WHERE id = ?1")
        try update.bind(id, at: 1)
        try update.bind(revision, at: 2)
        try update.run()
    }
}
