import SyncCore

/// A minimal store without merge rules. It applies pages, writes edits, and saves cursor and intent as the
/// engine does. It reports pages that no engine could accept.
final class Client {
    private(set) var device: DeviceID
    /// The store's first identity, which finds the remote.
    let home: DeviceID
    /// Whether the remote may ask the store for a new identity, as after a rejoin.
    var mayRenew = false
    let remote: any ScratchRemote
    var entities: [EntityDescriptor]
    var binding: String?
    var cursor: String?
    var intent: String?
    /// The last known state of the remote: one version per record, or all concurrent ones.
    private(set) var known: [RecordID: [Version]] = [:]
    /// Unacknowledged edits by record.
    private(set) var pending: [RecordID: Change] = [:]
    /// The number of deliveries of each record.
    private(set) var deliveries: [RecordID: Int] = [:]
    private var sequence: Int64 = 0
    /// The capabilities of the remote's backend; empty before the first session.
    var capabilities: RemoteCapabilities = []
    /// The records of an incomplete snapshot.
    private var snapshot: Set<RecordID>?

    init(number: UInt64, remote: any ScratchRemote, entities: [EntityDescriptor]) {
        device = DeviceID(bits: 0xc0de_0000_0000_0000 + number)
        home = device
        (self.remote, self.entities) = (remote, entities)
    }

    /// A copy of the store, as made by `cp`.
    func copy(to other: (any ScratchRemote)? = nil) -> Client {
        let copy = Client(
            number: device.bits - 0xc0de_0000_0000_0000,
            remote: other ?? remote,
            entities: entities
        )
        (copy.binding, copy.cursor, copy.intent) = (binding, cursor, intent)
        (copy.known, copy.pending, copy.sequence) = (known, pending, sequence)
        return copy
    }

    /// The live versions of each record in the last known state of the remote.
    var shown: [RecordID: Set<Shown>] {
        known.compactMapValues { versions in
            let live = Set(
                versions.filter { !$0.isDeleted }.map { Shown(metadata: $0.metadata, body: $0.body) }
            )
            return live.isEmpty ? nil : live
        }
    }

    /// The edit timestamps of all concurrent versions of a record.
    func editTimestamps(id: RecordID) -> Set<EditTimestamp> {
        Set((known[id] ?? []).map(\.metadata.editTimestamp))
    }
}

/// A version as delivered or acknowledged by the remote.
struct Version: Hashable {
    var metadata: VersionMetadata
    var isDeleted: Bool
    var mergedInto: RecordKey?
    var revision: Revision?
    var body: [UInt8]
}

/// The part of a version that must be equal in all stores.
struct Shown: Hashable {
    var metadata: VersionMetadata
    var body: [UInt8]
}

extension Client {
    /// Writes an edit based on the known version or on a pending edit. Skips the check if no value fits.
    @discardableResult
    func edit(
        _ material: Material,
        key: Material.Key,
        time: Int64 = 0,
        body: [UInt8]? = nil,
        isDeleted: Bool = false,
        mergedInto: RecordKey? = nil
    ) throws -> RecordID {
        let id = RecordID(entity: material.name, key: key.name)
        let heads = known[id] ?? []
        let waiting = pending[id]
        sequence += 1
        let seen = heads.map(\.metadata) + (waiting.map { [$0.header.writtenMetadata] } ?? [])
        var vector = seen.reduce(into: VersionVector()) { $0.formUnion($1.vector) }
        let after = seen.map(\.editTimestamp.time.next.microseconds).max() ?? .min
        let instant = max(Material.start + time, after)
        let editTimestamp = EditTimestamp(
            time: Timestamp(microseconds: instant),
            device: device,
            sequence: sequence
        )
        vector.insert(editTimestamp)
        let drawn = body ?? material.body(key: key, time: time, seed: UInt64(sequence) ^ device.bits)
        guard let drawn else { throw CheckError.notApplicable("No value of \(material.name) can be drawn.") }
        pending[id] = Change(
            Change.Header(
                entity: material.name,
                key: key.name,
                kind: isDeleted ? .delete : .upsert,
                mergedInto: mergedInto,
                metadata: VersionMetadata(editTimestamp: editTimestamp, vector: vector),
                base: waiting == nil ? heads.first?.revision : waiting?.base,
                replaces: waiting?.replaces ?? heads.map(\.metadata.editTimestamp).sorted()
            ),
            body: drawn
        )
        return id
    }

    /// Changes a pending edit.
    func amend(id: RecordID, body: (inout Change) -> Void) {
        if var change = pending[id] {
            body(&change)
            pending[id] = change
        }
    }

