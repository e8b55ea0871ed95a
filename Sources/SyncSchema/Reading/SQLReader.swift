/// Reads `sync.sql` of an entity and checks it against the entity's fields.
struct SQLReader {
    let fields: [DraftField]
    let diagnostics: DiagnosticList

    /// The table; nil if the keyword is missing or not an object.
    func read(node: JSONNode?) -> SQLTable? {
        guard let node, let keywords = Keywords(node: node, table: .sqlTable, diagnostics: diagnostics) else {
            return nil
        }
        var table = SQLTable()
        table.table = name(keywords["table"], mayHaveSchema: true)
        table.owner = name(keywords["owner"])
        for member in keywords["columns"]?.members ?? [] {
            guard let field = field(member) else { continue }
            if let column = column(member.node, field: field) { table.columns[field.name] = column }
        }
        table.onAlter = alterRule(keywords["onAlter"])
        return table
    }

    private func alterRule(_ node: JSONNode?) -> AlterRule {
        guard let node, let text = node.string else { return .journal }
        if let rule = AlterRule(rawValue: text) { return rule }
        diagnostics.add(.unknownOnAlter(word: text), at: node.position)
        return .journal
    }

    /// The field that a column is for: by its own name or by its name on the wire.
    private func field(_ member: JSONMember) -> DraftField? {
        let found =
            fields.first { $0.name == member.name } ?? fields.first { $0.property?.wirePath == [member.name] }
        if let found { return found }
        diagnostics.add(
            .unknownField(name: member.name, in: "columns", known: fields.map(\.name)),
            at: member.namePosition
        )
        return nil
    }

    private func column(_ node: JSONNode, field: DraftField) -> SQLColumn? {
        guard let property = field.property else { return nil }
        if property.isLocalOnly {
            diagnostics.add(.localOnlyRole(name: property.name, part: "columns"), at: node.position)
            return nil
        }
        if node.string != nil { return type(node, property: property).map { SQLColumn(type: $0) } }
        guard let keywords = Keywords(node: node, table: .sqlColumn, diagnostics: diagnostics) else {
            return nil
        }
        return SQLColumn(
            name: name(keywords["name"]),
            type: keywords["type"].flatMap { type($0, property: property) }
        )
    }

    private func type(_ node: JSONNode, property: Property) -> SQLType? {
        guard let text = node.string else { return nil }
        if let type = SQLType(text), type.fits(property.type) { return type }
        diagnostics.add(
            .sqlType(name: property.name, type: text, proposals: SQLType.proposals(for: property.type)),
            at: node.position
        )
        return nil
    }

    private func name(_ node: JSONNode?, mayHaveSchema: Bool = false) -> String? {
        guard let node, let text = node.string else { return nil }
        let parts = mayHaveSchema ? text.split(separator: ".", omittingEmptySubsequences: false) : [text[...]]
        if parts.count <= 2, parts.allSatisfy({ SQLName.isSound(String($0)) }) { return text }
        diagnostics.add(.sqlName(name: text), at: node.position)
        return nil
    }
}
