/// Checks the names of an object's fields, which become Swift names and SQL columns.
struct FieldNameCheck {
    let diagnostics: DiagnosticList
    /// Whether the fields become columns.
    let isEntity: Bool
    /// The entity's type and its companions.
    let entityTypes: Set<String>

    /// Reports a name that is invalid in Swift or SQL. Returns false if the field cannot be used.
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

    /// Reports names that are equal in SQL (ignoring letter case) or in Swift (ignoring the Unicode form).
    /// The parser has already reported names with the same bytes.
    func reportDuplicates(_ members: [JSONMember]) {
        // NB: this must be `String` and not its bytes, because its `==` is canonical equivalence.
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

    /// Whether SQLite defines the column for every table, or the store reserves it (`sync_`).
    private static func isReservedColumn(_ name: String) -> Bool {
        let lower = name.lowercased()
        return lower == "rowid" || lower == "oid" || lower.hasPrefix("sync_")
    }
}
