/// The valid parts of an entity's `sync`.
struct DraftSync {
    var version = 1
    var key: [String] = []
    var keyPosition = Position.start
    var strategy = MergeStrategy.preserveLocal
    var granularity = MergeGranularity.record
    /// The fields with roles, by keyword: `created`, `updated`, `deleted`.
    var roles: [String: String] = [:]
    var remote: String?
    var remotePosition: Position?
    var unique: [[String]] = []
    var indexes: [[String]] = []
    var search: [String] = []
    var limit: Int?
    var tombstoneDays: Int?
    var references: [DraftReference] = []
    var sql: SQLTable?
}

/// A reference with the positions that the checks of the whole set need.
struct DraftReference {
    var reference: ReferenceDescriptor
    var fieldPosition: Position
    var entityPosition: Position
    /// The types of its fields; nil after an error in them.
    var types: [SchemaType]?
}

/// Reads `sync` of an entity and checks it against the entity's fields.
struct SyncReader {
    let keywords: Keywords
    let fields: [DraftField]
    let diagnostics: DiagnosticList
    private let byName: [ByteKey: DraftField]

    init(keywords: Keywords, fields: [DraftField], diagnostics: DiagnosticList) {
        self.keywords = keywords
        self.fields = fields
        self.diagnostics = diagnostics
        byName = Dictionary(fields.map { (ByteKey($0.name), $0) }) { first, _ in first }
    }

    /// Reads all parts. Each part reports its own diagnostics.
    func read() -> DraftSync {
        var sync = DraftSync()
        sync.version = keywords.count(name: "version") ?? 1
        sync.limit = keywords.count(name: "limit")
        sync.tombstoneDays = keywords.count(name: "tombstoneDays")
        readKey(into: &sync)
        readStrategy(into: &sync)
        readRoles(into: &sync)
        readRemote(into: &sync)
        sync.unique = fieldLists(keyword: "unique")
        sync.indexes = fieldLists(keyword: "indexes")
        sync.search = searchedFields()
        sync.references = references()
        sync.sql = SQLReader(fields: fields, diagnostics: diagnostics).read(node: keywords["sql"])
        return sync
    }

    /// The named field. Reports a field that does not exist.
    func field(node: JSONNode, in keyword: String) -> DraftField? {
        guard let name = node.string else {
            if !node.isInvalid {
                diagnostics.add(
                    .keywordType(name: keyword, expected: "field names", found: node.kindName),
                    at: node.position
                )
            }
            return nil
        }
        if let field = byName[ByteKey(name)] { return field }
        diagnostics.add(.unknownField(name: name, in: keyword, known: fields.map(\.name)), at: node.position)
        return nil
    }

    private func readKey(into sync: inout DraftSync) {
        guard let node = keywords["key"] else {
            if !keywords.mentions(name: "key") { diagnostics.add(.missingKey, at: keywords.position) }
            return
        }
        sync.keyPosition = node.position
        let entries = node.elements ?? [node]
        if entries.isEmpty {
            diagnostics.add(.emptyList("key", help: "name at least one field"), at: node.position)
        }
        for entry in entries {
            guard let field = field(node: entry, in: "key") else { continue }
            if sync.key.contains(field.name) {
                diagnostics.add(.duplicateEntry(in: "key"), at: entry.position)
                continue
            }
            sync.key.append(field.name)
            guard let property = field.property else { continue }
            checkKey(property, field: field, at: entry.position)
        }
        if let id = byName[ByteKey("id")], sync.key != ["id"], !sync.key.isEmpty {
            diagnostics.add(.idIsNotKey(key: sync.key), at: id.position)
        }
    }

    private func checkKey(_ property: Property, field: DraftField, at position: Position) {
        if !property.type.canBeKey {
            diagnostics.add(.keyType(name: property.name, type: property.type.phrase), at: position)
        }
        if property.isNullable { diagnostics.add(.keyNullable(name: property.name), at: position) }
        if !property.isRequired { diagnostics.add(.keyNotRequired(name: property.name), at: position) }
        if let place = field.defaultPosition { diagnostics.add(.keyDefault(name: property.name), at: place) }
        reportLocalOnly(property, as: "key", at: position)
    }

