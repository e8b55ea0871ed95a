import SyncCore

/// What is left of a world at rest, without what the order of work decides: times of edits, numbers, revisions.
extension SimulatedWorld {
    /// Notes what the devices of an account hold, and the remote. Throws errors of stores and of the backend.
    func noteOutcome(account: String, devices: [SimulatedDevice]) async throws {
        for device in devices {
            guard let store = device.store else { continue }
            let lines = try store.read { snapshot in
                try store.entities.flatMap { try held(entity: $0, snapshot: snapshot) }
                    + lost(snapshot: snapshot, entities: store.entities)
                    + snapshot.standingRejections().map {
                        "rejected \($0.entity) \($0.key.text) \($0.reason)"
                    }
            }
            outcome += lines.sorted().map { "\(account) \(device.name) \($0)" }
        }
        guard let device = devices.first else { return }
        outcome += try await atRemote(account: account, device: device).sorted().map {
            "\(account) remote \($0)"
        }
    }

    /// The records of a store, and all sides of those in conflict.
    private func held(entity: EntityDescriptor, snapshot: any StoreSnapshot) throws -> [String] {
        var lines: [String] = []
        var open: [RecordKey] = []
        try snapshot.scan(entity: entity, includeHidden: true) { local in
            lines.append("\(local.visibility) \(local.state) \(text(local.version, entity: entity))")
            if local.state != .synced { open.append(local.version.key) }
        }
        for key in open {
            for kind in [SideKind.base, .remote] {
                if let version = try snapshot.side(entity: entity, key: key, kind: kind) {
                    lines.append("\(kind) \(text(version, entity: entity))")
                }
            }
            lines += try snapshot.heads(entity: entity, key: key).map { "head \(text($0, entity: entity))" }
        }
        return lines
    }

    /// The journal.
    private func lost(snapshot: any StoreSnapshot, entities: [EntityDescriptor]) throws -> [String] {
        try snapshot.journal().compactMap { entry in
            guard let entity = entities.first(where: { $0.name == entry.lost.entity }) else { return nil }
            let (lost, kept) = (text(entry.lost, entity: entity), text(entry.kept, entity: entity))
            return "journal \(entry.rule) \(lost) gave way to \(kept)"
        }
    }

    private func text(_ version: SyncRecord, entity: EntityDescriptor) -> String {
        let json = RecordEncoder(descriptor: entity, form: .plain).bytes(version.record)
        let end =
            (version.isDeleted ? " deleted" : "")
            + (version.mergedInto.map { " merged into \($0.text)" } ?? "")
        return "\(entity.name) \(version.key.text) \(String(decoding: json, as: UTF8.self))\(end)"
    }

    /// The records that a device gets that joins the account now, without joining it.
    private func atRemote(account: String, device: SimulatedDevice) async throws -> [String] {
        let backend = try base(account: account, device: device)
        let session = try await backend.open(
            SessionRequest(
                device: DeviceID(bits: 0xc0de_c0de_c0de_c0de),
                label: "onlooker",
                entities: schemas.new,
                binding: nil,
                cursor: nil,
                intent: nil,
                readOnly: true
            )
        )
        var lines: [String] = []
        while let page = try await session.fetch() {
            lines += page.changes.map { change in
                let body = String(decoding: change.body, as: UTF8.self)
                return "\(change.header.entity) \(change.header.key.text) \(change.header.kind) \(body)"
            }
        }
        try await session.close(cursor: nil)
        return lines
    }
}
