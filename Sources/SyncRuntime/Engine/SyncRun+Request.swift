import SyncCore

/// The request of a sync, and the fingerprints that it reports.
extension SyncRun {
    /// A session, and the fingerprints that were reported when it was opened.
    struct Opening {
        var session: any RemoteSession
        var reported: ReportedRecords?
    }

    /// Opens a session. The error for a wrong remote says what is at stake here.
    func opened(options: SyncOptions, readOnly: Bool = false) async throws -> Opening {
        let (request, reported) = try request(options, readOnly: readOnly)
        do {
            let session = try await backend.open(request)
            guard !backend.capabilities.isDisjoint(with: [.compareAndSet, .versionMetadata]) else {
                throw SyncError.overwritingRemote()
            }
            return Opening(session: session, reported: reported)
        } catch let error as SyncError where error.kind == .wrongRemote {
            let counts = try store.read { snapshot in
                try store.entities.map { try snapshot.counts(entity: $0) }
            }
            throw error.naming(
                records: counts.reduce(0) { $0 + $1.records },
                unsent: counts.reduce(0) { $0 + $1.pending + $1.conflicts }
            )
        }
    }

    private func request(_ options: SyncOptions, readOnly: Bool) throws -> (SessionRequest, ReportedRecords?)
    {
        let mayTell =
            backend.capabilities.contains(.requestComparison) && !readOnly && !options.rejoins
            && options.entities == nil
        let fingerprints = RecordFingerprints(store: store)
        // Cursor and fingerprints come from one snapshot: a change in between would be missing in one of them. Nil if
        // there are fingerprints to make first.
        func found(in snapshot: any StoreSnapshot) throws -> (SessionRequest, ReportedRecords?)? {
            var request = try request(options, readOnly: readOnly, snapshot: snapshot)
            guard mayTell,
                let reported = try unreported(
                    request: request,
                    fingerprints: fingerprints,
                    snapshot: snapshot
                )
            else {
                return (request, nil)
            }
            guard let records = try fingerprints.known(snapshot: snapshot) else { return nil }
            request.records = records
            return (request, reported)
        }
        if let found = try store.read(found) { return found }
        // Once: after a first sync all records are to be summed, and no sync is to take long because of it.
        try fingerprints.refresh()
        return try store.read { snapshot in
            try found(in: snapshot) ?? (request(options, readOnly: readOnly, snapshot: snapshot), nil)
        }
    }

    private func request(_ options: SyncOptions, readOnly: Bool, snapshot: any StoreSnapshot) throws
        -> SessionRequest
    {
        var request = SessionRequest(
            device: try Incarnation.device(snapshot: snapshot),
            label: environment.label,
            entities: store.entities.filter { options.entities?.contains($0.name) != false },
            binding: try snapshot.value(name: StoreValue.binding),
            cursor: try snapshot.value(name: StoreValue.cursor),
            intent: try snapshot.value(name: StoreValue.intent),
            rejoin: options.rejoins,
            readOnly: readOnly
        )
        request.former = try snapshot.formerIncarnations()
        request.formerCursor = try snapshot.value(name: StoreValue.formerCursor)
        request.comparing = try snapshot.value(name: StoreValue.comparing).flatMap { .init(rawValue: $0) }
        request.replacesLosses = options.replacesLosses
        request.lookUp = { [store] name, key in
            guard let entity = store.entities.first(where: { $0.name == name }) else { return KnownRecord() }
            return try store.read { snapshot in
                KnownRecord(
                    base: try snapshot.recordState(entity: entity, key: key).seenAtRemote,
                    revision: try snapshot.revision(entity: entity, key: key)
                )
            }
        }
        return request
    }

    /// The fingerprints to report. Nil if the remote has them already, or the store has still to resolve what it took
    /// in.
    private func unreported(
        request: SessionRequest,
        fingerprints: RecordFingerprints,
        snapshot: any StoreSnapshot
    ) throws -> ReportedRecords? {
        guard let cursor = request.cursor, try snapshot.value(name: StoreValue.unresolved) == nil,
            try snapshot.unchecked().isEmpty
        else { return nil }
        let names = try fingerprints.names(snapshot: snapshot)
        guard !names.isEmpty else { return nil }
        let reported = ReportedRecords(device: request.device, cursor: cursor, names: names)
        let last = try snapshot.value(name: StoreValue.recordsReported).flatMap { ReportedRecords($0) }
        return last.map { $0.covers(reported) } ?? false ? nil : reported
    }

    /// Compares this store's records with those of a device that has seen the same.
    func compare(_ session: any RemoteSession) async throws -> [RemoteDiagnostic] {
        let cursor = try store.read { try $0.value(name: StoreValue.cursor) }
        guard try await session.comparesRecords(cursor: cursor) else { return [] }
        return try await session.compare(try RecordFingerprints(store: store).current(), cursor: cursor)
    }
}

/// What a store reported last about its records: under which identity and cursor, and for which entities.
struct ReportedRecords: Equatable {
    var device: DeviceID
    var cursor: String
    var names: Set<String>

    init(device: DeviceID, cursor: String, names: Set<String>) {
        (self.device, self.cursor, self.names) = (device, cursor, names)
    }

    /// The text form: lines with the device, the names of the fingerprints, and the cursor.
    var text: String {
        "\(device)\n\(names.sorted().joined(separator: "\t"))\n\(cursor)"
    }

    /// Reads the text form; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let device = DeviceID(String(parts[0])) else { return nil }
        let names = parts[1].split(separator: "\t").map(String.init)
        self.init(device: device, cursor: String(parts[2]), names: Set(names))
    }

    /// Whether this report makes the other unnecessary: nothing was taken in or acknowledged in between.
    func covers(_ other: ReportedRecords) -> Bool {
        device == other.device && cursor == other.cursor && names.isSuperset(of: other.names)
    }
}