    private func readStrategy(into sync: inout DraftSync) {
        if let strategy: MergeStrategy = word(
            keyword: "strategy",
            diagnostic: DiagnosticContent.unknownStrategy
        ) {
            sync.strategy = strategy
        } else if !keywords.mentions(name: "strategy") {
            diagnostics.add(.missingStrategy, at: keywords.position)
        }
        sync.granularity =
            word(keyword: "granularity", diagnostic: DiagnosticContent.unknownGranularity) ?? .record
    }

    /// One word of a closed list. Reports any other word.
    private func word<Word>(keyword: String, diagnostic: (String) -> DiagnosticContent) -> Word?
    where Word: RawRepresentable<String> {
        guard let node = keywords[keyword], let text = node.string else { return nil }
        if let word = Word(rawValue: text) { return word }
        diagnostics.add(diagnostic(text), at: node.position)
        return nil
    }

    private func readRoles(into sync: inout DraftSync) {
        for role in ["created", "updated", "deleted"] {
            guard let node = keywords[role], let field = field(node: node, in: role) else { continue }
            let taken =
                sync.key.contains(field.name) ? "key" : sync.roles.first { $0.value == field.name }?.key
            if let taken {
                diagnostics.add(.roleClash(name: field.name, first: taken, second: role), at: node.position)
            }
            sync.roles[role] = field.name
            guard let property = field.property else { continue }
            let allowed: [SchemaType] = role == "deleted" ? [.dateTime, .boolean] : [.dateTime]
            if !allowed.contains(property.type) {
                diagnostics.add(
                    .roleType(name: property.name, role: role, allowed: allowed.map(\.phrase)),
                    at: node.position
                )
            } else if role == "deleted", property.type == .dateTime, property.isRequired, !property.isNullable
            {
                diagnostics.add(.deletedNotClearable(name: property.name), at: node.position)
            }
            reportLocalOnly(property, as: role, at: node.position)
        }
    }

    private func readRemote(into sync: inout DraftSync) {
        guard let node = keywords["remote"], let name = node.string else { return }
        guard WireName.isRemote(name) else {
            diagnostics.add(.remoteName(name: name), at: node.position)
            return
        }
        sync.remote = name
        sync.remotePosition = node.position
    }

    /// `unique` or `indexes`: lists of names of scalar fields. A list field may stand alone in `indexes`.
    private func fieldLists(keyword: String) -> [[String]] {
        var lists: [[String]] = []
        for entry in keywords[keyword]?.elements ?? [] {
            guard let names = entry.elements else {
                if !entry.isInvalid { diagnostics.add(.fieldListShape(keyword: keyword), at: entry.position) }
                continue
            }
            if names.isEmpty {
                diagnostics.add(
                    .emptyList(keyword, help: "name at least one field in each list"),
                    at: entry.position
                )
            }
            let list = fieldList(nodes: names, keyword: keyword)
            if lists.contains(list), !list.isEmpty {
                diagnostics.add(.duplicateEntry(in: keyword), at: entry.position)
            }
            lists.append(list)
        }
        return lists
    }

    /// `search`: names of fields with plain text.
    private func searchedFields() -> [String] {
        var names: [String] = []
        guard let list = keywords["search"], let nodes = list.elements else { return [] }
        if nodes.isEmpty {
            diagnostics.add(.emptyList("search", help: "name at least one field"), at: list.position)
        }
        for node in nodes {
            guard let field = field(node: node, in: "search") else { continue }
            if names.contains(field.name) {
                diagnostics.add(.duplicateEntry(in: "search"), at: node.position)
                continue
            }
            names.append(field.name)
            guard let property = field.property else { continue }
            if case .string = property.type { continue }
            diagnostics.add(
                .searchFieldType(name: property.name, type: property.type.phrase),
                at: node.position
            )
        }
        return names
    }

