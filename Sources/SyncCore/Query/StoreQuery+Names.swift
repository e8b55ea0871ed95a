extension EntityDescriptor {
    /// A field that a query names. Throws for one that the entity does not have.
    package func queried(field: String) throws -> FieldDescriptor {
        if let position = layout.position(of: field) { return fields[position] }
        var members = fields
        var found: FieldDescriptor?
        for name in StoreQuery.path(of: field) {
            found = members.first { $0.name == name }
            if case .object(let inner)? = found?.type { members = inner } else { members = [] }
        }
        guard let found else { throw SyncError.unknownField(entity: name, field: field) }
        return found
    }
}

extension StoreQuery {
    /// The names on the way to a member of nested objects: `address.city`. One name for a field of the entity.
    package static func path(of field: String) -> [String] { field.split(separator: ".").map(String.init) }
}

extension StoreQuery.Test {
    /// Text that begins with a prefix, as a range.
    package static func prefix(_ prefix: String) -> Self {
        let lower = StoreQuery.Bound(value: .text(prefix), isIncluded: true)
        return .range(
            lower: lower,
            upper: successor(prefix).map { StoreQuery.Bound(value: .text($0), isIncluded: false) }
        )
    }

    /// The least text after all texts with a prefix, by bytes; nil if there is none.
    private static func successor(_ prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Surrogates are no characters of a text.
            let next = last.value == 0xd7ff ? 0xe000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                var text = String.UnicodeScalarView(scalars)
                text.append(scalar)
                return String(text)
            }
        }
        return nil
    }
}
