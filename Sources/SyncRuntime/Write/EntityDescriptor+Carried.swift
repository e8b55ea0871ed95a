import SyncCore

extension EntityDescriptor {
    /// The unknown members that the plain form has no place for: those in a record, or else those of its present
    /// version. No edit here is about them.
    func carried(record: Record, over current: Record?) -> [UnknownField] {
        if layout.carriedPaths.isEmpty { return [] }
        var carried = record.unknown.filter { layout.carriedPaths.contains($0.path) }
        for member in current?.unknown ?? [] where layout.carriedPaths.contains(member.path) {
            if !carried.contains(where: { $0.path.hasSameBytes(as: member.path) }) { carried.append(member) }
        }
        return carried
    }

    /// The unknown members of an edited record. If a person has cleared a renamed field, its value under the former name
    /// is cleared, too: other devices would take it for the field's.
    func withoutFormerNames(_ record: Record, over current: Record?) -> [UnknownField] {
        var unknown = record.unknown
        for (index, field) in fields.enumerated() where record.values[index] == nil {
            let former = field.formerWireNames
            if former.isEmpty || current?.values[index] == nil { continue }
            unknown.removeAll { member in former.contains { member.path.hasSameBytes(as: $0) } }
        }
        return unknown
    }

    /// Whether a whole record is written as a deleted one, by the field that mirrors the tombstone.
    ///
    /// NB: only setting the field deletes. A live record may have a value there that says nothing: of an app for whose
    /// schema the field is an ordinary one.
    func isDeleted(record: Record, over current: SyncRecord?) -> Bool {
        guard let mirror = layout.deleted, record.isSet(mirror) else { return false }
        guard let current, !current.isDeleted else { return true }
        return record.values[mirror] != current.record.values[mirror]
    }
}
