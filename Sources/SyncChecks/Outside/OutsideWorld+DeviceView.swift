import SyncCore
import SyncRuntime

extension OutsideWorld {
    /// What one device shows at rest.
    struct DeviceView {
        let device: OutsideDevice
        let shown: [RecordID: OutsideDevice.Shown]
        let exports: [RecordID: String]
        let conflicts: [RecordID: OutsideDevice.Conflict]
        let rejected: [RecordID: Record?]
        let isInSync: Bool

        init(device: OutsideDevice, entities: [EntityDescriptor]) throws {
            self.device = device
            shown = try device.shown()
            let encoders = Dictionary(
                uniqueKeysWithValues: entities.map { ($0.name, RecordEncoder(descriptor: $0, form: .plain)) }
            )
            exports = Dictionary(
                uniqueKeysWithValues: shown.map { place, row in
                    let bytes =
                        encoders[place.entity]?.bytes(row.record.shared(by: entities, as: place)) ?? []
                    return (place, String(decoding: bytes, as: UTF8.self))
                }
            )
            conflicts = Dictionary(uniqueKeysWithValues: try device.conflicts().map { ($0.place, $0) })
            rejected = try device.rejected()
            isInSync = try device.status().isInSync
        }

        /// The unique values of records in conflict or rejected.
        func waiting(entities: [EntityDescriptor]) -> Set<String> {
            let places = Set(conflicts.keys).union(rejected.keys)
            return places.reduce(into: []) { $0.formUnion(groups(place: $1, entities: entities)) }
        }

        /// The records that a record in conflict cannot do without, on either side. While it waits, a device without
        /// the conflict may have brought them back already.
        func needed(entities: [EntityDescriptor]) -> Set<RecordID> {
            var needed: Set<RecordID> = []
            for (place, conflict) in conflicts {
                guard let entity = entities.first(where: { $0.name == place.entity }) else { continue }
                let records = [shown[place]?.record, conflict.local, conflict.remote].compactMap { $0 }
                for reference in entity.references where [.cascade, .restrict].contains(reference.onDelete) {
                    let keys = records.flatMap { entity.keys(of: reference, in: $0) }
                    needed.formUnion(keys.map { RecordID(entity: reference.entity, key: $0) })
                }
            }
            return needed
        }

        /// Names for the unique values of a record on this device, on either side.
        func groups(place: RecordID, entities: [EntityDescriptor]) -> Set<String> {
            guard let entity = entities.first(where: { $0.name == place.entity }) else { return [] }
            let conflict = conflicts[place]
            let records = [
                shown[place]?.record, conflict?.base, conflict?.local, conflict?.remote,
                rejected[place] ?? nil,
            ]
            var groups: Set<String> = entity.layout.unique.isEmpty ? [] : ["\(place)"]
            for record in records.compactMap({ $0 }) {
                for list in entity.layout.unique {
                    let values = list.map { record.values[$0] ?? .null }
                    if !values.contains(.null) { groups.insert("\(place.entity) \(list) \(values)") }
                }
            }
            return groups
        }

        /// The content that must be equal on all devices: the remote side of a conflict, otherwise the shown
        /// record. Nil if this device's own version awaits a decision.
        func agreed(place: RecordID, entities: [EntityDescriptor]) -> String?? {
            if rejected[place] != nil { return .none }
            guard let conflict = conflicts[place] else { return .some(exports[place]) }
            guard let entity = entities.first(where: { $0.name == place.entity }) else { return .some(nil) }
            guard let remote = conflict.remote else {
                return hasLostParent(conflict, entity: entity) ? .none : .some(nil)
            }
            return .some(
                String(
                    decoding: RecordEncoder(descriptor: entity, form: .plain)
                        .bytes(remote.shared(by: entities, as: place)),
                    as: UTF8.self
                )
            )
        }

        /// Whether a conflict is the question what becomes of a record whose parent was deleted elsewhere. Only the
        /// device that wrote the record asks it; others show the record until it is answered.
        private func hasLostParent(_ conflict: OutsideDevice.Conflict, entity: EntityDescriptor) -> Bool {
            guard let local = conflict.local else { return false }
            return entity.references.filter { $0.onDelete == .cascade }.contains { reference in
                entity.keys(of: reference, in: local).contains { key in
                    shown[RecordID(entity: reference.entity, key: key)] == nil
                }
            }
        }
    }
}

extension Record {
    /// The record without what stays on its device.
    fileprivate func shared(by entities: [EntityDescriptor], as place: RecordID) -> Record {
        var record = self
        for index in entities.first(where: { $0.name == place.entity })?.layout.localOnly ?? [] {
            record.values[index] = nil
        }
        return record
    }
}
