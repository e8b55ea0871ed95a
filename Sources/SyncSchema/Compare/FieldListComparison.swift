/// Compares the fields of an entity, or the members of a nested object.
struct FieldListComparison {
    let entity: EntityComparison
    var old: [Property]
    var new: [Property]
    /// The prefix of nested field names, for example `splits[].`.
    var prefix = ""

    init(entity: EntityComparison) {
        self.entity = entity
        old = entity.old.properties
        new = entity.new.properties
    }

    /// Compares the members of a nested object.
    init(entity: EntityComparison, old: ObjectType, new: ObjectType, prefix: String) {
        self.entity = entity
        self.old = old.properties
        self.new = new.properties
        self.prefix = prefix
    }

    func changes() -> [SchemaChange] {
        var changes: [SchemaChange] = []
        var rest = old
        for field in new {
            guard let index = rest.firstIndex(where: { isSame(former: $0, field: field) }) else {
                changes.append(added(field: field))
                continue
            }
            let former = rest.remove(at: index)
            if let change = taken(name: field, former: former) { changes.append(change) }
            changes += FieldComparison(entity: entity, old: former, new: field, path: prefix + field.name)
                .changes(isNested: !prefix.isEmpty)
        }
        changes += rest.map(removed)
        return changes
    }

    /// Whether two fields are the same: by name, or because the newer one names the older as its former name.
    private func isSame(former: Property, field: Property) -> Bool {
        if ByteKey(former.name) == ByteKey(field.name) { return true }
        // NB: nested objects are matched by wire names, so a member with the same wire path is the same.
        if !prefix.isEmpty {
            return former.wirePath == field.wirePath
                && !new.contains { ByteKey($0.name) == ByteKey(former.name) }
        }
        return field.formerNames.map(ByteKey.init).contains(ByteKey(former.name))
    }

    /// A renamed field takes the name of another one, which stores of the older version still hold.
    private func taken(name field: Property, former: Property) -> SchemaChange? {
        let key = ByteKey(field.name)
        guard prefix.isEmpty, ByteKey(former.name) != key, old.contains(where: { ByteKey($0.name) == key })
        else {
            return nil
        }
        return entity.change(
            rule: .fieldRenamed,
            severity: .breaking,
            field: field.name,
            "the field takes the name of another one, and stores that hold both cannot be opened or keep the two apart",
            help: "choose a name that no field had"
        )
    }

    private func added(field: Property) -> SchemaChange {
        let name = prefix + field.name
        if field.isLocalOnly {
            return entity.change(
                rule: .fieldAdded,
                field: name,
                "the field is new and stays on the device",
                help: "nothing needs to be done"
            )
        }
        if field.isRequired, field.defaultJSON == nil {
            return entity.change(
                rule: .requiredAdded,
                field: name,
                "the field is new and required; records without it are set aside, those in a store, too",
                help: "give it a \"default\", or do not require it"
            )
        }
        let filled =
            field.isRequired ? "records without it get its default" : "records without it stay as they are"
        return entity.change(
            rule: .fieldAdded,
            field: name,
            "the field is new; \(filled), and older apps keep its values as unknown members",
            help: "nothing needs to be done"
        )
    }

    private func removed(field: Property) -> SchemaChange {
        let name = prefix + field.name
        let near = new.first { candidate in
            candidate.type == field.type && !old.contains { ByteKey($0.name) == ByteKey(candidate.name) }
        }
        let hint = near.map { "; if it is \($0.name.quoted) now, say so with \"renamedFrom\"" } ?? ""
        if field.isLocalOnly {
            return entity.change(
                rule: .fieldRemoved,
                field: name,
                "the field is gone; what the store held of it stays in a column that nobody reads",
                help: "nothing needs to be done\(hint)"
            )
        }
        if field.isRequired, field.defaultJSON == nil {
            return entity.change(
                rule: .fieldRemoved,
                severity: .breaking,
                field: name,
                "the field is gone and older apps require it; they set records of newer apps aside",
                help: "keep the field without requiring it until every app is updated\(hint)"
            )
        }
        return entity.change(
            rule: .fieldRemoved,
            field: name,
            "the field is gone; its values stay as unknown members, and older apps use them as before",
            help: "nothing needs to be done\(hint)"
        )
    }
}

