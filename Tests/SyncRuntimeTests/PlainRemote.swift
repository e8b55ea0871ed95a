import SyncCore

/// A list of bodies by key, which counts states. It keeps neither version metadata nor tombstones.
actor PlainRemote: RemoteBackend {
    private var rows: [RecordKey: (revision: Int, body: [UInt8])] = [:]
    private var count = 0
    /// Records whose bodies were asked for.
    private(set) var fetched: [RecordKey] = []
    let entity: String
    let capabilities: RemoteCapabilities
    /// Whether only the bodies of what the store does not know are fetched.
    let looksUp: Bool

    init(
        entity: String,
        capabilities: RemoteCapabilities = [.compareAndSet, .revisions],
        looksUp: Bool = false
    ) {
        (self.entity, self.capabilities, self.looksUp) = (entity, capabilities, looksUp)
    }

    nonisolated func open(_ request: SessionRequest) -> any RemoteSession {
        Session(remote: self, request: request)
    }

    /// Somebody writes at the remote itself.
    func write(key: String, body: String) {
        count += 1
        rows[RecordKey(key)] = (count, Array(body.utf8))
    }

    /// The list shows these records alone.
    func keep(keys: Set<String>) { rows = rows.filter { keys.contains($0.key.text) } }

    /// The keys that the list has.
    var keys: Set<String> { Set(rows.keys.map(\.text)) }

    /// Whether a listing shows a record; nil for all. The others are there nevertheless.
    private var isShown: (@Sendable (String) -> Bool)?

    /// Lets listings show some records alone, or all again.
    func show(_ isShown: (@Sendable (String) -> Bool)?) { self.isShown = isShown }

    /// Somebody empties the list.
    func empty() { rows = [:] }

    fileprivate func page(request: SessionRequest) throws -> RemotePage {
        let shown = rows.filter { isShown?($0.key.text) ?? true }
        let changes = try shown.sorted { $0.key < $1.key }.map { key, row in
            let hasRevision = capabilities.contains(.revisions)
            let revision = hasRevision ? Revision("\(row.revision)") : nil
            let header = Change.Header(entity: entity, key: key, metadata: nil, revision: revision)
            if looksUp, try request.known(entity: entity, key: key).revision == revision {
                return Change(header, body: [UInt8]())
            }
            fetched.append(key)
            return Change(header, body: row.body)
        }
        return RemotePage(
            kind: .snapshot(of: [SnapshotScope(entity: entity)], isFirst: true, isComplete: true),
            changes: changes,
            cursor: "\(count)"
        )
    }

    fileprivate func store(_ change: Change) -> PushReceipt.Result {
        let editTimestamp = change.header.writtenMetadata.editTimestamp
        let key = change.header.key
        if capabilities.contains(.revisions) {
            guard rows[key].map({ "\($0.revision)" }) == change.header.base?.text else {
                return rows[key] == nil ? .missing : .conflict
            }
        }
        count += 1
        guard !change.header.isDeleted else {
            rows[key] = nil
            return .accepted(editTimestamp, nil)
        }
        rows[key] = (count, Array(change.body))
        return .accepted(editTimestamp, capabilities.contains(.revisions) ? Revision("\(count)") : nil)
    }

    private actor Session: RemoteSession {
        nonisolated let greeting = SessionGreeting(binding: "plain")
        private let remote: PlainRemote
        private let request: SessionRequest
        private var hasMore = true

        init(remote: PlainRemote, request: SessionRequest) {
            (self.remote, self.request) = (remote, request)
        }

        func fetch() async throws -> RemotePage? {
            guard hasMore else { return nil }
            hasMore = false
            return try await remote.page(request: request)
        }

        func prepare(_ changes: [Change], cursor: String?) -> PreparedPush {
            PreparedPush(intent: "push", changes: changes, payload: [])
        }

        func push(_ prepared: PreparedPush) async -> PushReceipt {
            var results: [PushReceipt.Result] = []
            for change in prepared.changes { results.append(await remote.store(change)) }
            hasMore = true
            return PushReceipt(results: results, cursor: nil)
        }

        func close(cursor: String?) {}
    }
}
