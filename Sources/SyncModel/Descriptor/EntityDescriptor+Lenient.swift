extension EntityDescriptor {
    /// The same fields at the same positions without constraints, to read values that this store wrote: a stricter
    /// schema must not make kept versions unreadable.
    package var lenient: EntityDescriptor { replacing(fields: fields.map(\.lenient)) }

    /// The same, except that a field is not read from the wire: its member there is an unknown one. Nil if no field at the
    /// path's beginning is read.
    private func leavingUnread(_ path: String) -> EntityDescriptor? {
        let name = path.prefix { $0 != "." && $0 != "[" }
        guard let index = layout.position(of: String(name)), !fields[index].isLocalOnly else { return nil }
        var fields = fields
        fields[index].isLocalOnly = true
        return replacing(fields: fields)
    }

    /// Reads with this schema, and leaves fields unread whose members have another type now: nobody loses the value, it is a
    /// member that is unknown. Throws `FieldError` only if that does not help.
    package func readingWhatFits<Value>(_ read: (EntityDescriptor) throws -> Value) throws -> Value {
        do { return try read(self) } catch let error as FieldError {
            guard let schema = leavingUnread(error.field) else { throw error }
            return try schema.readingWhatFits(read)
        }
    }

    private func replacing(fields: [FieldDescriptor]) -> EntityDescriptor {
        EntityDescriptor(
            name: name,
            typeName: typeName,
            version: version,
            fields: fields,
            key: key,
            strategy: strategy,
            granularity: granularity,
            created: created,
            updated: updated,
            deleted: deleted,
            remote: remote,
            unique: unique
        )
    }
}