    /// Forgets the remote's state but keeps all values, as a store does before it rejoins.
    func forgetRemote() {
        for (id, versions) in known {
            guard let version = versions.first, pending[id] == nil else { continue }
            pending[id] = Change(
                Change.Header(
                    entity: id.entity,
                    key: id.key,
                    kind: version.isDeleted ? .delete : .upsert,
                    mergedInto: version.mergedInto,
                    metadata: version.metadata
                ),
                body: version.body
            )
        }
        for id in pending.keys { amend(id: id) { ($0.base, $0.replaces) = (nil, []) } }
        (known, snapshot) = ([:], nil)
        (cursor, intent) = (nil, nil)
    }

    /// Continues as a new device.
    func renew() {
        device = DeviceID(bits: device.bits + 0x1_0000)
        (binding, cursor, intent) = (nil, nil, nil)
    }

    /// Replaces the cursor, and forgets the data that it covered.
    func lose(cursor: String?) { (known, snapshot, self.cursor) = ([:], nil, cursor) }

    /// Pending edits, sorted by key.
    var outgoing: [Change] {
        pending.values.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    }
}

extension Client {
    /// Applies one page. Fails the check if no store could accept the page.
    func take(_ page: RemotePage) throws {
        try follow(page.kind)
        for change in page.changes {
            let id = RecordID(entity: change.entity, key: change.key)
            guard let metadata = change.metadata else {
                throw CheckError.failed("Expected version metadata with each record, but one came without.")
            }
            deliveries[id, default: 0] += 1
            snapshot?.insert(id)
            try take(
                id,
                version: Version(
                    metadata: metadata,
                    isDeleted: change.isDeleted,
                    mergedInto: change.mergedInto,
                    revision: change.revision,
                    body: Array(change.body)
                )
            )
            if change.kind == .outOfScope { known[id] = nil }
        }
        if case .snapshot(let scopes, _, true) = page.kind, let present = snapshot {
            known = known.filter { present.contains($0.key) || !scopes.map(\.entity).contains($0.key.entity) }
            snapshot = nil
        }
        cursor = page.cursor
    }

    /// Checks that a snapshot continues from its first page to its last without gaps.
    private func follow(_ kind: PageKind) throws {
        switch kind {
        case .snapshot(_, true, _): snapshot = []
        case .snapshot(_, false, _):
            try require(
                snapshot != nil,
                expected: "a first page before the others of a snapshot",
                found: "there was none"
            )
        case .delta:
            try require(
                snapshot == nil,
                expected: "a page that completes the snapshot",
                found: "changes came before it"
            )
        }
    }

    private func take(_ id: RecordID, version: Version) throws {
        if pending[id]?.metadata?.editTimestamp == version.metadata.editTimestamp { pending[id] = nil }
        guard capabilities.contains(.compareAndSet) else {
            known[id] = Version.maximal(versions: (known[id] ?? []) + [version])
            return
        }
        try require(
            version.revision != nil,
            expected: "a revision for each record",
            found: "one came without"
        )
        if let before = known[id]?.first, before.metadata.vector != version.metadata.vector {
            try require(
                !before.metadata.vector.covers(version.metadata.vector),
                expected: "that no record goes back to an earlier version",
                found: "one did"
            )
        }
        known[id] = [version]
    }

    /// Records the remote's answer to one change.
    func acknowledge(_ change: Change, result: PushReceipt.Result) throws {
        let id = RecordID(entity: change.entity, key: change.key)
        var version = Version(
            metadata: change.writtenMetadata,
            isDeleted: change.isDeleted,
            mergedInto: change.mergedInto,
            revision: nil,
            body: Array(change.body)
        )
        switch result {
        case .accepted(let editTimestamp, let revision):
            try require(
                editTimestamp == change.metadata?.editTimestamp,
                expected: "an answer for the edit that was sent",
                found: "it names another"
            )
            version.revision = revision
        case .altered(let editTimestamp, let stored):
            try require(
                editTimestamp == change.metadata?.editTimestamp,
                expected: "an answer for the edit that was sent",
                found: "it names another"
            )
            version.metadata = stored.writtenMetadata
            version.revision = stored.revision
            version.body = Array(stored.body)
        case .conflict, .missing, .refused, .entityRefused, .busy, .notSent, .failed: return
        }
        if pending[id]?.metadata == change.metadata { pending[id] = nil }
        // An edit that a later one has seen was stored once. Its acknowledgement says no more than that.
        let isPast = known[id]?.contains {
            $0.metadata != version.metadata && $0.metadata.vector.covers(version.metadata.vector)
        }
        if isPast != true { try take(id, version: version) }
    }

    /// Drops an edit that the remote did not accept.
    func drop(_ id: RecordID) { pending[id] = nil }
}

extension Version {
    /// The versions of a record that no other version has seen.
    static func maximal(versions: [Version]) -> [Version] {
        let distinct = Array(Set(versions))
        return distinct.filter { version in
            !distinct.contains { other in
                other.metadata.vector != version.metadata.vector
                    && other.metadata.vector.covers(version.metadata.vector)
            }
        }
    }
}
