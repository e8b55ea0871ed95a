/// A field during reading: its position, and the property if the field is valid.
struct DraftField {
    var name: String
    var position: Position
    /// The property; nil after an error in the field, which other checks then skip.
    var property: Property?
    /// The field's `sync`, which is checked after the entity's.
    var sync: Keywords?
    /// The position of `default`; nil if there is none.
    var defaultPosition: Position?
    var height = 1
    var weight = 1
}

/// Reads `properties` and `required` of an entity or a nested object.
struct FieldListReader {
    let scope: SchemaScope
    var depth: Int
    /// The enclosing nested type; nil for fields of the entity itself.
    var parent: String?

    private var diagnostics: DiagnosticList { scope.diagnostics }

    /// Reads all named fields in file order, including those with errors.
    func read(keywords: Keywords) -> [DraftField] {
        // An object that is free in form has none.
        let node = keywords["properties"]
        let members = node?.members ?? []
        if let node, members.isEmpty {
            diagnostics.add(.emptyList("properties", help: "describe at least one field"), at: node.position)
        }
        guard members.count <= SchemaScope.maxFields else {
            let position = node?.position ?? keywords.position
            diagnostics.add(.schemaTooLarge(what: "fields", limit: SchemaScope.maxFields), at: position)
            return []
        }
        scope.typeNames.reserve(names: members.map(\.name))
        let required = required(keywords: keywords, known: members.map(\.name))
        let names = FieldNameCheck(
            diagnostics: diagnostics,
            isEntity: parent == nil,
            entityTypes: scope.typeNames.own
        )
        var fields: [DraftField] = []
        for member in members {
            let isSound = names.check(member)
            var field = read(member: member, isRequired: required.contains(ByteKey(member.name)))
            if !isSound { field.property = nil }
            fields.append(field)
        }
        names.reportDuplicates(members)
        reportWireClashes(fields)
        return fields
    }

    private func read(member: JSONMember, isRequired: Bool) -> DraftField {
        var field = DraftField(name: member.name, position: member.namePosition)
        guard let keywords = Keywords(node: member.node, table: .field, diagnostics: diagnostics) else {
            return field
        }
        field.sync = keywords["sync"].flatMap {
            Keywords(node: $0, table: .fieldSync, diagnostics: diagnostics)
        }
        field.defaultPosition = keywords["default"]?.position
        let types = TypeReader(scope: scope, depth: depth)
        let hint = NameHint(wanted: Words.upperCamelCase(name: member.name), parent: parent)
        let wirePath = wirePath(of: member.name, sync: field.sync)
        guard let resolved = types.read(keywords: keywords, hint: hint) else { return field }
        let isOrdered = isOrdered(resolved, name: member.name, keywords: keywords, sync: field.sync)
        let type = isOrdered ? resolved.type.array(isSet: false) : resolved.type
        let fallback = types.checkDefault(keywords, type: resolved, storedAs: type)
        if parent != nil { reportNestedSync(field.sync) }
        field.height = resolved.height
        field.weight = resolved.weight
        let formerNames = field.sync?.texts(name: "renamedFrom") ?? []
        field.property = Property(
            name: member.name,
            wirePath: wirePath ?? [member.name],
            title: keywords.string("title"),
            summary: resolved.summary,
            type: type,
            isNullable: resolved.isNullable,
            isRequired: isRequired,
            defaultJSON: fallback,
            renamedFrom: formerNames.first,
            earlierNames: Array(formerNames.dropFirst()),
            isLocalOnly: field.sync?.flag(name: "localOnly") ?? false,
            hasUniqueItems: isOrdered,
            swiftType: swiftType(of: type, name: member.name, sync: field.sync)
        )
        return field
    }

