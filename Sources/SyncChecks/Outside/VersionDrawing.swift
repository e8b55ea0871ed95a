import SyncCore

/// Draws the differences between two versions of an app. Each takes one place: which of the versions has it is drawn, too.
///
/// What a store refuses is left out: another key, a lower version, another kind of column.
struct VersionDrawing {
    private var draw: Seed
    private(set) var old: [EntitySketch]
    private(set) var new: [EntitySketch]
    private(set) var changes: [OutsideChange] = []
    /// Fields that a change has used already, each with its entity.
    private var used: Set<[String]> = []
    private let count: Int

    init(entities: [EntityDescriptor], bits: UInt64) {
        draw = Seed(bits)
        old = entities.map { EntitySketch($0) }
        new = old
        count = Int.random(in: 1...3, using: &draw)
    }

    /// The newer entities. The version of one that changed is mostly higher, as it should be.
    var raised: [EntityDescriptor] {
        var draw = draw
        return new.map { sketch in
            var sketch = sketch
            let isChanged = changes.contains { $0.entity == sketch.name }
            if isChanged, Int.random(in: 0..<5, using: &draw) > 0 { sketch.version += 1 }
            return sketch.entity
        }
    }

    /// Draws one to three changes.
    mutating func drawChanges() {
        for _ in 0..<60 where changes.count < count {
            guard let kind = OutsideChange.Kind.allCases.randomElement(using: &draw) else { return }
            make(kind)
        }
    }

    /// Makes one change of a kind, if the entity that is drawn allows one.
    private mutating func make(_ kind: OutsideChange.Kind) {
        // An entity that only one of the versions has is no place for another change.
        let both = old.filter { sketch in new.contains { $0.name == sketch.name } }.map(\.name)
        guard let name = both.randomElement(using: &draw) else { return }
        let isReversible = ![.renamed, .moved, .widened].contains(kind)
        let isReversed = isReversible && Bool.random(using: &draw)
        guard let index = (isReversed ? old : new).firstIndex(where: { $0.name == name }) else { return }
        if kind == .entity { return makeEntity(isReversed: isReversed) }
        var sketch = isReversed ? old[index] : new[index]
        guard var change = change(kind, of: &sketch) else { return }
        guard RecordGenerator(sketch.entity).fieldsWithoutValues.isEmpty else { return }
        if isReversed { old[index] = sketch } else { new[index] = sketch }
        if kind == .standard { makeOtherStandard(of: change, isReversed: isReversed) }
        change.isReversed = isReversed
        change.text = "\(name): " + (isReversed ? "no longer \(change.text)" : change.text)
        if let field = change.field { used.insert([name, field]) }
        changes.append(change)
    }

    /// The change in one sketch; nil if it has no place for it.
    private mutating func change(_ kind: OutsideChange.Kind, of sketch: inout EntitySketch) -> OutsideChange?
    {
        switch kind {
        case .field, .defaulted, .standard: add(kind, to: &sketch)
        case .renamed, .moved: rename(kind, in: &sketch)
        case .local, .widened, .narrowed, .required, .nullable, .ordered: changeField(kind, in: &sketch)
        case .merge: changeMerge(of: &sketch)
        case .strategy, .granularity, .unique: changeMeeting(kind, of: &sketch)
        case .reference, .deleteRule, .cyclic: changeReference(kind, of: &sketch)
        case .entity: nil
        }
    }

    // MARK: Fields and entities

    private mutating func add(_ kind: OutsideChange.Kind, to sketch: inout EntitySketch) -> OutsideChange? {
        let name = "added\(changes.count)"
        guard old.allSatisfy({ $0.name != sketch.name || $0.position(of: name) == nil }) else { return nil }
        var field = FieldDescriptor(name: name, type: .string(maxLength: 1_000))
        if kind == .field {
            field.isNullable = Bool.random(using: &draw)
        } else {
            (field.isRequired, field.defaultJSON) = (true, "\"standard\"")
        }
        sketch.fields.append(field)
        let text = kind == .standard ? "the default of \(name) is another" : "has the field \(name)"
        return OutsideChange(kind: kind, entity: sketch.name, field: name, text: text)
    }

    /// The other version of a field whose default differs.
    private mutating func makeOtherStandard(of change: OutsideChange, isReversed: Bool) {
        guard let name = change.field else { return }
        let field = FieldDescriptor(
            name: name,
            type: .string(maxLength: 1_000),
            isRequired: true,
            defaultJSON: "\"ordinary\""
        )
        for index in old.indices where !isReversed && old[index].name == change.entity {
            old[index].fields.append(field)
        }
        for index in new.indices where isReversed && new[index].name == change.entity {
            new[index].fields.append(field)
        }
    }

