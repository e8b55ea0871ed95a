import SyncCore
import SyncSQLite
import SyncWire

/// Reads a log for an exchange.
extension LogSession {
    /// The state of the log that a query asks for.
    mutating func state(query: LogQuery) throws -> LogState {
        var state = LogState(
            epoch: epoch,
            revision: revision,
            run: try runTag(at: revision),
            continuesRun: access.hasBegun(epoch),
            floor: floor
        )
        state.seenRun = try query.seen.map { try runTag(at: $0) } ?? ""
        state.batch = try batch(of: query.device)
        state.records.reserveCapacity(query.records.count)
        rows.reserveCapacity(query.records.count)
        for record in query.records {
            let found = try self.record(record)
            state.records.append(found?.version)
            rows.append(found?.row ?? 0)
        }
        if query.wantsFingerprints { state.fingerprints = try fingerprints(run: state.run) }
        if let exact = query.countsExactlyFrom, state.records.contains(where: { $0 == nil }) {
            state.usedRecords = try countRecords(exactFrom: exact)
        }
        if query.wantsBytes { state.usedBytes = try usedBytes() }
        return state
    }

    /// Fills a page with the records after its places, copying each entry directly from its row.
    mutating func fill(_ page: inout LogPage) throws {
        var sources: [Source] = []
        defer { for source in sources { source.query.reset() } }
        for (entity, position) in page.places where position < revision {
            if let source = try source(entity: entity, after: position) { sources.append(source) }
        }
        while let next = sources.indices.min(by: { sources[$0].revision < sources[$1].revision }) {
            let source = sources[next]
            let isTaken = page.take(
                number: source.revision,
                run: source.query.text(at: 1),
                entry: source.query.blob(at: 2)
            )
            guard isTaken else { return }
            if try source.query.step() {
                sources[next].revision = source.query.int64(at: 0)
            } else {
                sources.remove(at: next)
            }
        }
    }

    /// The rows of one entity after a place; `revision` is that of the current row.
    private struct Source {
        let query: Statement
        var revision: Int64
    }

    private mutating func source(entity: String, after position: Int64) throws -> Source? {
        guard let entity = try id(of: entity) else { return nil }
        let query = try connection.cached(
            sql: """
                SELECT revision, run, entry FROM record
                WHERE log = ?1 AND entity = ?2 AND revision > ?3 ORDER BY revision
                """
        )
        try query.bind(id, at: 1)
        try query.bind(entity, at: 2)
        try query.bind(position, at: 3)
        guard try query.step() else { return nil }
        return Source(query: query, revision: query.int64(at: 0))
    }

    private func countRecords(exactFrom limit: Int) throws -> Int {
        if let known = access.records, known < limit { return known }
        let count = Int(try connection.integer(sql: "SELECT count(*) FROM record"))
        access.records = count
        return count
    }

    private func usedBytes() throws -> Int {
        let pages =
            try connection.integer(sql: "PRAGMA page_count")
            - connection.integer(sql: "PRAGMA freelist_count")
        return Int(pages * (try connection.integer(sql: "PRAGMA page_size")))
    }
}
