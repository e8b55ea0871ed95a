import EntitySync
import SyncCore
import SyncStore

/// Records of an entity that its schema no longer allows.
struct UnfitRecords {
    var entity: String
    var count: Int
    /// What is wrong with the first of them.
    var reason: String
}

extension Workspace {
    /// Records of a tree that refer to each other in a circle.
    struct Circle {
        var entity: String
        var keys: [RecordKey]

        /// The first keys.
        var text: String {
            keys.prefix(3).map(\.text.visible).joined(separator: ", ") + (keys.count > 3 ? ", …" : "")
        }
    }

    /// The circles in the trees of all entities. Reads the records of entities that have trees.
    func circles() throws -> [Circle] {
        let store = try open()
        defer { store.close() }
        return try store.read { snapshot in
            try entities.flatMap { entity in
                try snapshot.circles(entity: entity).map { Circle(entity: entity.name, keys: $0) }
            }
        }
    }

    /// Live records that devices with the same schemas refuse: a schema became stricter after they were written.
    func unfitRecords() throws -> [UnfitRecords] {
        let store = try open()
        defer { store.close() }
        return try store.read { snapshot in
            try entities.compactMap { entity in
                let encoder = RecordEncoder(descriptor: entity, form: .wire)
                var decoder = RecordDecoder(descriptor: entity, form: .wire)
                var found: UnfitRecords?
                try snapshot.scan(entity: entity, includeHidden: false) { local in
                    let reason: String
                    do {
                        _ = try decoder.record(encoder.bytes(local.version.record))
                        return
                    } catch let error as FieldError {
                        reason = error.message
                    } catch let error as JSONError {
                        reason = "It holds \(error.kind.rawValue)."
                    }
                    found = found ?? UnfitRecords(entity: entity.name, count: 0, reason: reason)
                    found?.count += 1
                }
                return found
            }
        }
    }
}
