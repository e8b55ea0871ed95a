/// A reference that a version lacks because the record that it named was deleted. It returns once that record lives
/// again, unless a person has set another value meanwhile.
package struct ClearedReference: Sendable, Hashable {
    /// The field of the reference, by its name in field timestamps (`MergeUnit.name`).
    package var field: String
    /// The delete.
    package var cause: DeleteCause
    /// The edits that had set the value, if the field merges by itself or by element.
    package var edits: [EditTimestamp]

    /// Names a reference and the delete that cleared it.
    package init(field: String, cause: DeleteCause, edits: [EditTimestamp] = []) {
        self.field = field
        self.cause = cause
        self.edits = edits
    }

    /// The same with each edit passed through `exchange`. The delete is one of another record.
    func mapping(exchange: (EditTimestamp) -> EditTimestamp) -> ClearedReference {
        ClearedReference(field: field, cause: cause, edits: edits.map(exchange))
    }
}

extension [ClearedReference] {
    /// The entry for a reference and a key; nil if there is none.
    package func entry(like other: ClearedReference) -> ClearedReference? {
        first { $0.field == other.field && $0.cause.key == other.cause.key }
    }

    /// The references of both, each once, in order. Of two deletes of one record, the later one counts.
    package func union(_ others: [ClearedReference]) -> [ClearedReference] {
        var result = self
        for other in others {
            let index = result.firstIndex { $0.field == other.field && $0.cause.key == other.cause.key }
            guard let index else {
                result.append(other)
                continue
            }
            if result[index].cause.editTimestamp < other.cause.editTimestamp { result[index] = other }
        }
        return result.sorted { left, right in
            left.field == right.field
                ? left.cause.key < right.cause.key
                : left.field.utf8.lexicographicallyPrecedes(right.field.utf8)
        }
    }
}