/// Compares two versions of one field.
struct FieldComparison {
    let entity: EntityComparison
    let old: Property
    let new: Property
    let path: String

    func changes(isNested: Bool) -> [SchemaChange] {
        var changes = [isNested ? nil : renamed(), localOnly()].compactMap { $0 }
        changes += typeChanges(isNested: isNested)
        if !isNested, let merge = merge() { changes.append(merge) }
        // A field that never leaves the device affects no other app, but its values are in the device's store.
        if old.isLocalOnly || new.isLocalOnly {
            return changes.filter { $0.area != .wire || $0.isAboutPlace || $0.breaksStores }
                + [nullability(), required()].compactMap { $0 }.filter(\.breaksStores)
        }
        return changes + [wireName(), nullability(), required(), defaultValue()].compactMap { $0 }
    }

    func change(
        rule: ChangeRule,
        severity: SchemaChange.Severity? = nil,
        _ message: String,
        help: String
    ) -> SchemaChange {
        entity.change(rule: rule, severity: severity, field: path, message, help: help)
    }

    private func renamed() -> SchemaChange? {
        guard ByteKey(old.name) != ByteKey(new.name) else { return nil }
        let known = new.formerNames.map(ByteKey.init)
        if let forgotten = old.formerNames.first(where: { !known.contains(ByteKey($0)) }) {
            let names = (known.isEmpty ? [old.name] : new.formerNames) + [forgotten]
            return change(
                rule: .fieldRenamed,
                severity: .breaking,
                "the field was called \(old.name.quoted), and \(forgotten.quoted) before that, which is no longer said;"
                    + " a store of that version does not find its values",
                help: "name all former names, newest first:"
                    + " \"renamedFrom\": [\(names.map { CanonicalJSON.string($0) }.joined(separator: ", "))]"
            )
        }
        return change(
            rule: .fieldRenamed,
            "the field was called \(old.name.quoted); stores rename its column and keep every value",
            help: "keep \"renamedFrom\" for as long as stores of the older version may be opened"
        )
    }

    private func wireName() -> SchemaChange? {
        guard old.wirePath != new.wirePath else { return nil }
        let (before, after) = (old.wirePath.joined(separator: "/"), new.wirePath.joined(separator: "/"))
        if FieldDescriptor(property: new).formerWireNames.contains(where: { [$0] == old.wirePath }) {
            return change(
                rule: .wireNameChanged,
                "the field was \(before.quoted) on the wire and is \(after.quoted);"
                    + " it is read under both names, but older apps do not see what is written under the new one",
                help: "keep \"renamedFrom\" for as long as records and apps of the older version may be there"
            )
        }
        return change(
            rule: .wireNameChanged,
            "the field was \(before.quoted) on the wire and is \(after.quoted);"
                + " apps of both versions, and new devices, do not see each other's values, and a value can be lost",
            help:
                "keep the place with \"name\": \(CanonicalJSON.string(Self.pointer(path: old.wirePath)))"
                + (old.wirePath.count == 1 ? ", or tell the former name with \"renamedFrom\"" : "")
        )
    }

    private func localOnly() -> SchemaChange? {
        guard old.isLocalOnly != new.isLocalOnly else { return nil }
        return change(
            rule: .localOnlyChanged,
            new.isLocalOnly
                ? "the field stays on the device now; what older apps share of it is passed on unchanged"
                : "the field leaves the device now; each value becomes an edit at the first sync",
            help: "make a new field for it"
        )
    }

    private func nullability() -> SchemaChange? {
        guard old.isNullable != new.isNullable else { return nil }
        if new.isNullable {
            return change(
                rule: .nullAllowed,
                "the field may be null; older apps set such records aside",
                help: "write null only when every app is updated; an absent field needs no null"
            )
        }
        return change(
            rule: .nullForbidden,
            "the field may not be null any more; records with null are set aside when they come,"
                + " and those in a store are refused at their next edit",
            help: "give the records values before, or keep null in the type"
        )
    }

