package import SyncCore

/// The identities under which a store writes and has written: its person is asked about edits of any of them.
package struct OwnDevices: Sendable, Hashable {
    /// The one under which it writes now.
    package let current: DeviceID
    /// Those that it had before it was restored from a backup, retired, or found to be a copy; the last ones only.
    package let former: [DeviceID]

    package init(current: DeviceID, former: [DeviceID] = []) {
        (self.current, self.former) = (current, former)
    }

    /// Whether the store wrote an edit.
    package func wrote(_ editTimestamp: EditTimestamp) -> Bool {
        editTimestamp.device == current || former.contains(editTimestamp.device)
    }

    /// Whether a version vector has an edit of the store that the other vector lacks.
    func hasEdit(in vector: VersionVector, missingFrom other: VersionVector) -> Bool {
        vector[current] > other[current] || former.contains { vector[$0] > other[$0] }
    }
}

extension StoreSnapshot {
    /// The identities of this store, of which the present one is known.
    func ownDevices(current: DeviceID) throws -> OwnDevices {
        OwnDevices(current: current, former: try formerIncarnations())
    }
}
