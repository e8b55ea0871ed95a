package import SyncCore

/// Everything that happened to a record, in order.
package struct RecordStory: Sendable {
    /// The record.
    package var record: RecordName
    /// Its sync state.
    package var state: SyncState
    /// Whether it is shown.
    package var visibility: LocalRecord.Visibility
    /// The record into which it was merged.
    package var mergedInto: RecordKey?
    /// Devices that took part, this one first.
    package var devices: [DeviceID]
    /// What happened, oldest first.
    package var steps: [Step]

    /// One thing that happened.
    package struct Step: Sendable {
        /// When.
        package var at: Timestamp
        /// The position of the device in `devices`.
        package var device: Int
        /// What.
        package var kind: Kind
        /// Names of the versions that an edit made, for example `on the remote`; otherwise the stored detail.
        package var detail: String
    }

    /// What a step is.
    package enum Kind: Sendable, Hashable {
        /// A device wrote a value, with its count of edits.
        case edit(Int64)
        /// A device deleted the record, with its count of edits.
        case delete(Int64)
        /// The sync engine, or a person, did something here, by its stored name.
        case event(String)
    }

    /// Reads a record; nil if the store has never seen the key. `losses` are the journal's entries of the record.
    init?(
        snapshot: any StoreSnapshot,
        entity: EntityDescriptor,
        key: RecordKey,
        losses: [JournalEntry],
        own: DeviceID?
    ) throws {
        guard let local = try snapshot.load(entity: entity, key: key) else { return nil }
        record = RecordName(entity: entity.name, key: key)
        state = local.state
        visibility = local.visibility
        mergedInto = local.version.mergedInto
        var versions = VersionRoles()
        versions.add(losses.map(\.lost), role: "now in the journal")
        versions.add(
            try snapshot.side(entity: entity, key: key, kind: .base),
            role: "the last that both sides had"
        )
        versions.add(
            try snapshot.side(entity: entity, key: key, kind: .displaced),
            role: "put aside in a merge"
        )
        versions.add(try snapshot.heads(entity: entity, key: key), role: "kept on the remote as well")
        versions.add(try snapshot.side(entity: entity, key: key, kind: .remote), role: "on the remote")
        versions.add(local.version, role: "on this device now")
        let history = try snapshot.history(entity: entity, key: key)
        let edits = versions.all
        let others = Set(edits.map(\.edit.device)).subtracting([own].compactMap { $0 }).sorted()
        let devices = [own ?? local.version.metadata.editTimestamp.device] + others
        self.devices = devices.enumerated().filter { devices.firstIndex(of: $0.element) == $0.offset }
            .map(\.element)
        let positions = self.devices
        steps = edits.map { version in
            let edit = version.edit
            return Step(
                at: edit.time,
                device: positions.firstIndex(of: edit.device) ?? 0,
                kind: version.isDeleted ? .delete(edit.sequence) : .edit(edit.sequence),
                detail: version.roles.joined(separator: ", ")
            )
        }
        steps += history.map { Step(at: $0.at, device: 0, kind: .event($0.event), detail: $0.detail) }
        // What has the same time stays in this order: edits, then what became of them.
        steps = steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
            .map(\.element)
    }
}

/// Versions of a record, each once, with what they are at present.
private struct VersionRoles {
    struct Version {
        var edit: EditTimestamp
        var isDeleted: Bool
        var roles: [String]
    }

    private var byEdit: [EditTimestamp: Version] = [:]

    mutating func add(_ version: SyncRecord?, role: String) {
        guard let version else { return }
        let edit = version.metadata.editTimestamp
        var known = byEdit[edit] ?? Version(edit: edit, isDeleted: version.isDeleted, roles: [])
        if !known.roles.contains(role) { known.roles.append(role) }
        byEdit[edit] = known
    }

    mutating func add(_ versions: [SyncRecord], role: String) {
        for version in versions { add(version, role: role) }
    }

    /// By edit timestamp.
    var all: [Version] { byEdit.values.sorted { $0.edit < $1.edit } }
}
