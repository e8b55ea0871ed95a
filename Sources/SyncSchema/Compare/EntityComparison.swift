/// Compares two versions of one entity.
struct EntityComparison {
    let old: Schema
    let new: Schema

    func changes() -> [SchemaChange] {
        var changes = [key(), remote(), unknownFields(), indexes(), limit(), strategy(), granularity()]
            .compactMap { $0 }
        changes += roles() + unique() + references() + [tombstones()].compactMap { $0 }
        changes += FieldListComparison(entity: self).changes()
        if let version = version(changes: changes) { changes.append(version) }
        return changes
    }

    /// The present name of a field in the old schema.
    func presentName(_ name: String) -> String {
        if new.properties.contains(where: { ByteKey($0.name) == ByteKey(name) }) { return name }
        return new.properties.first { $0.formerNames.map(ByteKey.init).contains(ByteKey(name)) }?.name ?? name
    }

    func change(
        rule: ChangeRule,
        severity: SchemaChange.Severity? = nil,
        field: String? = nil,
        _ message: String,
        help: String
    ) -> SchemaChange {
        SchemaChange(rule: rule, severity: severity, entity: new.name, field: field, message, help: help)
    }

    private func key() -> SchemaChange? {
        guard old.key.map(presentName) != new.key else { return nil }
        return change(
            rule: .keyChanged,
            "the key was \(list(names: old.key)) and is \(list(names: new.key)); a store that exists refuses to open",
            help: "make a new entity and copy the records, or take the change back"
        )
    }

    private func remote() -> SchemaChange? {
        let (before, after) = (old.remote ?? old.name, new.remote ?? new.name)
        guard before != after else { return nil }
        return change(
            rule: .remoteChanged,
            "the remote collection was \(before.quoted) and is \(after.quoted);"
                + " folders and syncserver go by the entity's name and do not notice, other servers do",
            help: "rename the collection at the remote at the same moment, or keep \"remote\""
        )
    }

    private func unknownFields() -> SchemaChange? {
        guard old.forbidsUnknownFields != new.forbidsUnknownFields else { return nil }
        if new.forbidsUnknownFields {
            return change(
                rule: .unknownFieldsForbidden,
                "local writes may not add members that the schema does not name; those that came from newer apps stay",
                help: "nothing needs to be done"
            )
        }
        return change(
            rule: .unknownFieldsAllowed,
            "local writes may hold members that the schema does not name",
            help: "nothing needs to be done"
        )
    }

    private func indexes() -> SchemaChange? {
        let isSame =
            Set(old.indexes.map { $0.map(presentName) }) == Set(new.indexes)
            && old.search.map(presentName) == new.search
        if isSame { return nil }
        return change(
            rule: .indexesChanged,
            "other fields are indexed or searched; stores follow when they are opened",
            help: "nothing needs to be done"
        )
    }

    private func limit() -> SchemaChange? {
        guard old.limit != new.limit else { return nil }
        if let limit = new.limit, old.limit.map({ limit < $0 }) ?? true {
            return change(
                rule: .limitLowered,
                "a device that holds \(limit) records or more cannot add one; those that are there stay",
                help: "tell people before, or keep the limit"
            )
        }
        return change(rule: .limitRaised, "more records may be written", help: "nothing needs to be done")
    }

    private func strategy() -> SchemaChange? {
        guard old.strategy != new.strategy else { return nil }
        return change(
            rule: .strategyChanged,
            "the strategy was '\(old.strategy.rawValue)' and is '\(new.strategy.rawValue)';"
                + " until every app is updated, apps decide the same conflict in different ways",
            help: "make a new entity, or release the change to all apps of an account at once"
        )
    }

    private func granularity() -> SchemaChange? {
        guard old.granularity != new.granularity else { return nil }
        return change(
            rule: .granularityChanged,
            "edits met by \(old.granularity.rawValue) and meet by \(new.granularity.rawValue);"
                + " edit timestamps of older apps do not say which field an edit changed",
            help: "release the change to all apps of an account at once"
        )
    }

    private func roles() -> [SchemaChange] {
        let roles: [(ChangeRule, String, String?, String?)] = [
            (.createdChanged, "created", old.created, new.created),
            (.updatedChanged, "updated", old.updated, new.updated),
            (.deletedChanged, "deleted", old.deleted, new.deleted),
        ]
        return roles.compactMap { rule, word, before, after -> SchemaChange? in
            guard before.map(presentName) != after else { return nil }
            return change(
                rule: rule,
                "'\(word)' was \(before?.quoted ?? "no field") and is \(after?.quoted ?? "no field");"
                    + " apps of both versions count different fields as content",
                help: "keep the field in its role, or release the change to all apps of an account at once"
            )
        }
    }

