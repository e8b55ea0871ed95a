/// Checks `sync` of an entity's fields against their types and roles, and sets their merge rules.
struct FieldSyncCheck {
    let sync: DraftSync
    let diagnostics: DiagnosticList

    /// Checks all fields and returns them with their merge rules.
    func apply(to fields: [DraftField]) -> [DraftField] {
        reportFormerNames(fields)
        return fields.map { field in
            guard var property = field.property, let keywords = field.sync else { return field }
            property.merge = merge(of: property, keywords: keywords)
            checkKeyType(of: property, keywords: keywords)
            if property.isLocalOnly, property.isRequired, !property.isNullable, property.defaultJSON == nil {
                diagnostics.add(
                    .localOnlyRequired(name: property.name),
                    at: keywords.place(name: "localOnly")
                )
            }
            // A record that another device sent has no such field, so what it may hold there is its default.
            if property.isLocalOnly, property.isRequired, property.isNullable, property.defaultJSON == nil {
                property.defaultJSON = "null"
            }
            if property.isLocalOnly, keywords["name"] != nil {
                diagnostics.add(
                    .keywordWithoutEffect(name: "name", reason: "the field is not on the wire"),
                    at: keywords.place(name: "name")
                )
            }
            var field = field
            field.property = property
            return field
        }
    }

    /// A type of the entity's own is for its one key, unless that is the key of another entity, whose type it has then.
    private func checkKeyType(of property: Property, keywords: Keywords) {
        guard property.swiftType == .key else { return }
        let refers = sync.references.contains { $0.reference.field == property.name }
        if sync.key != [property.name] || refers {
            let place = keywords["swiftType"]?.position ?? keywords.position
            diagnostics.add(.swiftType(.key, name: property.name), at: place)
        }
    }

    private func merge(of property: Property, keywords: Keywords) -> MergeRule? {
        guard let node = keywords["merge"], let text = node.string else { return nil }
        guard let rule = MergeRule(rawValue: text) else {
            diagnostics.add(.unknownMergeRule(word: text), at: node.position)
            return nil
        }
        if let part = part(of: property.name) {
            diagnostics.add(.mergeOnRole(property.name, part: part), at: node.position)
        } else if property.isLocalOnly {
            diagnostics.add(.mergeOnRole(property.name, part: "localOnly"), at: node.position)
        } else if rule == .union, case .array(let item, let isSet, _, _) = property.type {
            if !isSet || !item.type.isScalar {
                diagnostics.add(
                    .unionNeedsSet(name: property.name, isOrdered: property.hasUniqueItems),
                    at: node.position
                )
            }
        } else if !property.type.fits(rule) {
            diagnostics.add(.mergeType(rule, type: property.type.phrase), at: node.position)
        }
        return rule
    }

    /// The role of a field whose value the engine sets itself.
    private func part(of name: String) -> String? {
        sync.key.contains(name)
            ? "key" : sync.roles.sorted { $0.key < $1.key }.first { $0.value == name }?.key
    }

    /// Checks that a former name is no present field name and is used only once. A field that keeps its name may have
    /// been called the same on the wire before it got a `name` there.
    private func reportFormerNames(_ fields: [DraftField]) {
        var taken = Set(fields.map { $0.name.lowercased() })
        for field in fields {
            guard let list = field.sync?["renamedFrom"] else { continue }
            let nodes = list.elements ?? [list]
            if nodes.isEmpty {
                diagnostics.add(.emptyList("renamedFrom", help: "name at least one field"), at: list.position)
            }
            let wireNames = field.property.map { FieldDescriptor(property: $0).formerWireNames } ?? []
            for node in nodes {
                guard let former = node.string else {
                    let found = node.kindName
                    diagnostics.add(
                        .keywordType(
                            name: "renamedFrom",
                            expected: "a string or an array of strings",
                            found: found
                        ),
                        at: node.position
                    )
                    continue
                }
                let isOwn = former.hasSameBytes(as: field.name)
                if isOwn, wireNames.contains(where: { $0.hasSameBytes(as: former) }) { continue }
                if !SwiftNames.isIdentifier(former) {
                    diagnostics.add(.fieldName(name: former), at: node.position)
                } else if !taken.insert(former.lowercased()).inserted {
                    diagnostics.add(.renamedFrom(name: former), at: node.position)
                }
            }
        }
    }
}

extension SchemaType {
    /// Whether values of this type can be keys.
    package var canBeKey: Bool {
        switch self {
        case .string, .uuid, .integer, .date, .uri: true
        default: false
        }
    }

    /// Whether a merge rule applies to the type. `union` is checked where the items are known.
    fileprivate func fits(_ rule: MergeRule) -> Bool {
        switch (rule, self) {
        case (.lastWriteWins, _), (.preserveLocal, _): true
        case (.union, _): false
        case (.max, .integer), (.max, .number), (.max, .decimal), (.max, .dateTime), (.max, .date): true
        case (.min, .integer), (.min, .number), (.min, .decimal), (.min, .dateTime), (.min, .date): true
        case (.or, .boolean), (.and, .boolean): true
        default: false
        }
    }

    /// Whether its values, or a list's elements, can have a Swift type.
    func fits(_ type: SwiftType) -> Bool {
        switch (type, self) {
        case (.url, .uri): true
        case (.url, .array(let item, _, _, _)): item.type.fits(.url)
        case (.url, _): false
        case (.key, _): canBeKey
        }
    }

    /// The type in a sentence.
    var phrase: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .number: "a number"
        case .boolean: "a boolean"
        case .uuid: "a uuid"
        case .dateTime: "a date-time"
        case .date: "a date"
        case .uri: "a uri"
        case .decimal: "a decimal"
        case .data: "bytes"
        case .enumeration(let type): type.isInteger ? "an enum of integers" : "an enum"
        case .array(_, let isSet, _, _): isSet ? "a set" : "an array"
        case .object: "an object"
        case .map: "a map"
        }
    }
}
