package import SyncCore

/// Everything that happened to a record, in order.
package struct RecordHistory: Sendable {
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
        /// Positions of the steps that this one came from: edits that its author had seen, or that an event names.
        package var origins: [Int] = []
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
        var unordered = edits.map { version in
            let edit = version.edit
            let step = Step(
                at: edit.time,
                device: positions.firstIndex(of: edit.device) ?? 0,
                kind: version.isDeleted ? .delete(edit.sequence) : .edit(edit.sequence),
                detail: version.roles.joined(separator: ", ")
            )
            return HistoryOrder.Entry(step: step, edit: edit, seen: version.seen)
        }
        unordered += history.map { entry in
            let step = Step(at: entry.at, device: 0, kind: .event(entry.event), detail: entry.detail)
            return HistoryOrder.Entry(step: step, edit: nil, seen: nil)
        }
        steps = HistoryOrder.steps(unordered)
    }
}

/// Orders the steps of a history, and finds what each came from.
private enum HistoryOrder {
    struct Entry {
        var step: RecordHistory.Step
        /// The edit, if it is one, and what its author had seen.
        var edit: EditTimestamp?
        var seen: VersionVector?
    }

    /// The steps by time. Those of the same time stay as they are: edits, then what became of them.
    static func steps(_ entries: [Entry]) -> [RecordHistory.Step] {
        var ordered = entries.enumerated().sorted {
            ($0.element.step.at, $0.offset) < ($1.element.step.at, $1.offset)
        }.map(\.element)
        for index in ordered.indices {
            ordered[index].step.origins = origins(of: ordered[index], among: ordered[..<index])
        }
        return ordered.map(\.step)
    }

    private static func origins(of entry: Entry, among earlier: ArraySlice<Entry>) -> [Int] {
        guard let edit = entry.edit, let seen = entry.seen else {
            let words = entry.step.detail.split { $0 == " " || $0 == "," }
            let named = Set(words.compactMap { EditTimestamp($0) })
            return earlier.indices.filter { earlier[$0].edit.map(named.contains) ?? false }
        }
        let known = earlier.indices.filter { place in
            earlier[place].edit.map { $0 != edit && seen.covers($0) } ?? false
        }
        // What another known edit has seen already leads here by way of that one.
        return known.filter { place in
            !known.contains { other in
                other != place && earlier[other].seen?.covers(earlier[place].edit ?? edit) == true
            }
        }
    }
}

/// Versions of a record, each once, with what they are at present.
private struct VersionRoles {
    struct Version {
        var edit: EditTimestamp
        var isDeleted: Bool
        var seen: VersionVector
        var roles: [String]
    }

    private var byEdit: [EditTimestamp: Version] = [:]

    mutating func add(_ version: SyncRecord?, role: String) {
        guard let version else { return }
        let edit = version.metadata.editTimestamp
        let metadata = version.metadata
        var known =
            byEdit[edit]
            ?? Version(edit: edit, isDeleted: version.isDeleted, seen: metadata.vector, roles: [])
        if !known.roles.contains(role) { known.roles.append(role) }
        byEdit[edit] = known
    }

    mutating func add(_ versions: [SyncRecord], role: String) {
        for version in versions { add(version, role: role) }
    }

    /// By edit timestamp.
    var all: [Version] { byEdit.values.sorted { $0.edit < $1.edit } }
}
