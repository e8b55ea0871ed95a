public import SyncCore
import SyncRuntime

/// What the rows of another database are that move in.
public enum MovedRows: Sendable, Hashable {
    /// Copies of what the remote had when they were last synced. Whatever the remote has now, a delete included, takes
    /// their place, without conflict or journal entry. What it lacks is sent.
    case agreed
    /// What a person wrote here and no remote has yet. It meets the remote's records by the entity's strategy.
    case edited
}

extension SyncBatch {
    /// Takes rows of another database along, once. A record that is there or was deleted stays as it is, so the move
    /// can be begun anew at any time.
    ///
    /// `deletes` are the keys of rows that a person deleted before the move, of which the remote does not know yet. They
    /// meet the remote's records by the entity's strategy.
    ///
    /// Throws `SyncError` if a row does not fit its schema.
    ///
    /// - Returns: How many rows are records now, and how many deletes were written.
    @discardableResult
    public func moveIn<Entity: SyncEntity>(
        _ rows: some Sequence<Entity>,
        as kind: MovedRows,
        deletes: [Entity.EntityKey] = []
    ) throws -> Int {
        let entity = Entity.adapter.descriptor
        var count = 0
        for row in rows {
            let key = try entity.fitting { try entity.requiredKey(of: Entity.adapter.record(row)) }
            guard try snapshot.header(entity: entity, key: key) == nil else { continue }
            switch kind {
            case .edited: try insert(row)
            case .agreed: try insert(row, as: .seed)
            }
            count += try snapshot.header(entity: entity, key: key) == nil ? 0 : 1
        }
        for deleted in deletes {
            let key = Entity.recordKey(deleted)
            if try snapshot.shown(entity: entity, key: key) != nil {
                try delete(Entity.self, key: deleted)
            } else if try snapshot.header(entity: entity, key: key) == nil {
                try session.putDeleted(entity: entity, record: entity.record(withKeyOnly: key))
            } else {
                continue
            }
            count += 1
        }
        return count
    }
}

extension SyncCollection {
    /// How many rows one transaction takes.
    private static var rowsAtOnce: Int { 1_000 }

    /// Takes rows of another database along, a thousand in one transaction. See `SyncBatch.moveIn`.
    ///
    /// - Returns: How many rows are records now, and how many deletes were written.
    @discardableResult
    public func moveIn(_ rows: [Entity], as kind: MovedRows, deletes: [Entity.EntityKey] = []) throws -> Int {
        var count = 0
        for start in stride(from: 0, to: rows.count, by: Self.rowsAtOnce) {
            let part = rows[start..<min(start + Self.rowsAtOnce, rows.count)]
            count += try writer.batch { try $0.moveIn(part, as: kind) }
        }
        guard !deletes.isEmpty else { return count }
        return count + (try writer.batch { try $0.moveIn([Entity](), as: kind, deletes: deletes) })
    }
}
