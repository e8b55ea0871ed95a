/// The statements that write a row, whether or not its key is known. Parameters are those of `EntitySQL`.
struct UpsertSQL {
    let table: String
    let key: String
    let nulls: [String]
    let columns: [String]

    /// Writes all columns except the revision, which describes the remote.
    var record: String {
        let columns = columns.indices.filter { self.columns[$0] != key }
        let replaced = (Self.header + Self.rest + nulls + columns.map { self.columns[$0] }).map(Self.replace)
        return sql(fields: columns, updates: replaced)
    }

    /// Writes a version from the wire, with its revision. Columns of local-only fields, their null bits and the heads
    /// flag of an existing row stay unchanged.
    func wire(localOnly: Set<Int>, slots: [Int]) -> String {
        let columns = columns.indices.filter { self.columns[$0] != key && !localOnly.contains($0) }
        let header = Self.header.filter { $0 != "sync_heads" }
        var updates = (header + Self.rest + [Self.revision] + columns.map { self.columns[$0] }).map(
            Self.replace
        )
        for (number, column) in nulls.enumerated() {
            let kept = localOnly.filter { slots[$0] / EntityTable.slotsPerColumn == number }
            let mask = kept.reduce(Int64(0)) { $0 | 1 << Int64(slots[$1] % EntityTable.slotsPerColumn) }
            updates.append(
                mask == 0
                    ? Self.replace(column)
                    : "\(column) = excluded.\(column) | (\(table).\(column) & \(mask))"
            )
        }
        return sql(fields: columns, updates: updates, hasRevision: true)
    }

    /// Writes a version from the wire, with its revision, if its key is unknown.
    func newWire(localOnly: Set<Int>) -> String {
        let columns = columns.indices.filter { self.columns[$0] != key && !localOnly.contains($0) }
        return insert(fields: columns, hasRevision: true) + " DO NOTHING"
    }

    /// Bookkeeping columns in the order of their parameters.
    private static let header = [
        "sync_state", "sync_visibility", "sync_heads", "sync_time", "sync_device", "sync_sequence",
        "sync_vector",
        "sync_detail",
    ]
    private static let rest = ["sync_merged", "sync_unknown"]
    private static let revision = "sync_revision"

    private static func replace(_ column: String) -> String { "\(column) = excluded.\(column)" }

    private func sql(fields: [Int], updates: [String], hasRevision: Bool = false) -> String {
        insert(fields: fields, hasRevision: hasRevision) + " DO UPDATE SET \(updates.joined(separator: ", "))"
    }

    /// The statement up to its conflict clause.
    private func insert(fields: [Int], hasRevision: Bool) -> String {
        let firstNull = EntitySQL.Parameter.firstNull
        let firstField = firstNull + nulls.count
        let revision = hasRevision ? [Self.revision] : []
        let names = [key] + Self.header + Self.rest + revision + nulls + fields.map { columns[$0] }
        let bookkeeping = 1..<(hasRevision ? firstNull : EntitySQL.Parameter.revision)
        let parameters =
            Array(bookkeeping) + Array(firstNull..<firstField) + fields.map { firstField + $0 }
        return """
            INSERT INTO \(table) (\(names.joined(separator: ", "))) \
            VALUES (\(parameters.map { "?\($0)" }.joined(separator: ", "))) \
            ON CONFLICT (\(key))
            """
    }
}