    private func required() -> SchemaChange? {
        guard old.isRequired != new.isRequired else { return nil }
        if new.isRequired {
            return change(
                rule: .requiredAdded,
                severity: new.defaultJSON == nil ? .breaking : .safe,
                new.defaultJSON == nil
                    ? "the field is required; records without it are set aside, those in a store, too"
                    : "the field is required; records without it get its default",
                help: new.defaultJSON == nil ? "give it a \"default\"" : "nothing needs to be done"
            )
        }
        return change(
            rule: .requiredRemoved,
            severity: old.defaultJSON == nil ? .breaking : .safe,
            old.defaultJSON == nil
                ? "the field is not required any more; older apps set records without it aside"
                : "the field is not required any more; older apps give records without it their default",
            help: old.defaultJSON == nil
                ? "keep writing the field until every app is updated" : "nothing needs to be done"
        )
    }

    private func defaultValue() -> SchemaChange? {
        guard old.defaultJSON != new.defaultJSON, old.isRequired, new.isRequired,
            old.defaultJSON != nil, new.defaultJSON != nil
        else { return Self.lostDefault(field: self) }
        return change(
            rule: .defaultChanged,
            "the default is another; apps of both versions fill different values into the same record",
            help: "keep the default, and set the new value where records are made"
        )
    }

    /// A required field that loses its default, or gets one. An app without the default sets records without
    /// the field aside.
    private static func lostDefault(field: FieldComparison) -> SchemaChange? {
        let (old, new) = (field.old, field.new)
        guard old.isRequired, new.isRequired, (old.defaultJSON == nil) != (new.defaultJSON == nil) else {
            return nil
        }
        let isLost = new.defaultJSON == nil
        return field.change(
            rule: .defaultChanged,
            severity: isLost ? .breaking : .safe,
            isLost
                ? "the required field has no default any more; records without it are set aside when they come"
                : "the required field has a default now, which records without it get",
            help: isLost ? "keep the default" : "nothing needs to be done"
        )
    }

    private func merge() -> SchemaChange? {
        // A changed strategy is reported once, so its fields do not repeat it.
        let isSameStrategy = entity.old.strategy == entity.new.strategy
        guard isSameStrategy, entity.old.granularity == entity.new.granularity else { return nil }
        let (before, after) = (
            Self.rule(field: old, schema: entity.old), Self.rule(field: new, schema: entity.new)
        )
        guard before != after else { return nil }
        let help = "make a new field for it, or release the change to all apps of an account at once"
        guard let before else {
            let message =
                "the field has left the record as a whole and meets by '\(after?.rawValue ?? "")';"
                + " edit timestamps of older apps do not say when it was edited"
            return change(rule: .mergeRuleAdded, message, help: help)
        }
        guard let after else {
            let message =
                "the field has lost its rule '\(before.rawValue)' and meets with the record as a whole;"
                + " newer apps take or leave it with the rest"
            return change(rule: .mergeRuleRemoved, message, help: help)
        }
        let message =
            "the field met by '\(before.rawValue)' and meets by '\(after.rawValue)';"
            + " apps of both versions choose different values"
        return change(rule: .mergeRuleChanged, message, help: help)
    }

    /// The rule by which a field merges on its own; nil if it merges with the record as a whole.
    private static func rule(field: Property, schema: Schema) -> MergeRule? {
        if let merge = field.merge { return merge }
        guard schema.strategy == .setUnion || schema.granularity == .field else { return nil }
        if schema.strategy == .setUnion, case .array(_, isSet: true, _, _) = field.type { return .union }
        return schema.strategy == .preserveLocal ? .preserveLocal : .lastWriteWins
    }

    private static func pointer(path: [String]) -> String {
        if path.count == 1, path[0].utf8.first != UInt8(ascii: "/") { return path[0] }
        return path.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}

extension SchemaChange {
    /// Whether the change is about the field's location and not about its values.
    fileprivate var isAboutPlace: Bool { rule == ChangeRule.localOnlyChanged.rawValue }
}
