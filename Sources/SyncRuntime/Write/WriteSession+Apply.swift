import SyncCore

extension WriteSession {
    /// The place of the record's key. Generates a missing UUID.
    func place(of record: inout Record, entity: EntityDescriptor) throws -> RecordPlace {
        for index in entity.layout.key where record.values[index] == nil {
            guard entity.fields[index].type == .uuid else { continue }
            record.values[index] = .text(random.uuid())
        }
        guard let key = entity.key(of: record) else {
            let name = entity.key.first { name in
                entity.layout.position(of: name).map { record.values[$0] == nil } ?? true
            }
            throw SyncError.doesNotFit(
                entity: entity.name,
                error: FieldError(
                    field: name ?? "",
                    rule: "required",
                    message: "The key field '\(name ?? "")' is required."
                )
            )
        }
        return consequences.place(entity: entity, key: key)
    }

    /// The current value with the given members replaced. A deleted record starts anew, unless its mirror is cleared.
    func merged(
        given: Record,
        over current: SyncRecord?,
        entity: EntityDescriptor
    ) -> Record {
        guard let current else { return given }
        if startsAnew(given: given, over: current, entity: entity) {
            return withKey(of: current, record: given, entity: entity)
        }
        var record = current.record
        for (index, value) in given.values.enumerated() {
            if let value, !entity.layout.key.contains(index) { record.values[index] = value }
        }
        for member in given.unknown { record.setUnknown(member) }
        return record
    }

    /// Whether the members make a new record that keeps nothing of the deleted one: all its values belong to this
    /// edit.
    func startsAnew(given: Record, over current: SyncRecord?, entity: EntityDescriptor) -> Bool {
        guard let current, current.isDeleted else { return false }
        return entity.layout.deleted.map { given.values[$0] == nil } ?? true
    }

    func withKey(of current: SyncRecord?, record: Record, entity: EntityDescriptor) -> Record {
        guard let current else { return record }
        var record = record
        for index in entity.layout.key { record.values[index] = current.record.values[index] }
        return record
    }
}
