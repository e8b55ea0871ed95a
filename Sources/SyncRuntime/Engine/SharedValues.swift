import SyncCore

/// Makes an edit of each value that stayed on this device until the schema began to share its field.
///
/// Without an edit of its own, such a value would go with the next version that comes from another device.
struct SharedValues {
    /// Records of one transaction.
    static let batch = 500

    let store: any LocalStore
    let now: Timestamp

    /// Makes the edits that the store has noted.
    func publish() throws {
        for entity in store.entities {
            let name = LocalValues.name(of: entity)
            guard let text = try store.read({ try $0.value(name: name) }) else { continue }
            let fields = Self.fields(text: text, entity: entity)
            var keys = try store.read { try Self.keys(with: fields, entity: entity, snapshot: $0) }[...]
            while !keys.isEmpty {
                try store.write(.full) { transaction in
                    for key in keys.prefix(Self.batch) {
                        let place = RecordPlace(entity: entity, key: key, transaction: transaction)
                        try edit(place, fields: fields)
                    }
                }
                keys = keys.dropFirst(Self.batch)
            }
            try store.write(.full) { try $0.setValue(name, value: nil) }
        }
    }

    /// Positions of the noted fields that the entity still has.
    private static func fields(text: String, entity: EntityDescriptor) -> [Int] {
        SetElements.read(value: .json(text)).compactMap { element in
            let name = element.text.dropFirst().dropLast()
            return entity.layout.position(of: String(name)).flatMap {
                entity.fields[$0].isLocalOnly ? nil : $0
            }
        }
    }

    /// Keys of records with a value of their own in one of the fields. A default is none.
    private static func keys(
        with fields: [Int],
        entity: EntityDescriptor,
        snapshot: any StoreSnapshot
    ) throws -> [RecordKey] {
        var keys: [RecordKey] = []
        try snapshot.scan(entity: entity, includeHidden: true) { local in
            guard local.visibility.exists, has(local.version.record, valueIn: fields, entity: entity) else {
                return
            }
            keys.append(local.version.key)
        }
        return keys
    }

    /// Whether the record has a value of its own in one of the fields. A default is none, and neither is a null without a
    /// default.
    private static func has(_ record: Record, valueIn fields: [Int], entity: EntityDescriptor) -> Bool {
        fields.contains { field in
            record.values[field].map { $0 != (entity.layout.defaults[field] ?? .null) } ?? false
        }
    }

    private func edit(_ place: RecordPlace, fields: [Int]) throws {
        let (entity, transaction) = (place.entity, place.transaction)
        var before = try place.state()
        // It may have been deleted since its key was read.
        guard let local = before.local, local.visibility.exists,
            Self.has(local.version.record, valueIn: fields, entity: entity)
        else { return }
        // The version that the other devices know has no value there.
        var shared = local.version
        for field in fields { shared.record.values[field] = entity.layout.defaults[field] }
        before.local?.version = shared
        var edit = Editor.Edit(current: shared, record: local.version.record)
        // It gives way to whatever people wrote elsewhere meanwhile.
        edit.intent = .follow
        let device = try Incarnation.device(snapshot: transaction)
        let editor = Editor(descriptor: entity, now: now, device: device)
        guard
            case .edited(let version) = try editor(
                edit,
                key: place.key,
                sequence: { try transaction.nextSequence() }
            )
        else {
            return
        }
        try place.reconcile(.edited(version), before: before, own: OwnDevices(current: device), at: now)
    }
}
