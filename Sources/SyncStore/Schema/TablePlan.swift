import SyncCore

/// The changes that give an entity's table the shape of its schema. Planned before anything is changed.
struct TablePlan {
    /// The shape afterwards.
    var shape: TableShape
    /// Whether there is no table yet.
    var isNew = false
    /// Columns to rename.
    var renamed: [(from: String, to: String)] = []
    /// Columns that are added.
    var added: [TableShape.Column] = []
    /// Columns whose field the schema has dropped. Their values become unknown members, as if pulled with the present
    /// schema, and the column is removed.
    var removed: [TableShape.Column] = []
    /// Columns with lists or objects whose shape has changed, as they were.
    var reshaped: [TableShape.Column] = []
    /// Columns of integers whose field is a number now.
    var widened: [TableShape.Column] = []
    /// Fields whose path on the wire has changed. Their field timestamps go by it.
    var moved: [(field: String, from: [String], to: [String])] = []
    /// Columns, as they were, whose field stays on this device from now on. Their values go on travelling as unknown
    /// members.
    var localized: [TableShape.Column] = []
    /// Fields that stayed on this device and are shared from now on.
    var shared: [String] = []
    /// Whether unknown members may contain values of new fields.
    var rereadsUnknown = false
    /// Whether the full-text index is to be dropped or made anew.
    var changesSearch = false

    /// The plan for one entity; nil if its table needs no change.
    ///
    /// - Throws: `newerSchema`, or `incompatibleSchema` for a change that columns cannot follow.
    static func make(_ descriptor: EntityDescriptor, stored: TableShape?) throws -> TablePlan? {
        guard let stored else { return TablePlan(shape: TableShape(descriptor), isNew: true) }
        if stored.version > descriptor.version {
            throw SyncError.newerSchema(
                entity: descriptor.name,
                found: stored.version,
                known: descriptor.version
            )
        }
        var plan = TablePlan(shape: stored)
        plan.shape.version = descriptor.version
        for field in descriptor.fields { try plan.place(field, of: descriptor) }
        plan.dropFields(notIn: descriptor)
        plan.shape.key = stored.key.map { name in plan.renamed.first { $0.from == name }?.to ?? name }
        guard plan.shape.key == descriptor.key else {
            throw descriptor.refusal(reason: "the key fields have changed.")
        }
        plan.shape.indexes = TableShape.indexes(descriptor: descriptor)
        plan.shape.setSearch(descriptor.search)
        plan.changesSearch =
            plan.shape.search != stored.search || plan.shape.searchVersion != stored.searchVersion
        return plan.shape == stored ? nil : plan
    }

    private mutating func place(_ field: FieldDescriptor, of descriptor: EntityDescriptor) throws {
        var column = TableShape.Column(field: field, slot: 0)
        guard let index = try storedColumn(of: field, in: descriptor) else {
            column.slot = (shape.columns.map(\.slot).max() ?? -1) + 1
            shape.columns.append(column)
            added.append(column)
            rereadsUnknown = true
            return
        }
        let stored = shape.columns[index]
        guard stored.kind == column.kind || Self.widens(stored: stored.kind, kind: column.kind) else {
            throw descriptor.refusal(
                reason: "field '\(field.name)' was \(stored.kind) and is now \(column.kind)."
            )
        }
        if !stored.name.hasSameBytes(as: field.name) { renamed.append((stored.name, field.name)) }
        if stored.path != column.path || stored.isLocalOnly != column.isLocalOnly || stored.isRetired {
            rereadsUnknown = true
        }
        if column.isLocalOnly, !stored.isLocalOnly, !stored.isRetired {
            localized.append(stored.named(name: field.name))
        }
        if stored.isLocalOnly, !column.isLocalOnly { shared.append(field.name) }
        if stored.kind == "integer", column.kind == "number" {
            if descriptor.key.contains(where: { $0.hasSameBytes(as: field.name) }) {
                throw descriptor.refusal(reason: "the key fields have changed.")
            }
            widened.append(column)
        }
        if stored.path != column.path, !stored.isLocalOnly, !column.isLocalOnly {
            moved.append((field.name, stored.path, column.path))
        }
        if stored.nested != column.nested { reshaped.append(stored.named(name: field.name)) }
        column.slot = stored.slot
        shape.columns[index] = column
    }

    /// Whether a column can take a field of another kind, because each value of the one is a value of the other.
    private static func widens(stored: String, kind: String) -> Bool {
        switch (stored, kind) {
        case ("integer", "number"), ("date", "text"), ("decimal", "text"): true
        default: false
        }
    }

    /// The column of a field: by its name, or by the newest of its former names that is free.
    ///
    /// - Throws: `incompatibleSchema` if both are there and belong to different fields.
    private func storedColumn(of field: FieldDescriptor, in descriptor: EntityDescriptor) throws -> Int? {
        let renamed = field.formerNames.lazy.compactMap { former in
            descriptor.fields.contains { $0.name.hasSameBytes(as: former) }
                ? nil : shape.columns.firstIndex { !$0.isRetired && $0.name.hasSameBytes(as: former) }
        }.first
        if let index = shape.columns.firstIndex(where: { $0.name.hasSameBytes(as: field.name) }) {
            if let renamed, shape.columns[renamed].path == field.wirePath,
                shape.columns[index].path != field.wirePath
            {
                throw descriptor.refusal(
                    reason: "field '\(field.name)' takes the name of another one that the store still holds."
                )
            }
            return index
        }
        if let renamed { return renamed }
        // SQLite compares names without regard to case.
        if shape.columns.contains(where: { $0.name.lowercased() == field.name.lowercased() }) {
            throw descriptor.refusal(
                reason:
                    "field '\(field.name)' differs in case alone from one that the store holds; 'renamedFrom' can tell so."
            )
        }
        return nil
    }

    private mutating func dropFields(notIn descriptor: EntityDescriptor) {
        for index in shape.columns.indices.reversed() {
            let column = shape.columns[index]
            if column.isRetired
                || descriptor.fields.contains(where: { $0.name.hasSameBytes(as: column.name) })
            {
                continue
            }
            if column.isLocalOnly {
                // A local-only value must not become an unknown member, which would travel.
                shape.columns[index].isRetired = true
            } else {
                shape.columns.remove(at: index)
                removed.append(column)
            }
        }
    }
}

extension TableShape.Column {
    fileprivate func named(name: String) -> Self {
        var column = self
        column.name = name
        return column
    }
}

extension EntityDescriptor {
    /// A change that columns cannot follow.
    func refusal(reason: String) -> SyncError { .incompatibleSchema(entity: name, reason: reason) }
}
