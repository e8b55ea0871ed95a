import SyncCore

/// Conditions on related records. They are found by the condition if an index does so, else by the reference.
extension FilterSQL {
    /// Whether a field of these rows refers to a live row for which a condition holds.
    func refers(
        by field: String,
        to entity: String,
        where filter: StoreQuery.Filter,
        parameters: inout QueryParameters
    ) throws -> String {
        let target = try lookup(entity)
        let reference = try ReferenceSQL(table.reference(by: field, to: entity), child: table)
        let inner = related(target)
        let key = "\(inner.alias).\(target.key)"
        if try QueryAccess.finds(filter, in: target, lookup: lookup) {
            let source = try inner.source(filter, parameters: &parameters)
            if let elements = reference.elements {
                return
                    "\(alias).sync_id IN (SELECT id FROM \(elements.name) WHERE value IN (SELECT \(key) FROM \(source)))"
            }
            let columns = reference.columns.map { "\(alias).\($0)" }
            guard columns.count > 1 else {
                return "\(columns[0]) IN (SELECT \(key) FROM \(source) AND \(key) IS NOT NULL)"
            }
            let parts = try target.descriptor.key.map {
                "\(inner.alias).\(try target.column(field: $0).name)"
            }
            return
                "(\(columns.joined(separator: ", "))) IN (SELECT \(parts.joined(separator: ", ")) FROM \(source))"
        }
        let condition = try inner.expression(filter, parameters: &parameters)
        let rows = "SELECT 1 FROM \(target.name) AS \(inner.alias)"
        if reference.elements != nil {
            let list = "SELECT value FROM json_each(\(alias).\(reference.columns[0]))"
            return "EXISTS (\(rows) WHERE \(key) IN (\(list)) AND \(condition) AND \(inner.isIncluded))"
        }
        return
            "EXISTS (\(rows) WHERE \(key) = \(reference.key(alias: alias)) AND \(condition) AND \(inner.isIncluded))"
    }

    /// Whether a live row of another table, for which a condition holds, refers to one of these rows by a field.
    func isReferred(
        from entity: String,
        by field: String,
        where filter: StoreQuery.Filter,
        parameters: inout QueryParameters
    ) throws -> String {
        let child = try lookup(entity)
        let descriptor = try child.reference(by: field, to: table.descriptor.name)
        let reference = try ReferenceSQL(descriptor, child: child)
        let inner = related(child)
        let key = "\(alias).\(table.key)"
        let columns = reference.columns.map { "\(inner.alias).\($0)" }
        if try QueryAccess.finds(filter, in: child, lookup: lookup) {
            let source = try inner.source(filter, parameters: &parameters)
            if reference.elements != nil {
                let lists = "(SELECT \(columns[0]) AS list FROM \(source)) AS lists"
                return
                    "\(key) IN (SELECT element.value FROM \(lists), json_each(lists.list) AS element WHERE element.value IS NOT NULL)"
            }
            let isPresent = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
            return "\(key) IN (SELECT \(reference.key(alias: inner.alias)) FROM \(source) AND \(isPresent))"
        }
        let condition = try inner.expression(filter, parameters: &parameters)
        let isSame: String
        if let elements = reference.elements {
            isSame = "\(inner.alias).sync_id IN (SELECT id FROM \(elements.name) WHERE value = \(key))"
        } else if columns.count == 1 {
            isSame = "\(columns[0]) = \(key)"
        } else {
            let parts = try table.descriptor.key.map { "\(alias).\(try table.column(field: $0).name)" }
            isSame = zip(columns, parts).map { "\($0) = \($1)" }.joined(separator: " AND ")
        }
        let rows = "SELECT 1 FROM \(child.name) AS \(inner.alias)"
        return "EXISTS (\(rows) WHERE \(isSame) AND \(condition) AND \(inner.isIncluded))"
    }

    /// Conditions on the rows of a related table.
    private func related(_ other: EntityTable) -> FilterSQL {
        FilterSQL(table: other, alias: "other\(depth + 1)", lookup: lookup, depth: depth + 1)
    }
}

extension EntityTable {
    /// The reference that a field holds; one by that field alone if the descriptor names none.
    func reference(by field: String, to entity: String) throws -> ReferenceDescriptor {
        descriptor.references.first { $0.field == field && $0.entity == entity }
            ?? ReferenceDescriptor(field: field, entity: entity, onDelete: .keep)
    }
}
