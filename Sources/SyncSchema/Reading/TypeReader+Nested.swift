extension TypeReader {
    /// Reads a list, or a set if `uniqueItems` is true.
    func array(keywords: Keywords, hint: NameHint) -> ResolvedType? {
        checkRange("minItems", greatest: "maxItems", keywords: keywords)
        guard let node = keywords["items"] else {
            if !keywords.mentions(name: "items") { diagnostics.add(.missingItems, at: keywords.position) }
            return nil
        }
        guard let item = item(node: node, hint: hint) else { return nil }
        let isSet = keywords.flag(name: "uniqueItems")
        if isSet, !item.type.isScalar || item.isNullable {
            diagnostics.add(.setItems, at: node.position)
        }
        return ResolvedType(
            type: .array(
                item: property(of: item),
                isSet: isSet,
                minItems: keywords.count(name: "minItems"),
                maxItems: keywords.count(name: "maxItems")
            ),
            isNullable: false,
            height: item.height + 1,
            weight: item.weight + 1
        )
    }

    /// Reads the type of an array's elements or of a map's values.
    private func item(node: JSONNode, hint: NameHint) -> ResolvedType? {
        let hint = NameHint(wanted: Words.singular(name: hint.wanted), parent: hint.parent)
        guard let keywords = Keywords(node: node, table: .items, diagnostics: diagnostics),
            let item = TypeReader(scope: scope, depth: depth + 1).read(keywords: keywords, hint: hint)
        else { return nil }
        reportUselessDefault(keywords)
        return item
    }

    private func property(of item: ResolvedType) -> Property {
        Property(
            name: "item",
            wirePath: [],
            summary: item.summary,
            type: item.type,
            isNullable: item.isNullable,
            isRequired: true
        )
    }

    /// Reads a map: an object whose members all have the type that `additionalProperties` describes.
    private func map(values node: JSONNode, hint: NameHint) -> ResolvedType? {
        guard let value = item(node: node, hint: hint) else { return nil }
        guard value.type.isScalar else {
            diagnostics.add(.mapValues, at: node.position)
            return nil
        }
        return ResolvedType(
            type: .map(value: property(of: value)),
            isNullable: false,
            height: value.height + 1,
            weight: value.weight + 1
        )
    }

    /// Reads a nested object with its fields. Without `properties` it is a map or free in form.
    func object(keywords: Keywords, hint: NameHint) -> ResolvedType? {
        if let node = keywords["additionalProperties"], node.members != nil {
            if !keywords.mentions(name: "properties") { return map(values: node, hint: hint) }
            diagnostics.add(.mapBesideFields, at: node.position)
            return nil
        }
        if keywords.mentions(name: "properties"), keywords["properties"] == nil { return nil }
        let typeName = scope.typeNames.claim(hint.wanted, parent: hint.parent)
        let fields = FieldListReader(scope: scope, depth: depth + 1, parent: typeName).read(
            keywords: keywords
        )
        let properties = fields.compactMap(\.property)
        guard properties.count == fields.count else { return nil }
        let type = ObjectType(
            typeName: typeName,
            summary: keywords.string("description") ?? "",
            properties: properties,
            forbidsUnknownFields: keywords["additionalProperties"]?.bool == false
        )
        return ResolvedType(
            type: .object(type),
            isNullable: false,
            height: 1 + (fields.map(\.height).max() ?? 0),
            weight: fields.reduce(1) { $0 + $1.weight }
        )
    }

    /// Reads the type of a `$ref`. Other keywords next to it must be annotations.
    func reference(keywords: Keywords) -> ResolvedType? {
        let constraints = Set(Kind.allCases.flatMap(\.keywords) + ["type"])
        for name in keywords.names where constraints.contains(name) {
            diagnostics.add(.keywordBesideRef(name: name), at: keywords.place(name: name))
        }
        guard let node = keywords["$ref"], let text = node.string else { return nil }
        let prefix = "#/$defs/"
        guard text.hasPrefix(prefix) else {
            diagnostics.add(.badRef, at: node.position)
            return nil
        }
        let name = String(text.dropFirst(prefix.count))
        guard let definition = scope.definitions[name] else {
            diagnostics.add(.unresolvedRef(name: name, known: scope.definitions.keys), at: node.position)
            return nil
        }
        if case .reading = definition.state {
            diagnostics.add(.cyclicRef(name: name), at: node.position)
            return nil
        }
        guard var resolved = TypeReader(scope: scope, depth: depth + 1).definition(name: name) else {
            return nil
        }
        if let summary = keywords.string("description") { resolved.summary = summary }
        return resolved
    }

    /// Reads an entry of `$defs` once and caches the result.
    func definition(name: String) -> ResolvedType? {
        guard let definition = scope.definitions[name] else { return nil }
        if case .read(let resolved) = definition.state { return resolved }
        scope.definitions[name]?.state = .reading
        var resolved: ResolvedType?
        if let keywords = Keywords(node: definition.node, table: .definition, diagnostics: diagnostics) {
            resolved = read(keywords: keywords, hint: NameHint(wanted: definition.typeName))
            reportUselessDefault(keywords)
        }
        scope.definitions[name]?.state = .read(resolved)
        return resolved
    }

    private func reportUselessDefault(_ keywords: Keywords) {
        guard keywords["default"] != nil else { return }
        diagnostics.add(
            .keywordWithoutEffect(name: "default", reason: "a default belongs to a field"),
            at: keywords.place(name: "default")
        )
    }

    /// The canonical text of `default` in a field of type `stored`, after checking it against its type.
    func checkDefault(_ keywords: Keywords, type: ResolvedType, storedAs stored: SchemaType) -> String? {
        guard let node = keywords["default"] else { return nil }
        let text = DefaultCheck.text(node: node, type: stored)
        if text.utf8.count > DefaultCheck.maxBytes {
            diagnostics.add(
                .badDefault(reason: "it is longer than \(DefaultCheck.maxBytes) bytes"),
                at: node.position
            )
        } else if let invalid = DefaultCheck.invalidValue(
            node: node,
            type: type.type,
            isNullable: type.isNullable
        ) {
            diagnostics.add(.badDefault(reason: invalid.reason), at: invalid.position)
        }
        return text
    }
}

extension SchemaType {
    /// Whether the value is a list of values that are no lists or objects.
    package var isListOfScalars: Bool {
        if case .array(let item, _, _, _) = self { item.type.isScalar } else { false }
    }

    /// The same array as a set or as a list; any other type as it is.
    func array(isSet: Bool) -> SchemaType {
        guard case .array(let item, _, let minItems, let maxItems) = self else { return self }
        return .array(item: item, isSet: isSet, minItems: minItems, maxItems: maxItems)
    }

    /// Whether the value is stored in one column as text, number or boolean: not a list or object.
    package var isScalar: Bool {
        switch self {
        case .array, .object, .map: false
        default: true
        }
    }
}
