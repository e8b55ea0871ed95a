public import SyncCore

/// Entities with parents before children.
public enum EntityOrder {
    /// Sorts by references, then by name as bytes. Schemas are checked to have no cycle; should there be one, the
    /// entities in it come last, by name.
    public static func sorted(_ entities: [EntityDescriptor]) -> [EntityDescriptor] {
        var left = entities.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var result: [EntityDescriptor] = []
        var done: Set<String> = []
        while !left.isEmpty {
            let ready = left.filter { entity in
                entity.references.allSatisfy { reference in
                    done.contains(reference.entity) || reference.entity == entity.name
                        || !left.contains { $0.name == reference.entity }
                }
            }
            let next = ready.isEmpty ? left : ready
            result += next
            done.formUnion(next.map(\.name))
            left.removeAll { done.contains($0.name) }
        }
        return result
    }
}
