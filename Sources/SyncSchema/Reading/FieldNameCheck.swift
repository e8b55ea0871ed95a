/// Checks the names of the fields of one object: they become Swift names and SQL columns.
struct FieldNameCheck {
    let diagnostics: DiagnosticList
    /// Whether the fields become columns of a table.
    let isEntity: Bool
    /// The entity's type and those beside it.
    let entityTypes: Set<String>

    /// Reports a name that Swift or SQL cannot take; false when the field cannot be used.
    func check(_ member: JSONMember) -> Bool {
        let name = member.name
        let content: DiagnosticContent? =
            if !SwiftNames.isIdentifier(name) {
                .fieldName(name: name)
            } else if SwiftNames.reservedMembers.contains(name) || entityTypes.contains(name) {
                .fieldNameReserved(name: name)
            } else if isEntity && Self.isReservedColumn(name) {
                .columnReserved(name: name)
            } else {
                nil
            }
        guard let content else { return true }
        diagnostics.add(content, at: member.namePosition)
        return false
    }

    /// Reports names that SQL (letter case) or Swift (Unicode form) takes for one; the parser has reported names
    /// with the same bytes.
    func reportDuplicates(_ members: [JSONMember]) {
        // NB: a `String` here, not its bytes, because `==` on it is canonical equivalence.
        var first: [String: String] = [:]
        for member in members where member.name.utf8.count <= 4 * SwiftNames.maxLength {
            let folded = member.name.lowercased()
            if let other = first[folded] {
                diagnostics.add(.duplicateField(name: member.name, other: other), at: member.namePosition)
            } else {
                first[folded] = member.name
            }
        }
    }

    /// SQLite answers to these names on every table; `sync_` columns belong to the store.
    private static func isReservedColumn(_ name: String) -> Bool {
        let lower = name.lowercased()
        return lower == "rowid" || lower == "oid" || lower.hasPrefix("sync_")
    }
}
