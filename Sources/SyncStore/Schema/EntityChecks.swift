import SyncCore

/// Requirements on a set of entities for making tables. Checked schemas meet them; hand-made descriptors may not.
enum EntityChecks {
    /// Throws if two names would be equal in SQLite, or are reserved for the store.
    static func check(_ entities: [EntityDescriptor]) throws {
        var tables: Set<String> = []
        for entity in entities {
            let table = entity.table.lowercased()
            guard tables.insert(table).inserted else {
                throw entity.refusal(reason: "another entity has the same table.")
            }
            guard !table.isEmpty, !table.hasPrefix("sqlite_"), !table.hasPrefix(StoreFormat.prefix),
                !entity.table.utf8.contains(0)
            else {
                throw entity.refusal(reason: "its table's name is reserved.")
            }
            var columns: Set<String> = []
            for field in entity.fields {
                let column = field.name.lowercased()
                guard columns.insert(column).inserted else {
                    throw entity.refusal(reason: "two fields have the column '\(column)'.")
                }
                guard !column.isEmpty, !column.hasPrefix(StoreFormat.prefix), !field.name.utf8.contains(0)
                else {
                    throw entity.refusal(reason: "the column name '\(column)' is reserved.")
                }
            }
        }
    }

    /// The entities with parents before children, otherwise in the given order.
    static func sorted(_ entities: [EntityDescriptor]) -> [EntityDescriptor] {
        var sorted: [EntityDescriptor] = []
        var visited: Set<String> = []
        func visit(_ entity: EntityDescriptor) {
            guard visited.insert(entity.name).inserted else { return }
            for reference in entity.references {
                if let parent = entities.first(where: { $0.name == reference.entity }) { visit(parent) }
            }
            sorted.append(entity)
        }
        entities.forEach(visit)
        return sorted
    }
}
