import SyncCore

/// A schema while it is drawn.
struct SchemaDrawing {
    /// The entity's name.
    var name: String
    /// The names of its key fields.
    var key: [String]
    /// Its fields, those of the key first.
    var fields: [DrawnField]
    /// Types that several fields share, by name.
    var definitions: [(name: String, type: FieldType, isNullable: Bool)] = []
    /// The members of `references`, as JSON.
    var references: [(name: String, json: String)] = []
    /// The names of fields that are part of a reference.
    var referring: Set<String> = []
    /// The members of `sync` other than the key and the references, as JSON.
    var sync: [(name: String, json: String)] = []
    /// Whether unknown members are refused.
    var forbidsUnknown = false

    /// The types of the key fields.
    var keyTypes: [FieldType] { key.compactMap { name in fields.first { $0.name == name }?.type } }

    /// The whole schema.
    var text: String {
        let title = name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        var lines = ["{", "  \"title\": \"\(title)Record\", \"type\": \"object\","]
        if !definitions.isEmpty {
            let types = definitions.map { name, type, isNullable in
                (name, SchemaTypeText.object(SchemaTypeText().members(of: type, isNullable: isNullable)))
            }
            lines.append("  \"$defs\": \(SchemaTypeText.object(types)),")
        }
        lines.append("  \"properties\": {")
        lines += fields.enumerated().map { index, field in
            "    \(field.name.quoted): \(field.json)\(index + 1 < fields.count ? "," : "")"
        }
        lines.append("  },")
        let required = fields.filter(\.isRequired).map(\.name)
        if !required.isEmpty { lines.append("  \"required\": \(SchemaTypeText.list(required)),") }
        if forbidsUnknown { lines.append("  \"additionalProperties\": false,") }
        let key = key.count == 1 ? key[0].quoted : SchemaTypeText.list(key)
        var members = [("key", key)] + sync
        if !references.isEmpty { members.append(("references", SchemaTypeText.object(references))) }
        lines += ["  \"sync\": \(SchemaTypeText.object(members))", "}"]
        return lines.joined(separator: "\n") + "\n"
    }
}

/// Draws a set of schemas whose references fit each other.
struct SchemaSetDrawing {
    private var fields: FieldDrawing
    private var schemas: [SchemaDrawing] = []

    init(draw: Seed) {
        fields = FieldDrawing(draw: draw)
    }

    /// The texts of a new set.
    mutating func texts() -> [SchemaText] {
        let names = ["note", "box", "tag", "check-list"].shuffled(using: &fields.draw)
        let count = fields.one([1, 1, 2, 2, 2, 3, 3, 4])
        schemas = names.prefix(count).map { SchemaDrawing(name: $0, key: [], fields: []) }
        for index in schemas.indices { drawKey(at: index) }
        for index in schemas.indices {
            for _ in 0..<fields.one([0, 0, 1, 1, 2, 3]) { drawReference(at: index) }
            drawFields(at: index)
            drawSync(at: index)
            for number in schemas[index].fields.indices {
                fields.rename(&schemas[index].fields[number])
                fields.order(&schemas[index].fields[number])
                fields.nameType(&schemas[index].fields[number])
            }
        }
        return schemas.map { SchemaText(name: $0.name, text: $0.text) }
    }

    // MARK: Keys and references

    /// A key of one field, or of several, some of which may be the key of a schema before this one.
    private mutating func drawKey(at index: Int) {
        guard fields.isSo(percent: 30) else {
            let name = fields.isSo(percent: 80) ? "id" : fields.name("code")
            var field = DrawnField(name: name, type: fields.keyType())
            field.isRequired = true
            if fields.isSo(percent: 10) { refer(&field, at: index) }
            schemas[index].fields = [field]
            schemas[index].key = [name]
            return
        }
        for _ in 0..<fields.one([2, 2, 3]) {
            var field = DrawnField(name: fields.name("part"), type: fields.keyType())
            field.isRequired = true
            if fields.isSo(percent: 40) { refer(&field, at: index) }
            schemas[index].fields.append(field)
            schemas[index].key.append(field.name)
        }
    }

    /// Lets a field of the key be the key of a record of a schema before this one, if there is one.
    private mutating func refer(_ field: inout DrawnField, at index: Int) {
        let parents = schemas.prefix(index).filter { $0.key.count == 1 }
        guard !parents.isEmpty else { return }
        let parent = fields.one(Array(parents))
        field.type = parent.keyTypes[0]
        let rule = fields.one(["cascade", "restrict", "keep"])
        note(reference: field.name, to: parent.name, rule: rule, parts: [field.name], at: index)
    }