    /// Whether an array with `uniqueItems` keeps its order. Warns of one whose schema does not say that it is a set.
    private func isOrdered(_ type: ResolvedType, name: String, keywords: Keywords, sync: Keywords?) -> Bool {
        guard case .array(let item, true, _, _) = type.type else {
            if let sync, sync["ordered"] != nil {
                diagnostics.add(
                    .keywordWithoutEffect(
                        name: "ordered",
                        reason: "only an array with 'uniqueItems' is sorted without it"
                    ),
                    at: sync.place(name: "ordered")
                )
            }
            return false
        }
        let isSaid =
            sync?.mentions(name: "ordered") == true || sync?.string("merge") == MergeRule.union.rawValue
        if !isSaid, item.type.isScalar, !item.isNullable {
            let keyword = keywords.mentions(name: "$ref") ? "$ref" : "uniqueItems"
            diagnostics.add(.unorderedSet(name: name), at: keywords.place(name: keyword))
        }
        return sync?.flag(name: "ordered") ?? false
    }

    /// The Swift type that the schema chooses. Whether the field is a key of one field is checked with the entity's `sync`.
    private func swiftType(of type: SchemaType, name: String, sync: Keywords?) -> SwiftType? {
        guard let node = sync?["swiftType"], let text = node.string else { return nil }
        guard let chosen = SwiftType(rawValue: text) else {
            diagnostics.add(.unknownSwiftType(word: text), at: node.position)
            return nil
        }
        if !type.fits(chosen) || parent != nil && chosen == .key {
            diagnostics.add(.swiftType(chosen, name: name), at: node.position)
        }
        return chosen
    }

    private func required(keywords: Keywords, known: [String]) -> Set<ByteKey> {
        let known = Set(known.map(ByteKey.init))
        var required: Set<ByteKey> = []
        for entry in keywords["required"]?.elements ?? [] {
            guard let name = entry.string else {
                if !entry.isInvalid {
                    diagnostics.add(
                        .keywordType(name: "required", expected: "strings", found: entry.kindName),
                        at: entry.position
                    )
                }
                continue
            }
            if !known.contains(ByteKey(name)) {
                diagnostics.add(.unknownRequired(name: name, known: known.map(\.text)), at: entry.position)
            } else if !required.insert(ByteKey(name)).inserted {
                diagnostics.add(.duplicateEntry(in: "required"), at: entry.position)
            }
        }
        return required
    }

    /// Within a nested object only what does not concern merging is told, because the object merges as a whole.
    private func reportNestedSync(_ sync: Keywords?) {
        guard let sync else { return }
        for name in sync.names where !["name", "ordered", "swiftType", "$comment"].contains(name) {
            diagnostics.add(.nestedSync(name: name), at: sync.place(name: name))
        }
    }

    /// The field's path on the wire: its `sync.name`, or its name in the entity's style.
    private func wirePath(of name: String, sync: Keywords?) -> [String]? {
        guard let node = sync?["name"], let text = node.string else {
            return [scope.naming.wireName(for: name)]
        }
        guard let path = WireName.path(text: text) else {
            diagnostics.add(.wireName, at: node.position)
            return nil
        }
        if path.count > 1 && parent != nil {
            diagnostics.add(.nestedSync(name: "name"), at: node.position)
            return nil
        }
        return path
    }

    /// Reports fields that share a wire path, and paths that pass through another field's value. `localOnly`
    /// fields are not on the wire.
    private func reportWireClashes(_ fields: [DraftField]) {
        var owners: [[ByteKey]: String] = [:]
        var inner: [[ByteKey]: String] = [:]
        for field in fields {
            guard let property = field.property, !property.isLocalOnly else { continue }
            let path = property.wirePath.map(ByteKey.init)
            let prefixes = (1..<max(path.count, 1)).map { Array(path.prefix($0)) }
            let clash = owners[path] ?? inner[path] ?? prefixes.lazy.compactMap { owners[$0] }.first
            // Names that differ only in letter case have already been reported.
            if let clash, clash.lowercased() == field.name.lowercased() { continue }
            if let clash {
                let place = field.sync?["name"]?.position ?? field.position
                diagnostics.add(.wireNameClash(name: field.name, with: clash), at: place)
                continue
            }
            owners[path] = field.name
            for prefix in prefixes { inner[prefix] = field.name }
        }
    }
}
