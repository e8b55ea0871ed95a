import SyncSchema

/// The order in which entities are synced.
enum EntityOrder {
    /// Parents before children; entities that do not depend on each other keep their order.
    static func parentsFirst(schemas: [Schema]) -> [Schema] {
        var placed: Set<String> = []
        var ordered: [Schema] = []
        func place(_ schema: Schema) {
            guard placed.insert(schema.name).inserted else { return }
            for reference in schema.references {
                if let parent = schemas.first(where: { $0.name == reference.entity }) { place(parent) }
            }
            ordered.append(schema)
        }
        schemas.forEach(place)
        return ordered
    }
}