    private mutating func makeEntity(isReversed: Bool) {
        let name = "added-\(changes.count)"
        let entity = OutsideSchemas.entity(
            name: name,
            fields: [OutsideSchemas.text(name: "note"), OutsideSchemas.tags],
            strategy: .lastWriteWins,
            granularity: .field
        )
        if isReversed { old.append(EntitySketch(entity)) } else { new.append(EntitySketch(entity)) }
        changes.append(
            OutsideChange(
                kind: .entity,
                entity: name,
                text: isReversed ? "\(name) is gone" : "\(name) is new",
                isReversed: isReversed
            )
        )
    }

    /// A field that nothing else in the entity mentions, and that meets a condition.
    private mutating func free(
        in sketch: EntitySketch,
        where condition: (FieldDescriptor) -> Bool = { _ in true }
    ) -> Int? {
        let roles = [sketch.created, sketch.updated, sketch.deleted].compactMap { $0 }
        let lists = (sketch.unique + sketch.indexes).flatMap(\.self) + sketch.references.flatMap(\.fields)
        let mentioned = Set(sketch.key + roles + lists + sketch.search)
        return sketch.fields.indices.filter { index in
            let field = sketch.fields[index]
            return !mentioned.contains(field.name) && isUnused(field.name, of: sketch) && condition(field)
        }.randomElement(using: &draw)
    }

    /// Whether both versions have the field, and none has changed it.
    private func isUnused(_ name: String, of sketch: EntitySketch) -> Bool {
        !used.contains([sketch.name, name])
            && [old, new].allSatisfy { version in
                version.first { $0.name == sketch.name }?.position(of: name) != nil
            }
    }

    private mutating func rename(_ kind: OutsideChange.Kind, in sketch: inout EntitySketch) -> OutsideChange?
    {
        let keys = Set(sketch.key)
        let names = sketch.fields.filter { field in
            !keys.contains(field.name) && field.renamedFrom == nil && !field.isLocalOnly
                && isUnused(field.name, of: sketch) && (kind == .renamed || field.wirePath == [field.name])
        }.map(\.name)
        guard let name = names.randomElement(using: &draw) else { return nil }
        let later = name + "Later"
        sketch.rename(name, to: later)
        if kind == .moved, let index = sketch.position(of: later) { sketch.fields[index].wirePath = [later] }
        let text = "\(name) is called \(later)" + (kind == .moved ? ", on the wire, too" : "")
        var change = OutsideChange(kind: kind, entity: sketch.name, field: name, text: text)
        change.renamed = (name, later)
        return change
    }

    private mutating func changeField(_ kind: OutsideChange.Kind, in sketch: inout EntitySketch)
        -> OutsideChange?
    {
        let roles = FieldRoles(sketch.entity)
        func has(_ wanted: FieldRoles.Role..., field: FieldDescriptor) -> Bool {
            roles.entity.layout.position(of: field.name).map { wanted.contains(roles.roles[$0]) } ?? false
        }
        let index: Int? =
            switch kind {
            case .local:
                free(in: sketch) { has(.word, .number, field: $0) && !$0.isRequired && $0.merge == nil }
            case .widened: free(in: sketch) { has(.number, field: $0) }
            case .narrowed: free(in: sketch) { has(.word, .number, field: $0) }
            case .ordered: free(in: sketch) { has(.words, field: $0) }
            case .nullable: free(in: sketch) { !$0.isNullable && !$0.isLocalOnly }
            default: free(in: sketch) { !$0.isRequired && !$0.isLocalOnly && $0.defaultJSON == nil }
            }
        guard let index else { return nil }
        let name = sketch.fields[index].name
        let text: String
        switch kind {
        case .local: (sketch.fields[index].isLocalOnly, text) = (true, "\(name) stays on the device")
        case .widened: (sketch.fields[index].type, text) = (.number(), "\(name) may have fractions")
        case .narrowed:
            sketch.fields[index].type = narrowed(sketch.fields[index].type)
            text = "\(name) is narrower"
        case .ordered:
            sketch.fields[index].type = .array(element: .string(minLength: 1, maxLength: 60))
            (sketch.fields[index].hasUniqueItems, sketch.fields[index].merge) = (true, nil)
            text = "\(name) keeps its order"
        case .nullable: (sketch.fields[index].isNullable, text) = (true, "\(name) may be null")
        default: (sketch.fields[index].isRequired, text) = (true, "\(name) is required")
        }
        var change = OutsideChange(kind: kind, entity: sketch.name, field: name, text: text)
        if [.local, .narrowed, .ordered].contains(kind) { change.role = roles.roles[index] }
        return change
    }

