package import SyncCore

/// Writes the records of one entity as lines, sorted by key.
package struct RecordExport {
    private let entity: EntityDescriptor
    private let includesDeleted: Bool

    /// Describes an export.
    package init(entity: EntityDescriptor, includesDeleted: Bool) {
        self.entity = entity
        self.includesDeleted = includesDeleted
    }

    /// Calls `visit` with the line of each live record, and of each deleted one if requested, without line feed. Skips
    /// duplicates that are hidden by another record.
    package func forEachLine(
        in snapshot: any StoreSnapshot,
        visit: (_ line: [UInt8]) throws -> Void
    ) throws {
        var encoder = RecordLineEncoder(entity)
        try snapshot.scan(entity: entity, includeHidden: includesDeleted) { local in
            guard local.visibility != .merged else { return }
            let isDeleted = local.visibility == .deleted
            try visit(encoder.bytes(RecordLine(record: local.version.record, isDeleted: isDeleted)))
        }
    }
}
