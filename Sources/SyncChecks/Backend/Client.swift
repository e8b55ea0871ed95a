import SyncCore

/// A small store without rules: it takes in what a remote delivers, writes edits, and remembers cursor and intent as an
/// engine would. It complains about pages that no engine could believe.
final class Client {
    private(set) var device: DeviceID
    /// The identity that the store began with, under which it finds the remote.
    let home: DeviceID
    /// Whether the remote may ask the store to go on as another device, as it may at a rejoin.
    var mayRenew = false
    let remote: any ScratchRemote
    var entities: [EntityDescriptor]
    var binding: String?
    var cursor: String?
    var intent: String?
    /// What the remote was last seen to hold: one version per record, or all that stand side by side.
    private(set) var known: [RecordID: [Version]] = [:]
    /// Edits that are not acknowledged, by record.
    private(set) var pending: [RecordID: Change] = [:]
    /// How often each record was delivered.
    private(set) var deliveries: [RecordID: Int] = [:]
    private var sequence: Int64 = 0
    /// What the remote's backend declares; nothing before the first session.
    var capabilities: RemoteCapabilities = []
    /// What the pages of a snapshot held that is not complete yet.
    private var snapshot: Set<RecordID>?

    init(number: UInt64, remote: any ScratchRemote, entities: [EntityDescriptor]) {
        device = DeviceID(bits: 0xc0de_0000_0000_0000 + number)
        home = device
        (self.remote, self.entities) = (remote, entities)
    }

    /// The same store a second time, as `cp` makes it.
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

    /// The live versions of each record, as the remote was last seen to hold them.
    var shown: [RecordID: Set<Shown>] {
        known.compactMapValues { versions in
            let live = Set(
                versions.filter { !$0.isDeleted }.map { Shown(metadata: $0.metadata, body: $0.body) }
            )
            return live.isEmpty ? nil : live
        }
    }

    /// The marks of all versions of a record that stand side by side.
    func editTimestamps(id: RecordID) -> Set<EditTimestamp> {
        Set((known[id] ?? []).map(\.metadata.editTimestamp))
    }
}

/// Which record.
struct RecordID: Hashable {
    var entity: String
    var key: RecordKey
}

/// One version as the remote delivered it, or as it acknowledged it.
struct Version: Hashable {
    var metadata: VersionMetadata
    var isDeleted: Bool
    var mergedInto: RecordKey?
    var revision: Revision?
    var body: [UInt8]
}

/// What two stores must agree on.
struct Shown: Hashable {
    var metadata: VersionMetadata
    var body: [UInt8]
}

extension Client {
    /// Writes an edit on top of what is known, or on top of an edit that waits. Ends the check when no value fits.
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
        guard let drawn else { throw CheckEnd.notApplicable("No value of \(material.name) can be drawn.") }
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

    /// Changes an edit that waits.
    func amend(id: RecordID, body: (inout Change) -> Void) {
        if var change = pending[id] {
            body(&change)
            pending[id] = change
        }
    }

    /// Forgets what was agreed with the remote, and keeps every value, as a store that joins again does.
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

    /// Goes on as another device, which the remote does not know.
    func renew() {
        device = DeviceID(bits: device.bits + 0x1_0000)
        (binding, cursor, intent) = (nil, nil, nil)
    }

    /// Puts another cursor in place of the store's, and forgets what it covered.
    func lose(cursor: String?) { (known, snapshot, self.cursor) = ([:], nil, cursor) }

    /// Edits that wait, by key.
    var outgoing: [Change] {
        pending.values.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    }
}

extension Client {
    /// Takes in one page. Ends the check on a page that no store could believe.
    func take(_ page: RemotePage) throws {
        try follow(page.kind)
        for change in page.changes {
            let id = RecordID(entity: change.entity, key: change.key)
            guard let metadata = change.metadata else {
                throw CheckEnd.failed("Expected version metadata with each record, but one came without.")
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

    /// A snapshot goes from its first page to the one that completes it, without gaps.
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

    /// Records what the remote answered for one change.
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
        case .conflict, .missing, .refused, .entityRefused, .notSent, .failed: return
        }
        if pending[id]?.metadata == change.metadata { pending[id] = nil }
        // An edit that another one has seen already was stored once, which is all that its acknowledgement says.
        let isPast = known[id]?.contains {
            $0.metadata != version.metadata && $0.metadata.vector.covers(version.metadata.vector)
        }
        if isPast != true { try take(id, version: version) }
    }

    /// Gives up an edit that the remote did not take.
    func drop(_ id: RecordID) { pending[id] = nil }
}

extension Version {
    /// The versions of one record of which no other has seen more.
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