    /// A type that some of the words do not fit.
    private mutating func narrowed(_ type: FieldType) -> FieldType {
        guard case .string = type else { return .integer(minimum: 0, maximum: 400_000) }
        return Int.random(in: 0..<4, using: &draw) == 0
            ? .string(maxLength: 2) : .string(pattern: "^[^3-6]*$")
    }

    // MARK: How records meet

    private mutating func changeMerge(of sketch: inout EntitySketch) -> OutsideChange? {
        guard let index = free(in: sketch, where: { !$0.isLocalOnly }) else { return nil }
        let field = sketch.fields[index]
        let rules: [MergeRule?] =
            switch field.type {
            case .array(let element, _, true, _, _) where !element.isStructured:
                [nil, .union, .lastWriteWins, .preserveLocal]
            case .integer, .number, .decimal, .dateTime, .date: [nil, .max, .min, .lastWriteWins]
            case .boolean: [nil, .or, .and, .preserveLocal]
            default: [nil, .lastWriteWins, .preserveLocal]
            }
        guard let rule = rules.filter({ $0 != field.merge }).randomElement(using: &draw) else { return nil }
        sketch.fields[index].merge = rule
        let text = "\(field.name) merges by \(rule?.rawValue ?? "no rule of its own")"
        return OutsideChange(kind: .merge, entity: sketch.name, field: field.name, text: text)
    }

    private mutating func changeMeeting(_ kind: OutsideChange.Kind, of sketch: inout EntitySketch)
        -> OutsideChange?
    {
        switch kind {
        case .strategy:
            let others = MergeStrategy.allCases.filter { $0 != sketch.strategy }
            guard !changes.contains(where: { $0.kind == kind && $0.entity == sketch.name }),
                let strategy = others.randomElement(using: &draw)
            else { return nil }
            sketch.strategy = strategy
            let text = "the strategy is \(strategy.rawValue)"
            return OutsideChange(kind: kind, entity: sketch.name, text: text)
        case .granularity:
            guard !changes.contains(where: { $0.kind == kind && $0.entity == sketch.name }) else {
                return nil
            }
            sketch.granularity = sketch.granularity == .field ? .record : .field
            let text = "merges by \(sketch.granularity.rawValue)"
            return OutsideChange(kind: kind, entity: sketch.name, text: text)
        default:
            let roles = FieldRoles(sketch.entity).roles
            let words = Set(
                sketch.fields.indices.filter { roles[$0] == .word }.map { sketch.fields[$0].name }
            )
            guard let index = free(in: sketch, where: { words.contains($0.name) }) else { return nil }
            let name = sketch.fields[index].name
            if Bool.random(using: &draw) {
                sketch.unique.append([name])
            } else {
                sketch.unique.insert([name], at: 0)
            }
            return OutsideChange(kind: kind, entity: sketch.name, field: name, text: "\(name) is unique")
        }
    }

    private mutating func changeReference(_ kind: OutsideChange.Kind, of sketch: inout EntitySketch)
        -> OutsideChange?
    {
        let keys = Set(sketch.key)
        let entity = sketch.entity
        let indices = sketch.references.indices.filter { index in
            let reference = sketch.references[index]
            let isOfKey = !keys.isDisjoint(with: reference.fields)
            let isFit =
                switch kind {
                case .cyclic: reference.entity == sketch.name && !entity.isList(reference)
                case .reference: !isOfKey && reference.fields.count == 1
                default: true
                }
            return isFit && reference.fields.allSatisfy { isUnused($0, of: sketch) }
        }
        guard let index = indices.randomElement(using: &draw) else { return nil }
        let reference = sketch.references[index]
        let text: String
        switch kind {
        case .cyclic:
            sketch.references[index].isCyclic.toggle()
            text = "\(reference.field) may \(reference.isCyclic ? "not " : "")lead in a circle"
        case .reference:
            sketch.references.remove(at: index)
            text = "\(reference.field) is no reference"
        default:
            guard let last = entity.layout.position(of: reference.field) else { return nil }
            let (field, isList) = (entity.fields[last], entity.isList(reference))
            let isCleared = !keys.contains(reference.field) && (field.isNullable || !field.isRequired)
            var rules: [DeleteRule] = [.restrict, .keep]
            if !isList { rules.append(.cascade) }
            if isCleared, !isList || !field.needsElements { rules.append(.nullify) }
            guard let rule = rules.filter({ $0 != reference.onDelete }).randomElement(using: &draw) else {
                return nil
            }
            sketch.references[index].onDelete = rule
            text = "deletes reach \(reference.field) by \(rule.rawValue)"
        }
        return OutsideChange(kind: kind, entity: sketch.name, field: reference.field, text: text)
    }
}

extension FieldDescriptor {
    /// Whether the field is a list that cannot be empty.
    fileprivate var needsElements: Bool {
        if case .array(_, _, _, let least?, _) = type { least > 0 } else { false }
    }
}
