import SyncCore

/// Writes over records that this version's schema cannot read.
extension WriteSession {
    /// Puts the values of a record that was set aside in the journal, after a whole record was written in its place: no
    /// list shows it, so an app takes its key for free.
    func journal(setAside record: LocalRecord?, entity: EntityDescriptor) throws {
        guard let record, record.visibility == .setAside else { return }
        try journal(overwritten: record.version, entity: entity)
    }
}