    /// A field, a list or several fields that refer to a schema of the set, often to this one.
    private mutating func drawReference(at index: Int) {
        let target = fields.isSo(percent: 30) ? index : Int.random(in: 0..<schemas.count, using: &fields.draw)
        let types = schemas[target].keyTypes.map(Self.withoutBounds)
        // Nobody could make the first record of schemas that require each other's.
        let mayRequire = target <= index
        guard types.count == 1 else {
            return drawParts(types: types, to: target, mayRequire: mayRequire, at: index)
        }
        var field = DrawnField(name: fields.name("ref"), type: types[0])
        let isList = fields.isSo(percent: 35)
        let leastItems = fields.isSo(percent: 15) ? 1 : nil
        if isList {
            field.type = .array(element: types[0], isSet: fields.isSo(percent: 60), minItems: leastItems)
        }
        field.isNullable = fields.isSo(percent: 50)
        field.isRequired = (isList || mayRequire) && fields.isSo(percent: 45)
        if isList, leastItems == nil, fields.isSo(percent: 20) {
            field.defaultJSON = "[]"
        } else if field.isNullable, fields.isSo(percent: 10) {
            field.defaultJSON = "null"
        }
        if fields.isSo(percent: 25), let rule = fields.mergeRule(of: field.type) {
            field.sync.append(("merge", rule.rawValue.quoted))
        }
        let canClear = isList ? leastItems == nil : field.isNullable || !field.isRequired
        // A list may only lose keys where it may be empty.
        let rules = (isList ? [] : ["cascade"]) + (canClear ? ["nullify"] : []) + ["restrict", "keep"]
        let rule = fields.one(rules)
        note(reference: field.name, to: schemas[target].name, rule: rule, parts: [field.name], at: index)
        schemas[index].fields.append(field)
    }

    /// Several fields that hold the key of a record together, of which deletes clear the last.
    private mutating func drawParts(types: [FieldType], to target: Int, mayRequire: Bool, at index: Int) {
        let isRequired = mayRequire && fields.isSo(percent: 40)
        let drawn = types.map { type in
            var field = DrawnField(name: fields.name("ref"), type: type)
            field.isRequired = isRequired
            field.isNullable = fields.isSo(percent: 60)
            return field
        }
        let canClear = drawn.last.map { $0.isNullable || !$0.isRequired } ?? false
        let rule = fields.one(["cascade", "restrict", "keep"] + (canClear ? ["nullify", "nullify"] : []))
        let names = drawn.map(\.name)
        note(reference: names[names.count - 1], to: schemas[target].name, rule: rule, parts: names, at: index)
        schemas[index].fields += drawn
    }

    private mutating func note(
        reference: String,
        to entity: String,
        rule: String,
        parts: [String],
        at index: Int
    ) {
        var members = [("entity", entity.quoted), ("onDelete", rule.quoted)]
        // Single references to the own entity are trees unless the schema says otherwise.
        let isTree = entity == schemas[index].name
        if isTree, fields.isSo(percent: 30) { members.append(("cyclic", "true")) }
        if parts.count > 1 { members.append(("fields", SchemaTypeText.list(parts))) }
        schemas[index].references.append((reference, SchemaTypeText.object(members)))
        schemas[index].referring.formUnion(parts)
    }

    /// A key's type for a field that refers to it, which allows any key.
    private static func withoutBounds(type: FieldType) -> FieldType {
        switch type {
        case .string(_, _, nil, _): .string()
        case .integer: .integer()
        case .uri: .uri()
        default: type
        }
    }

    // MARK: Fields

    private mutating func drawFields(at index: Int) {
        if fields.isSo(percent: 20) {
            schemas[index].definitions = [("Shared", fields.type(), fields.isSo(percent: 30))]
        }
        for _ in 0..<fields.one([1, 2, 2, 3, 3, 4, 5, 7]) {
            var field = fields.field()
            if let definition = schemas[index].definitions.first, fields.isSo(percent: 40) {
                field.isRequired = field.isRequired && !field.isLocalOnly
                field.sync.removeAll { $0.name == "merge" }
                (field.type, field.definition, field.isNullable) = (
                    definition.type, definition.name, definition.isNullable
                )
                if field.defaultJSON != nil {
                    field.defaultJSON = fields.value(of: field.type, isNullable: field.isNullable)
                }
                if !field.isLocalOnly, fields.isSo(percent: 40), let rule = fields.mergeRule(of: field.type) {
                    field.sync.append(("merge", rule.rawValue.quoted))
                }
            }
            schemas[index].fields.append(field)
        }
    }

