import SyncCore
import SyncSQLite

/// Fingerprints that devices sent at a position of the log.
extension LogSession {
    /// The name of the log's end. The run distinguishes logs that end at the same revision with different
    /// records.
    private func position(run: String) -> String { "\(revision)-\(run)" }

    /// The fingerprints that devices sent at the end of the log.
    func fingerprints(run: String) throws -> [DeviceFingerprints] {
        guard try hasFingerprints() else { return [] }
        let query = try access.connection.cached(
            sql: "SELECT device, told_at, records FROM fingerprint WHERE log = ?1 AND position = ?2"
        )
        try query.bind(id, at: 1)
        try query.bind(position(run: run), at: 2)
        var all: [DeviceFingerprints] = []
        try query.forEachRow { row in
            guard let device = DeviceID(row.string(at: 0)) else { return }
            let time = Timestamp(microseconds: row.int64(at: 1))
            all.append(DeviceFingerprints(device: device, time: time, text: row.string(at: 2)))
        }
        return all
    }

    /// Saves a device's fingerprints at the end of the log and replaces its older ones. Above the limit of
    /// devices, the oldest fingerprints are removed.
    func save(_ fingerprints: DeviceFingerprints) throws {
        if try !hasFingerprints() { try access.connection.execute(LogFormat.fingerprintTable) }
        let upsert = try access.connection.cached(
            sql:
                "INSERT OR REPLACE INTO fingerprint (log, device, position, told_at, records) VALUES (?1, ?2, ?3, ?4, ?5)"
        )
        try upsert.bind(id, at: 1)
        try upsert.bind(fingerprints.device.description, at: 2)
        try upsert.bind(position(run: runTag(at: revision)), at: 3)
        try upsert.bind(fingerprints.time.microseconds, at: 4)
        try upsert.bind(fingerprints.text, at: 5)
        try upsert.run()
        let trim = try access.connection.cached(
            sql: """
                DELETE FROM fingerprint WHERE log = ?1 AND device IN (
                    SELECT device FROM fingerprint WHERE log = ?1 ORDER BY told_at DESC, device LIMIT -1 OFFSET ?2
                )
                """
        )
        try trim.bind(id, at: 1)
        try trim.bind(Int64(LogCommit.maxDevices), at: 2)
        try trim.run()
    }

    /// Whether the file has the fingerprint table. A file of an older server gets it with the first
    /// fingerprints.
    func hasFingerprints() throws -> Bool {
        if access.hasFingerprints { return true }
        access.hasFingerprints =
            try access.connection.integer(
                sql: "SELECT count(*) FROM sqlite_schema WHERE name = 'fingerprint'"
            ) > 0
        return access.hasFingerprints
    }
}
