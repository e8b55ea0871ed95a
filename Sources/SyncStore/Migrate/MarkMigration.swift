import SyncCore
import SyncSQLite

/// Follows fields whose path on the wire has changed: field timestamps go by that path, and so do values in kept
/// versions.
struct MarkMigration {
    private let connection: Connection
    private let plan: TablePlan
    private let table: EntityTable

    init(connection: Connection, descriptor: EntityDescriptor, plan: TablePlan) throws {
        self.connection = connection
        self.plan = plan
        table = try EntityTable(descriptor: descriptor, shape: plan.shape)
    }

    func run() throws {
        if plan.moved.isEmpty { return }
        try rewriteRows()
        for (kept, column) in [
            ("sync_side", "version"), ("sync_head", "version"), ("sync_journal", "kept"),
            ("sync_journal", "lost"),
        ] {
            try rewriteVersions(kept, column: column)
        }
    }

    private func rewriteRows() throws {
        var details: [(key: String, detail: String)] = []
        let sql = "SELECT \(table.key), sync_detail FROM \(table.name) WHERE sync_detail IS NOT NULL"
        try connection.cached(sql: sql).forEachRow { row in
            details.append((row.string(at: 0), row.string(at: 1)))
        }
        for (key, text) in details {
            let detail: FieldTimestamps
            do {
                detail = try FieldTimestampsCodec.decode(text)
            } catch {
                throw SyncError.damagedRecord(entity: table.descriptor.name, part: "field timestamps")
            }
            let statement = try connection.cached(
                sql: "UPDATE \(table.name) SET sync_detail = ?2 WHERE \(table.key) = ?1"
            )
            try statement.bind(key, at: 1)
            try statement.bind(FieldTimestampsCodec.text(detail: moved(detail: detail)), at: 2)
            try statement.run()
        }
    }

    private func rewriteVersions(_ kept: String, column: String) throws {
        var versions: [(row: Int64, bytes: [UInt8])] = []
        let query = try connection.cached(sql: "SELECT rowid, \(column) FROM \(kept) WHERE entity = ?1")
        try query.bind(table.descriptor.name, at: 1)
        try query.forEachRow { row in versions.append((row.int64(at: 0), row.bytes(at: 1))) }
        for (row, bytes) in versions {
            var version = try table.version(bytes: bytes)
            version.metadata.detail = version.metadata.detail.map(moved)
            for move in plan.moved { take(move.field, from: move.from, record: &version.record) }
            let statement = try connection.cached(sql: "UPDATE \(kept) SET \(column) = ?2 WHERE rowid = ?1")
            try statement.bind(row, at: 1)
            let bytes = EntryCodec.encode(version, descriptor: table.descriptor, keepsLocal: true)
            try statement.bind(bytes, at: 2)
            try statement.run()
        }
    }

    /// Sets a field to the version's value at its former path. A value that does not fit stays there.
    private func take(_ field: String, from path: [String], record: inout Record) {
        let former = MemberTree.path(components: path)
        guard let position = table.descriptor.layout.position(of: field), record.values[position] == nil,
            let index = record.unknown.firstIndex(where: { $0.path.hasSameBytes(as: former) })
        else { return }
        var tree = MemberTree()
        guard tree.insert(table.descriptor.fields[position].wirePath[...], json: record.unknown[index].json)
        else { return }
        var decoder = RecordDecoder(descriptor: table.lenient, form: .wire)
        decoder.requiresAll = false
        guard let value = try? decoder.record(tree.json).values[position] else { return }
        record.values[position] = value
        record.unknown.remove(at: index)
    }

    private func moved(detail: FieldTimestamps) -> FieldTimestamps {
        var moved = detail
        for move in plan.moved {
            let former = MemberTree.path(components: move.from)
            moved.units[former] = nil
            moved.elements[former] = nil
        }
        for move in plan.moved {
            let (former, name) = (
                MemberTree.path(components: move.from), MemberTree.path(components: move.to)
            )
            if let siblings = detail.units[former] { moved.units[name] = siblings }
            if let elements = detail.elements[former] { moved.elements[name] = elements }
        }
        return moved
    }
}
