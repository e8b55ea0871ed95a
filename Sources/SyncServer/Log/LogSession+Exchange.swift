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

    /// Fills a page with the records after its places.
    mutating func fill(_ page: inout LogPage) throws {
        var sources: [Source] = []
        defer { for source in sources { source.query.reset() } }
        for (entity, position) in page.places where position < revision {
            if let source = try source(entity: entity, after: position) { sources.append(source) }
        }
        while let next = sources.indices.min(by: { sources[$0].revision < sources[$1].revision }) {
            let revision = sources[next].revision
            var run = try run(of: revision)
            try sources[next].readEntry()
            let isTaken = run.withUTF8 { run in
                sources[next].head.bytes.withUnsafeBufferPointer { entry in
                    page.take(number: revision, run: run, entry: entry)
                }
            }
            guard isTaken else { return }
            if try !sources[next].step() { sources.remove(at: next) }
        }
    }

    /// The rows of one entity after a place; `revision` is that of the current row.
    private struct Source {
        let query: Statement
        var revision: Int64
        var head: EntryHead

        /// Makes `head` the entry of the current row.
        mutating func readEntry() throws { try head.read(query, at: 1) }

        /// Goes to the next row; false after the last.
        mutating func step() throws -> Bool {
            guard try query.step() else { return false }
            revision = query.int64(at: 0)
            return true
        }
    }

    private mutating func source(entity name: String, after position: Int64) throws -> Source? {
        guard let entity = try id(of: name) else { return nil }
        let query = try connection.cached(
            sql: """
                SELECT revision, \(EntryHead.columns) FROM record
                WHERE log = ?1 AND entity = ?2 AND revision > ?3 ORDER BY revision
                """
        )
        try query.bind(id, at: 1)
        try query.bind(entity, at: 2)
        try query.bind(position, at: 3)
        guard try query.step() else { return nil }
        return Source(query: query, revision: query.int64(at: 0), head: EntryHead(entity: name))
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
