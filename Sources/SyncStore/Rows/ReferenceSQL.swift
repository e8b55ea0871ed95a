import SyncCore
import SyncSQLite

/// The SQL that follows a reference: from a record to those that hold its key, and from these to it.
struct ReferenceSQL {
    let reference: ReferenceDescriptor
    let child: EntityTable
    /// The columns of the reference, quoted.
    let columns: [String]
    /// The types of their values.
    let types: [FieldType]
    /// The index of a list's keys; nil for a reference that is no list.
    let elements: ElementIndex?

    /// - Throws: `storeMisuse` for a field that the entity does not have.
    init(_ reference: ReferenceDescriptor, child: EntityTable) throws {
        self.reference = reference
        self.child = child
        let fields = try reference.fields.map { try child.column(field: $0) }
        columns = fields.map(\.name)
        types = fields.map(\.type)
        elements = try ElementIndex(table: child, field: reference.field)
    }

    /// The values to look for in the columns, or in a list, for a key; nil if they cannot hold it.
    func values(of key: RecordKey) -> [FieldValue]? {
        if elements != nil, case .array(let element, _, _, _, _) = types[0] {
            return key.values(types: [element])
        }
        return key.values(types: types)
    }

    /// Keys of records that hold a key, whose values are the parameters, and are live or set aside.
    var children: String {
        let aside = "sync_visibility = \(LocalRecord.Visibility.setAside.rawValue)"
        return
            "SELECT \(child.key) FROM \(child.name) WHERE \(holdsKey) AND (\(isLive) OR \(aside)) ORDER BY \(child.key)"
    }

    /// Keys of tombstones that hold a key, whose values are the parameters, and were caused by the parent's delete.
    var tombstonedChildren: String {
        """
        SELECT \(child.key) FROM \(child.name) WHERE \(holdsKey) AND sync_detail LIKE '%"cause":[%' \
        AND sync_visibility = \(LocalRecord.Visibility.deleted.rawValue) ORDER BY \(child.key)
        """
    }

    /// Keys of live records with references that deletes have cleared.
    static func cleared(in child: EntityTable) -> String {
        """
        SELECT \(child.key) FROM \(child.name) WHERE \(hasCleared) \
        AND sync_visibility = \(LocalRecord.Visibility.live.rawValue) ORDER BY \(child.key)
        """
    }

    /// Whether a row has such references. An index holds the rows for which this is true.
    static let hasCleared = #"instr(sync_detail, '"cleared":') > 0"#

    private var holdsKey: String {
        if let elements { return "sync_id IN (SELECT id FROM \(elements.name) WHERE value = ?1)" }
        return columns.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: " AND ")
    }

    private var isLive: String { "sync_visibility = \(LocalRecord.Visibility.live.rawValue)" }

    /// The key that a row of the child holds, as an expression. The writer of keys and SQLite quote texts alike.
    func key(alias: String) -> String {
        let values = columns.map { "\(alias).\($0)" }
        return values.count == 1 ? values[0] : "json_array(\(values.joined(separator: ", ")))"
    }

    /// Counts references of live records to records of which none is live.
    ///
    /// NB: that of one field goes from value to value by the index, so its cost depends on the parents, not on the
    /// children. So does that of a list; that of several fields walks along the index of the children.
    func orphans(parents: EntityTable) -> String {
        if columns.count > 1 { return orphansOfSeveralFields(parents: parents) }
        let (values, column) = elements.map { ($0.name, "value") } ?? (child.name, columns[0])
        let rows =
            elements.map {
                "\($0.name) AS element JOIN \(child.name) AS child ON child.sync_id = element.id WHERE element.value"
            } ?? "\(child.name) AS child WHERE child.\(column)"
        return """
            WITH RECURSIVE sync_referred(value) AS (SELECT min(\(column)) FROM \(values) UNION ALL \
            SELECT (SELECT min(\(column)) FROM \(values) WHERE \(column) > sync_referred.value) FROM sync_referred \
            WHERE sync_referred.value IS NOT NULL) \
            SELECT coalesce(sum((SELECT count(*) FROM \(rows) = sync_referred.value \
            AND child.\(isLive))), 0) FROM sync_referred \
            WHERE sync_referred.value IS NOT NULL AND \(isMissing("sync_referred.value", parents: parents))
            """
    }

    private func orphansOfSeveralFields(parents: EntityTable) -> String {
        let list = columns.map { "child.\($0)" }.joined(separator: ", ")
        let present = columns.map { "child.\($0) IS NOT NULL" }.joined(separator: " AND ")
        return """
            SELECT coalesce(sum(referred.number), 0) FROM (SELECT json_array(\(list)) AS key, count(*) AS number \
            FROM \(child.name) AS child WHERE \(present) AND child.\(isLive) GROUP BY \(list)) AS referred \
            WHERE \(isMissing("referred.key", parents: parents))
            """
    }

    private func isMissing(_ key: String, parents: EntityTable) -> String {
        """
        NOT EXISTS (SELECT 1 FROM \(parents.name) AS parent WHERE parent.\(parents.key) = \(key) \
        AND parent.sync_visibility <> \(LocalRecord.Visibility.deleted.rawValue))
        """
    }
}