    // MARK: sync

    private mutating func drawSync(at index: Int) {
        schemas[index].forbidsUnknown = fields.isSo(percent: 20)
        add("strategy", fields.one(["preserve-local", "last-write-wins", "set-union"]).quoted, at: index)
        if fields.isSo(percent: 50) {
            add("granularity", fields.one(["field", "field", "record"]).quoted, at: index)
        }
        if fields.isSo(percent: 30) {
            add("version", "\(Int.random(in: 1...5, using: &fields.draw))", at: index)
        }
        for role in ["created", "updated"] where fields.isSo(percent: 60) { drawTime(role: role, at: index) }
        if fields.isSo(percent: 25) { drawMirror(at: index) }
        let name = schemas[index].name
        if fields.isSo(percent: 15) { add("remote", "remote_\(name)".quoted, at: index) }
        if fields.isSo(percent: 25) {
            add("naming", fields.one(["snake_case", "camelCase", "verbatim"]).quoted, at: index)
        }
        drawLists(at: index)
        if fields.isSo(percent: 15) { add("limit", "\(fields.one([3, 20, 1_000]))", at: index) }
        if fields.isSo(percent: 15) { add("tombstoneDays", "\(fields.one([1, 30, 365]))", at: index) }
        if fields.isSo(percent: 12) { drawSQL(at: index) }
    }

    private mutating func add(_ name: String, _ json: String, at index: Int) {
        schemas[index].sync.append((name, json))
    }

    private mutating func drawTime(role: String, at index: Int) {
        var field = DrawnField(name: fields.name("time"), type: .dateTime)
        field.isRequired = fields.isSo(percent: 70)
        field.isNullable = fields.isSo(percent: 20)
        if fields.isSo(percent: 10) { field.defaultJSON = "2026-01-01T00:00:00Z".quoted }
        schemas[index].fields.append(field)
        add(role, field.name.quoted, at: index)
    }

    private mutating func drawMirror(at index: Int) {
        var field = DrawnField(name: fields.name("deleted"), type: fields.one([.boolean, .dateTime]))
        field.isNullable = fields.isSo(percent: 50)
        let canBeCleared = field.type == .boolean || field.isNullable
        field.isRequired = canBeCleared && fields.isSo(percent: 40)
        if field.type == .boolean, fields.isSo(percent: 30) { field.defaultJSON = "false" }
        schemas[index].fields.append(field)
        add("deleted", field.name.quoted, at: index)
    }

    /// Lists of fields: unique values, indexes and searched text.
    private mutating func drawLists(at index: Int) {
        let scalars = schemas[index].fields.filter { !$0.type.isStructured }
        let shared = scalars.filter { !$0.isLocalOnly }.map(\.name)
        let texts = scalars.filter { if case .string = $0.type { true } else { false } }.map(\.name)
        if fields.isSo(percent: 40) {
            add("unique", Self.list(lists(of: shared, most: fields.one([1, 1, 1, 2, 3]))), at: index)
        }
        if fields.isSo(percent: 30) {
            let sets = schemas[index].fields.filter { field in
                if case .array(let element, _, _, _, _) = field.type { !element.isStructured } else { false }
            }
            let more = sets.isEmpty || fields.isSo(percent: 60) ? [] : [[fields.one(sets).name]]
            add("indexes", Self.list(lists(of: scalars.map(\.name), most: 2) + more), at: index)
        }
        if !texts.isEmpty, fields.isSo(percent: 25) {
            let count = Int.random(in: 1...min(2, texts.count), using: &fields.draw)
            add(
                "search",
                SchemaTypeText.list(Array(texts.shuffled(using: &fields.draw).prefix(count))),
                at: index
            )
        }
    }

    /// Some lists of one or two of these names, each list once.
    private mutating func lists(of names: [String], most: Int) -> [[String]] {
        var lists: [[String]] = []
        for _ in 0..<most {
            let count = fields.one([1, 1, 2])
            let list = Array(names.shuffled(using: &fields.draw).prefix(count))
            if !lists.contains(list) { lists.append(list) }
        }
        return lists
    }

    private static func list(_ lists: [[String]]) -> String {
        "[" + lists.map { SchemaTypeText.list($0) }.joined(separator: ", ") + "]"
    }

    private mutating func drawSQL(at index: Int) {
        var members = [("table", "public.table_\(index)".quoted)]
        if fields.isSo(percent: 50) { members.append(("owner", "user_id".quoted)) }
        add("sql", SchemaTypeText.object(members), at: index)
    }
}
