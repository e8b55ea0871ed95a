package import SyncCore

extension StoreSnapshot {
    /// The live record of a key: its own, or the one that it was merged into. Nil if there is none.
    package func shown(entity: EntityDescriptor, key: RecordKey) throws -> LocalRecord? {
        let local = try survivingState(entity: entity, key: key).state.local
        return local?.visibility == .live ? local : nil
    }
}
