package import SyncCore

/// A change that waits to be pushed.
package struct WaitingChange: Sendable {
    /// The record.
    package var record: RecordName
    /// What is sent.
    package var kind: Kind
    /// When it was made.
    package var at: Timestamp
    /// Whether the remote rejected it before.
    package var isTriedAgain: Bool

    /// What a push sends.
    package enum Kind: Sendable {
        /// A record that the remote does not know.
        case created
        /// Another value.
        case edited
        /// A tombstone.
        case deleted
        /// The times of an edit whose value the remote has already.
        case times
    }

    /// Reads the first waiting changes of each entity, in the order of a push.
    static func all(
        snapshot: any StoreSnapshot,
        entities: [EntityDescriptor],
        rejections: [Rejection],
        limit: Int
    ) throws -> [WaitingChange] {
        let again = Set(
            rejections.filter(\.isTriedAgain).map { RecordName(entity: $0.entity, key: $0.key) }
        )
        let unclean = try snapshot.unclean()
        var all: [WaitingChange] = []
        for entity in entities where unclean.contains(entity.name) {
            for areDeleted in [false, true] where all.count < limit {
                try snapshot.pending(entity: entity, areDeleted: areDeleted, after: nil) { pending in
                    let header = pending.change.header
                    let record = RecordName(entity: entity.name, key: header.key)
                    let kind: Kind =
                        areDeleted
                        ? .deleted : !pending.hasBase ? .created : pending.isEdit ? .edited : .times
                    all.append(
                        WaitingChange(
                            record: record,
                            kind: kind,
                            at: header.metadata?.editTimestamp.time ?? Timestamp(microseconds: 0),
                            isTriedAgain: again.contains(record)
                        )
                    )
                    return all.count < limit
                }
            }
        }
        return all
    }
}
