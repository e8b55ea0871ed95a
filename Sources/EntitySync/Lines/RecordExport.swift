package import SyncCore

/// Writes the records of one entity as lines, sorted by key.
package struct RecordExport {
    private let entity: EntityDescriptor
    private let includesDeleted: Bool
    private let withVersions: Bool

    /// Describes an export. With versions, each line tells what an import of it is based on.
    package init(entity: EntityDescriptor, includesDeleted: Bool, withVersions: Bool = false) {
        self.entity = entity
        self.includesDeleted = includesDeleted
        self.withVersions = withVersions
    }

    /// Calls `visit` with the line of each live record, and of each deleted one if requested, without line feed. Skips
    /// duplicates that are hidden by another record, and records that are set aside.
    package func forEachLine(
        in snapshot: any StoreSnapshot,
        visit: (_ line: [UInt8]) throws -> Void
    ) throws {
        var encoder = RecordLineEncoder(entity)
        try snapshot.scan(entity: entity, includeHidden: includesDeleted) { local in
            guard local.visibility != .setAside else { return }
            let (record, isDeleted) = (local.version.record, local.visibility == .deleted)
            var line = RecordLine(record: record, isDeleted: isDeleted)
            if withVersions {
                line.version = RecordVersion(
                    store: snapshot.storeID,
                    record: record,
                    isDeleted: isDeleted,
                    entity: entity
                )
            }
            try visit(encoder.bytes(line))
        }
    }
}
