package import SyncCore

/// The present and former identities of a store. Its person decides about edits of any of them.
package struct OwnDevices: Sendable, Hashable {
    /// The present identity.
    package let current: DeviceID
    /// Identities before the store was restored from a backup, retired, or found to be a copy; only the last few.
    package let former: [DeviceID]

    package init(current: DeviceID, former: [DeviceID] = []) {
        (self.current, self.former) = (current, former)
    }

    /// Whether the store wrote an edit.
    package func wrote(_ editTimestamp: EditTimestamp) -> Bool {
        editTimestamp.device == current || former.contains(editTimestamp.device)
    }

    /// Whether the store wrote a version, or something in one that nobody wrote because it follows from other edits.
    func wrote(_ version: SyncRecord) -> Bool {
        let metadata = version.metadata
        return wrote(metadata.editTimestamp)
            || version.isConclusion && hasEdit(in: metadata.vector, missingFrom: VersionVector())
    }

    /// Whether the store wrote a record as it is shown, or something in it that the remote lacks.
    func wrote(shown state: RecordState) -> Bool {
        guard let local = state.local else { return false }
        let metadata = local.version.metadata
        if wrote(metadata.editTimestamp) { return true }
        let agreed = state.base?.metadata.vector ?? VersionVector()
        return local.state != .synced && hasEdit(in: metadata.vector, missingFrom: agreed)
    }

    /// Whether a version vector has an edit of this store that the other vector lacks.
    func hasEdit(in vector: VersionVector, missingFrom other: VersionVector) -> Bool {
        vector[current] > other[current] || former.contains { vector[$0] > other[$0] }
    }
}

extension StoreSnapshot {
    /// The identities of this store, given the present one.
    func ownDevices(current: DeviceID) throws -> OwnDevices {
        OwnDevices(current: current, former: try formerIncarnations())
    }
}