    private func fieldList(nodes: [JSONNode], keyword: String) -> [String] {
        var list: [String] = []
        for node in nodes {
            guard let field = field(node: node, in: keyword) else { continue }
            if list.contains(field.name) {
                diagnostics.add(.duplicateEntry(in: keyword), at: node.position)
            }
            list.append(field.name)
            guard let property = field.property else { continue }
            let isElementIndex = keyword == "indexes" && nodes.count == 1 && property.type.isListOfScalars
            if !property.type.isScalar, !isElementIndex {
                diagnostics.add(.listFieldType(name: property.name, keyword: keyword), at: node.position)
            }
            if keyword == "unique" { reportLocalOnly(property, as: keyword, at: node.position) }
        }
        return list
    }

    private func reportLocalOnly(_ property: Property, as part: String, at position: Position) {
        if property.isLocalOnly {
            diagnostics.add(.localOnlyRole(name: property.name, part: part), at: position)
        }
    }
}

extension SyncReader {
    /// The references in file order.
    private func references() -> [DraftReference] {
        var drafts: [DraftReference] = []
        for member in keywords["references"]?.members ?? [] {
            let name = JSONNode(position: member.namePosition, value: .string(member.name))
            let field = field(node: name, in: "references")
            guard let entry = Keywords(node: member.node, table: .reference, diagnostics: diagnostics) else {
                continue
            }
            let rule: DeleteRule? = deleteRule(entry: entry)
            guard let entity = entry["entity"], let entityName = entity.string else {
                if !entry.mentions(name: "entity") {
                    diagnostics.add(.referenceShape(missing: "entity"), at: entry.position)
                }
                continue
            }
            guard let field, let rule, let parts = parts(entry: entry, of: field) else { continue }
            for property in parts.compactMap(\.property) {
                reportLocalOnly(property, as: "references", at: member.namePosition)
            }
            if let property = field.property {
                check(rule: rule, of: property, at: entry["onDelete"]?.position ?? entry.position)
            }
            let types = parts.compactMap(\.property?.type)
            drafts.append(
                DraftReference(
                    reference: ReferenceDescriptor(
                        field: field.name,
                        entity: entityName,
                        onDelete: rule,
                        fields: parts.map(\.name),
                        isCyclic: entry.flag(name: "cyclic")
                    ),
                    fieldPosition: member.namePosition,
                    entityPosition: entity.position,
                    types: types.count == parts.count ? types : nil
                )
            )
        }
        return drafts
    }

    /// The fields of a reference: the one that it is named by, or those that `fields` lists. Nil after an error.
    private func parts(entry: Keywords, of field: DraftField) -> [DraftField]? {
        guard let list = entry["fields"], let nodes = list.elements else {
            return entry.mentions(name: "fields") ? nil : [field]
        }
        let parts = nodes.compactMap { self.field(node: $0, in: "fields") }
        guard parts.count == nodes.count else { return nil }
        let names = parts.map { ByteKey($0.name) }
        guard names.contains(ByteKey(field.name)), Set(names).count == names.count else {
            diagnostics.add(.referenceFields(field: field.name), at: list.position)
            return nil
        }
        return parts
    }

    /// Checks that the field can become what a delete of the parent makes of it.
    private func check(rule: DeleteRule, of property: Property, at position: Position) {
        if case .array(_, _, let minItems, _) = property.type {
            if rule == .cascade {
                diagnostics.add(.cascadeOfList(name: property.name), at: position)
            } else if rule == .nullify, minItems ?? 0 > 0 {
                diagnostics.add(.nullifyRequired(name: property.name), at: position)
            }
        } else if rule == .nullify, property.isRequired, !property.isNullable {
            diagnostics.add(.nullifyRequired(name: property.name), at: position)
        }
    }

    private func deleteRule(entry: Keywords) -> DeleteRule? {
        guard let node = entry["onDelete"], let text = node.string else {
            if !entry.mentions(name: "onDelete") {
                diagnostics.add(.referenceShape(missing: "onDelete"), at: entry.position)
            }
            return nil
        }
        if let rule = DeleteRule(rawValue: text) { return rule }
        diagnostics.add(.unknownOnDelete(word: text), at: node.position)
        return nil
    }
}
