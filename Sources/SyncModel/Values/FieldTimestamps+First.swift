extension FieldTimestamps {
    /// The field timestamps of a record's first version, in which what was left out is absent. Nil if none are needed.
    ///
    /// They list the fields that were given the value that they would have had anyway: what somebody wrote is written,
    /// whatever it equals. `isSeed`: nobody made the edit.
    package init?(
        ofFirst record: Record,
        by edit: EditTimestamp,
        isSeed: Bool = false,
        entity: EntityDescriptor
    ) {
        self.init(origin: edit)
        for unit in entity.layout.timestamped where !unit.name.isEmpty {
            guard let field = unit.fields.first, let value = record.values[field],
                value == entity.layout.defaults[field]
            else { continue }
            units[unit.name] = [Sibling(editTimestamp: edit)]
        }
        if units.isEmpty, !isSeed { return nil }
        for unit in entity.layout.timestamped where unit.rule == .union { elements[unit.name] = [:] }
        if isSeed { seeds = [edit] }
    }
}
