import SyncCore
import SyncSQLite

/// Rows of one entity that a transaction has written, by run.
struct WrittenRows {
    /// The most keys or runs that are kept; above that, all runs count as written.
    static let limit = 256
    private(set) var runs: Set<Int64> = []
    /// Keys whose rows must be looked up.
    private(set) var keys: [RecordKey] = []
    /// Whether there were more than are kept.
    private(set) var isMany = false
    private var lastRun: Int64?

    var isEmpty: Bool { runs.isEmpty && keys.isEmpty && !isMany }

    mutating func insert(row: Int64) {
        let run = row / RecordSums.runLength
        // A pull writes many rows of one run in succession.
        if isMany || run == lastRun { return }
        lastRun = run
        runs.insert(run)
        if runs.count > Self.limit { overflow() }
    }

    mutating func insert(_ key: RecordKey) {
        if isMany { return }
        if keys.count < Self.limit { return keys.append(key) }
        overflow()
    }

    private mutating func overflow() { (runs, keys, isMany) = ([], [], true) }
}

/// Sums of the fingerprints of one entity's live records, by runs of rows. The fingerprint of all of them reads only
/// changed runs again.
struct RecordSums {
    /// Rows per run. Small runs are read quickly, and few runs are summed quickly.
    static let runLength: Int64 = 256

    let connection: Connection
    let table: EntityTable

    private var entity: EntityDescriptor { table.descriptor }

    /// The fingerprint of all live records; nil if the sum of a run is missing.
    func fingerprint() throws -> Digest? {
        let count = try runCount()
        var (found, high, low): (Int64, UInt64, UInt64) = (0, 0, 0)
        try known().forEachRow { row in
            guard row.int64(at: 0) < count else { return }
            found += 1
            high &+= UInt64(bitPattern: row.int64(at: 1))
            low &+= UInt64(bitPattern: row.int64(at: 2))
        }
        return found == count ? Digest(Array("\(high) \(low)".utf8)) : nil
    }

    /// Computes missing sums, until all are there or the limit of rows is reached. Returns how many rows it has read.
    func refresh(atMost limit: Int) throws -> Int {
        var isKnown: Set<Int64> = []
        try known().forEachRow { isKnown.insert($0.int64(at: 0)) }
        let count = try runCount()
        let missing = (0..<count).lazy.filter { !isKnown.contains($0) }
        return try missing.prefix(max(1, limit / Int(Self.runLength))).reduce(0) { $0 + (try sum($1)) }
    }

    /// Forgets the sums of written runs.
    func forget(_ written: WrittenRows, rowOf: (RecordKey) throws -> Int64?) throws {
        guard try areKept() else { return }
        if written.isMany { return try forgetAll() }
        var runs = written.runs
        for key in written.keys {
            if let row = try rowOf(key) { runs.insert(row / Self.runLength) }
        }
        for run in runs {
            let statement = try connection.cached(sql: "DELETE FROM sync_sum WHERE entity = ?1 AND run = ?2")
            try statement.bind(entity.name, at: 1)
            try statement.bind(run, at: 2)
            try statement.run()
        }
    }

    /// Forgets all sums of the entity.
    func forgetAll() throws {
        let statement = try connection.cached(sql: "DELETE FROM sync_sum WHERE entity = ?1")
        try statement.bind(entity.name, at: 1)
        try statement.run()
    }

    private func areKept() throws -> Bool {
        let statement = try connection.cached(sql: "SELECT 1 FROM sync_sum WHERE entity = ?1 LIMIT 1")
        try statement.bind(entity.name, at: 1)
        defer { statement.reset() }
        return try statement.step()
    }

    /// The sums for the present schema.
    private func known() throws -> Statement {
        let statement = try connection.cached(
            sql: "SELECT run, high, low FROM sync_sum WHERE entity = ?1 AND schema = ?2"
        )
        try statement.bind(entity.name, at: 1)
        try statement.bind(entity.contentSchema, at: 2)
        return statement
    }

    /// How many runs there are.
    private func runCount() throws -> Int64 {
        var last: Int64?
        try connection.cached(sql: table.sql.lastRow).forEachRow { last = $0.optionalInt64(at: 0) }
        return last.map { $0 / Self.runLength + 1 } ?? 0
    }

    /// Computes the sum of a run. Returns how many rows it has read.
    private func sum(_ run: Int64) throws -> Int {
        let walk = try connection.cached(sql: table.sql.liveRun)
        try walk.bind(run * Self.runLength, at: 1)
        try walk.bind((run + 1) * Self.runLength - 1, at: 2)
        let row = StatementRow(table: table, statement: walk)
        let digests = ContentDigests(entity)
        var (high, low): (UInt64, UInt64) = (0, 0)
        var rows = 0
        try walk.forEachRow { _ in
            rows += 1
            try row.begin()
            let digest = digests.digest(of: row, key: walk.string(at: row.endOfFields))
            // A sum, so that the order does not matter.
            high &+= digest.high
            low &+= digest.low
        }
        let statement = try connection.cached(
            sql: """
                INSERT INTO sync_sum (entity, run, schema, high, low) VALUES (?1, ?2, ?3, ?4, ?5) \
                ON CONFLICT (entity, run) DO UPDATE \
                SET schema = excluded.schema, high = excluded.high, low = excluded.low
                """
        )
        try statement.bind(entity.name, at: 1)
        try statement.bind(run, at: 2)
        try statement.bind(entity.contentSchema, at: 3)
        try statement.bind(Int64(bitPattern: high), at: 4)
        try statement.bind(Int64(bitPattern: low), at: 5)
        try statement.run()
        return rows
    }
}
