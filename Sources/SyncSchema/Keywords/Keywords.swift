/// The valid keywords of one object in a schema. Unknown keywords and values of a wrong JSON type are
/// reported and left out, so that readers need not check again.
struct Keywords {
    /// The position of the object.
    let position: Position
    private var entries: [String: JSONMember] = [:]
    /// Known keywords with an invalid value.
    private var refused: Set<String> = []

    /// Reads the keywords and reports everything that the table does not allow. Nil if the node is not an
    /// object.
    init?(node: JSONNode, table: KeywordTable, diagnostics: DiagnosticList) {
        guard let members = node.members else {
            if !node.isInvalid {
                diagnostics.add(.notASchema(place: table.place, found: node.kindName), at: node.position)
            }
            return nil
        }
        position = node.position
        for member in members {
            guard let kind = table.kinds[member.name] else {
                diagnostics.add(Self.strange(name: member.name, in: table), at: member.namePosition)
                continue
            }
            if kind.accepts(node: member.node) {
                entries[member.name] = member
                continue
            }
            refused.insert(member.name)
            if !member.node.isInvalid {
                diagnostics.add(Self.wrongType(member: member, kind: kind), at: member.node.position)
            }
        }
    }

    /// The value of a keyword; nil if it is missing or invalid.
    subscript(_ name: String) -> JSONNode? {
        entries[name]?.node
    }

    /// Whether a keyword is present, even with an invalid value.
    func mentions(name: String) -> Bool {
        entries[name] != nil || refused.contains(name)
    }

    /// The position of a keyword's name; that of the object if the keyword is missing.
    func place(name: String) -> Position {
        entries[name]?.namePosition ?? position
    }

    /// The names of the present keywords, in file order.
    var names: [String] {
        entries.values.sorted { $0.namePosition < $1.namePosition }.map(\.name)
    }

    /// A string keyword.
    func string(_ name: String) -> String? {
        entries[name]?.node.string
    }

    /// The strings of a keyword that takes one or several; empty if it is missing.
    func texts(name: String) -> [String] {
        guard let node = entries[name]?.node else { return [] }
        return (node.elements ?? [node]).compactMap(\.string)
    }

    /// A boolean keyword; false if it is missing.
    func flag(name: String) -> Bool {
        entries[name]?.node.bool ?? false
    }

    /// A count keyword.
    func count(name: String) -> Int? {
        entries[name]?.node.integer.flatMap { Int(exactly: $0) }
    }

    private static func strange(name: String, in table: KeywordTable) -> DiagnosticContent {
        if let way = KeywordTable.unsupported[name] {
            return .unsupportedKeyword(name: name, in: table.place, way: way)
        }
        for other in [KeywordTable.entitySync, .fieldSync, .field, .entity] where other.kinds[name] != nil {
            return .misplacedKeyword(name: name, in: table.place, belongsTo: other.place)
        }
        // A keyword that is nearly one of ours is a slip; any other one belongs to another tool.
        if table.takesAnnotations, NearestName.find(name, among: table.kinds.keys) == nil {
            return .annotation(name: name, in: table.place)
        }
        return .unknownKeyword(name: name, in: table.place, known: table.kinds.keys)
    }

    private static func wrongType(member: JSONMember, kind: KeywordTable.Kind) -> DiagnosticContent {
        guard case .number = member.node.value else {
            return .keywordType(name: member.name, expected: kind.name, found: member.node.kindName)
        }
        switch kind {
        case .positive: return .notPositive(name: member.name)
        case .number: return .badBound(name: member.name)
        case .count: return .keywordType(name: member.name, expected: kind.name, found: "this number")
        default: return .keywordType(name: member.name, expected: kind.name, found: "a number")
        }
    }
}

extension KeywordTable.Kind {
    /// Whether a value has this JSON type.
    func accepts(node: JSONNode) -> Bool {
        switch (self, node.value) {
        case (.any, .invalid): false
        case (.any, _), (.string, .string), (.boolean, .bool), (.array, .array), (.object, .object): true
        case (.stringOrArray, .string), (.stringOrArray, .array): true
        case (.booleanOrObject, .bool), (.booleanOrObject, .object): true
        case (.number, .number): node.double?.isFinite ?? false
        case (.count, .number): node.integer.map { $0 >= 0 } ?? false
        case (.positive, .number): node.integer.map { $0 >= 1 } ?? false
        default: false
        }
    }
}