    private func tombstones() -> SchemaChange? {
        guard old.tombstoneDays != new.tombstoneDays else { return nil }
        if let days = new.tombstoneDays, old.tombstoneDays.map({ days < $0 }) ?? true {
            return change(
                rule: .tombstonesShortened,
                "tombstones stay \(days) days; a device that was away for longer may bring deleted records back",
                help: "keep tombstones for longer than any device stays away"
            )
        }
        return change(
            rule: .tombstonesLengthened,
            "tombstones stay for longer",
            help: "nothing needs to be done; those that are gone already do not return"
        )
    }

    private func version(changes: [SchemaChange]) -> SchemaChange? {
        if new.version < old.version {
            return change(
                rule: .versionLowered,
                "the version was \(old.version) and is \(new.version); a store of the higher one refuses to open",
                help: "raise \"version\" to \(old.version + 1)"
            )
        }
        guard new.version == old.version, !changes.isEmpty else { return nil }
        let isBreaking = changes.contains { $0.severity == .breaking }
        return change(
            rule: .versionNotRaised,
            severity: isBreaking ? .breaking : .safe,
            "the schema has changed, and its version is still \(new.version);"
                + " an older app takes a store of the newer one for its own",
            help: "raise \"version\" to \(old.version + 1)"
        )
    }

    func list(names: [String]) -> String {
        names.map(\.quoted).joined(separator: " and ")
    }
}

extension EntityComparison {
    private func unique() -> [SchemaChange] {
        let before = old.unique.map { $0.map(presentName) }
        var changes: [SchemaChange] = []
        if before.first.map(Set.init) != new.unique.first.map(Set.init) {
            changes.append(
                change(
                    rule: .firstUniqueChanged,
                    "records were one by \(before.first.map(list) ?? "nothing but the key") and are now by"
                        + " \(new.unique.first.map(list) ?? "nothing but the key");"
                        + " apps of both versions show different records",
                    help: "keep the first list of \"unique\", and add others behind it"
                )
            )
        }
        let (former, present) = (Set(before.map(Set.init)), Set(new.unique.map(Set.init)))
        for list in new.unique.dropFirst() where !former.contains(Set(list)) {
            changes.append(
                change(
                    rule: .uniqueAdded,
                    "\(self.list(names: list)) must be unique; a write to a record that shares them already is refused",
                    help: "clear up the records that share them before"
                )
            )
        }
        for list in before.dropFirst() where !present.contains(Set(list)) {
            changes.append(
                change(
                    rule: .uniqueRemoved,
                    "records may share \(self.list(names: list)); an older app cannot write those that do",
                    help: "nothing needs to be done when all apps are updated soon"
                )
            )
        }
        return changes
    }

    /// Whether a reference makes a tree unless the schema allows circles.
    private func isTree(_ reference: ReferenceDescriptor, in schema: Schema) -> Bool {
        let type = schema.properties.first { ByteKey($0.name) == ByteKey(reference.field) }?.type
        if case .array? = type { return false }
        return ByteKey(reference.entity) == ByteKey(schema.name)
    }

    private func references() -> [SchemaChange] {
        var changes: [SchemaChange] = []
        let before = old.references.map { ($0, presentName($0.field)) }
        let help = "release the change to all apps of an account at once"
        for reference in new.references {
            let field = reference.field
            guard let former = before.first(where: { ByteKey($0.1) == ByteKey(field) })?.0 else {
                let message =
                    "the field refers to \(reference.entity.quoted); older apps leave records of a deleted parent alone"
                changes.append(change(rule: .referenceAdded, field: field, message, help: help))
                continue
            }
            if former.fields.map(ByteKey.init) != reference.fields.map(ByteKey.init) {
                let message = "the reference by this field has other fields than before"
                changes.append(
                    change(rule: .referenceChanged, field: field, message, help: "make new fields for it")
                )
            } else if ByteKey(former.entity) != ByteKey(reference.entity) {
                let message =
                    "the field referred to \(former.entity.quoted) and refers to \(reference.entity.quoted)"
                changes.append(
                    change(rule: .referenceChanged, field: field, message, help: "make a new field for it")
                )
            } else if former.onDelete != reference.onDelete {
                let message =
                    "a delete of the parent was '\(former.onDelete.rawValue)' and is '\(reference.onDelete.rawValue)'"
                changes.append(change(rule: .deleteRuleChanged, field: field, message, help: help))
            }
            if isTree(reference, in: new), isTree(former, in: old), former.isCyclic != reference.isCyclic {
                let message =
                    reference.isCyclic
                    ? "records may refer to each other in circles; older apps break them"
                    : "records make a tree; older apps may move them into circles, which newer apps break"
                changes.append(change(rule: .treeChanged, field: field, message, help: help))
            }
        }
        for (reference, field) in before
        where !new.references.contains(where: { ByteKey($0.field) == ByteKey(field) }) {
            let message =
                "the field refers to \(reference.entity.quoted) no more; older apps still act on deletes of the parent"
            changes.append(change(rule: .referenceRemoved, field: field, message, help: help))
        }
        return changes
    }
}
