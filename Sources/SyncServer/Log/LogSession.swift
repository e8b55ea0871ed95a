import SyncCore
import SyncSQLite
import SyncWire

/// One log while its account's file is locked and a transaction is open: what it holds, and how it grows.
struct LogSession {
    let access: AccountLogs.Access
    /// Names the log in its file.
    let id: Int64
    /// The log's own history: 128 random bits. A log that begins anew has another.
    let epoch: String
    /// The highest revision.
    private(set) var revision: Int64
    /// The highest revision of a tombstone that was purged.
    let floor: Int64
    private let random: any RandomSource
    private var run: String?
    private var entityIDs: [String: Int64] = [:]
    // NB: taken once, as a push uses them for each of its changes; the transaction ends before anyone else takes them.
    private var recordQuery: Statement?
    private var recordUpsert: Statement?

    private var connection: Connection { access.connection }

    /// The log, or nil when there is none of that name.
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

    /// Makes a log without anything in it.
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

    /// Begins the log anew: another epoch, and nothing in it.
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

    private static func epoch(random: any RandomSource) -> String {
        DeviceID(bits: random.next()).description + DeviceID(bits: random.next()).description
    }

    /// The tag of the run that holds a position; empty at 0, which no run holds.
    func runTag(at position: Int64) throws -> String {
        let query = try connection.cached(
            sql: "SELECT tag FROM run WHERE log = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1"
        )
        defer { query.reset() }
        try query.bind(id, at: 1)
        try query.bind(position, at: 2)
        return try query.step() ? query.string(at: 0) : ""
    }

    /// The last batch of a device; nil when it has pushed none.
    func batch(of device: DeviceID) throws -> String? {
        let query = try connection.cached(sql: "SELECT batch FROM device WHERE log = ?1 AND device = ?2")
        defer { query.reset() }
        try query.bind(id, at: 1)
        try query.bind(device.description, at: 2)
        return try query.step() ? query.string(at: 0) : nil
    }

    /// Notes the last batch of a device.
    func save(batch: String, of device: DeviceID) throws {
        let upsert = try connection.cached(
            sql: "INSERT OR REPLACE INTO device (log, device, batch) VALUES (?1, ?2, ?3)"
        )
        try upsert.bind(id, at: 1)
        try upsert.bind(device.description, at: 2)
        try upsert.bind(batch, at: 3)
        try upsert.run()
    }

    /// The number that stands for an entity in this file; nil where no record of it was ever stored.
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

    /// What the log holds of a record.
    mutating func record(entity: String, key: StoredKey) throws -> StoredRecord? {
        guard let entity = try id(of: entity) else { return nil }
        let query =
            try recordQuery
            ?? connection.cached(
                sql: """
                    SELECT revision, run, mark, pushed, vector, entry FROM record
                    WHERE log = ?1 AND entity = ?2 AND key = ?3
                    """
            )
        recordQuery = query
        defer { query.reset() }
        try query.bind(id, at: 1)
        try query.bind(entity, at: 2)
        try key.bind(to: query, at: 3)
        guard try query.step() else { return nil }
        guard let editTimestamp = EditTimestamp(query.text(at: 2)),
            let pushed = EditTimestamp(query.text(at: 3))
        else {
            throw WireError.damagedLog()
        }
        return StoredRecord(
            number: query.int64(at: 0),
            revision: StoredRecord.revision(number: query.int64(at: 0), run: query.string(at: 1)),
            editTimestamp: editTimestamp,
            pushed: pushed,
            vector: query.string(at: 4),
            entry: query.bytes(at: 5)
        )
    }

    /// Stores a version under the next revision, which it returns as a number and as the record's state.
    mutating func store(version: NewVersion, now: Timestamp) throws -> (number: Int64, name: Revision) {
        let run = try currentRun()
        let entity = try madeID(of: version.entity)
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
        try version.key.bind(to: upsert, at: 3)
        try upsert.bind(revision, at: 4)
        try upsert.bind(run, at: 5)
        let editTimestamp = version.editTimestamp.description
        try upsert.bind(editTimestamp, at: 6)
        try upsert.bind(
            version.pushed == version.editTimestamp ? editTimestamp : version.pushed.description,
            at: 7
        )
        try upsert.bind(version.vector, at: 8)
        try upsert.bind(Int64(version.isDeleted ? 1 : 0), at: 9)
        try upsert.bind(now.microseconds, at: 10)
        try version.entry.withUnsafeBufferPointer { entry in
            try upsert.bindBlobWithoutCopy(entry, at: 11)
            try upsert.run()
        }
        return (revision, StoredRecord.revision(number: revision, run: run))
    }

    /// Writes down how far the log has grown. To be called once, after the last `store`.
    func saveRevision() throws {
        let update = try connection.cached(sql: "UPDATE log SET revision = ?2 WHERE id = ?1")
        try update.bind(id, at: 1)
        try update.bind(revision, at: 2)
        try update.run()
    }

    /// The tag of the run that the next revision belongs to. Each opening of the file begins one with its first write:
    /// so a revision that is given again after a backup was put back has another tag than the lost one.
    private mutating func currentRun() throws -> String {
        if let run { return run }
        if access.begin(epoch) {
            let insert = try connection.cached(sql: "INSERT INTO run (log, first, tag) VALUES (?1, ?2, ?3)")
            let tag = DeviceID(bits: random.next()).description
            try insert.bind(id, at: 1)
            try insert.bind(revision + 1, at: 2)
            try insert.bind(tag, at: 3)
            try insert.run()
            run = tag
            return tag
        }
        let tag = try runTag(at: revision)
        run = tag
        return tag
    }
}

/// What the log holds of a record.
struct StoredRecord {
    /// The state's number in the log.
    var number: Int64
    /// The state's name.
    var revision: Revision
    /// The version's mark as it was stored.
    var editTimestamp: EditTimestamp
    /// The version's mark as it was sent.
    var pushed: EditTimestamp
    /// The version's vector as text.
    var vector: String
    /// The entry, without revision.
    var entry: [UInt8]

    /// The entry with the state's name.
    var answer: [UInt8] { Self.answer(revision: revision, entry: entry) }

    /// A state's name: its number, and the run that gave the number.
    static func revision(number: Int64, run: String) -> Revision { Revision(String(number) + "-" + run) }

    /// An entry with the name of its state. Entries begin with `{"entity"`, so that the name fits in front.
    static func answer(revision: Revision, entry: some Collection<UInt8>) -> [UInt8] {
        var bytes = Array("{\"revision\":\"\(revision.text)\",".utf8)
        bytes.reserveCapacity(bytes.count + entry.count)
        bytes.append(contentsOf: entry.dropFirst())
        return bytes
    }
}

/// A version on its way into the log.
struct NewVersion {
    var entity: String
    var key: StoredKey
    var editTimestamp: EditTimestamp
    var pushed: EditTimestamp
    var vector: String
    var isDeleted: Bool
    var entry: [UInt8]
}
