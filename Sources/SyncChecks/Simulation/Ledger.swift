import SyncCore

/// What people wrote in a world, kept apart from all that the product does with it: what of it must still be somewhere.
struct Ledger {
    /// A record of an account.
    struct Place: Hashable {
        var account: String
        var entity: String
        var key: RecordKey
    }

    /// A value that a person gave to one part of a record: the whole, a field, or an element of a set.
    struct Claim: Hashable {
        var unit: String
        var value: Digest
        var mark: EditMark
    }

    /// What one edit or delete of a person had seen, and said.
    struct Act: Hashable {
        var mark: EditMark
        var vector: VersionVector
        var isDelete: Bool
    }

    /// Values that nobody replaced knowingly, by record, each with the words of the step that wrote it.
    private(set) var claims: [Place: [Claim: String]] = [:]
    /// All edits and deletes of a record.
    private(set) var acts: [Place: [Act]] = [:]

    /// Notes what a person did: `seen` is what they could see before, `made` what stands there now.
    mutating func note(
        _ place: Place,
        _ entity: EntityDescriptor,
        seen: [SyncRecord],
        made: SyncRecord,
        _ words: String
    ) {
        let now = Self.claims(made, entity)
        let before = seen.reduce(into: Set<Claim>()) { $0.formUnion(Self.claims($1, entity)) }
        for claim in before where !now.contains(claim) { claims[place]?[claim] = nil }
        guard !seen.contains(where: { $0.stamp.mark == made.stamp.mark }) else { return }
        for claim in now where claim.mark == made.stamp.mark { claims[place, default: [:]][claim] = words }
        acts[place, default: []].append(
            Act(mark: made.stamp.mark, vector: made.stamp.vector, isDelete: made.isDeleted)
        )
    }

    /// What a version says, part by part. A delete says nothing that could be lost.
    static func claims(_ version: SyncRecord, _ entity: EntityDescriptor) -> Set<Claim> {
        guard !version.isDeleted else { return [] }
        var claims: Set<Claim> = []
        let detail = version.stamp.detail
        let encoder = RecordEncoder(entity, form: .plain)
        for unit in entity.layout.units {
            if unit.rule == .union, let field = unit.fields.first {
                let origin = detail?.origin ?? version.stamp.mark
                for element in elements(version.record.values[field]) {
                    let marks = detail?.elements[unit.name]?[element] ?? [origin]
                    for mark in marks {
                        let claim = Claim(
                            unit: unit.name + "/",
                            value: Digest(Array(element.text.utf8)),
                            mark: mark
                        )
                        claims.insert(claim)
                    }
                }
                continue
            }
            var part = Record(empty: entity)
            var hasValue = false
            for field in unit.fields {
                part.values[field] = version.record.values[field]
                hasValue = hasValue || version.record.values[field] != nil
            }
            guard hasValue else { continue }
            let value = Digest(encoder.bytes(part))
            for sibling in detail?.units[unit.name] ?? [Sibling(mark: detail?.origin ?? version.stamp.mark)]
            where sibling.value == .own {
                claims.insert(Claim(unit: unit.name, value: value, mark: sibling.mark))
            }
        }
        return claims
    }

    /// Marks of values that stand beside the shown one, as fields with a rule of their own keep them.
    static func siblings(_ version: SyncRecord) -> Set<EditMark> {
        guard let units = version.stamp.detail?.units else { return [] }
        return units.values.reduce(into: []) { marks, siblings in
            for sibling in siblings where sibling.value != .own { marks.insert(sibling.mark) }
        }
    }

    private static func elements(_ value: FieldValue?) -> [ElementKey] {
        guard case .json(let text)? = value else { return [] }
        var copy = text
        return copy.withUTF8 { buffer in
            guard var reader = try? JSONReader(buffer), (try? reader.beginArray()) == true else { return [] }
            var elements: [ElementKey] = []
            repeat {
                guard let text = try? reader.skipValue() else { return elements }
                elements.append(RecordKey(String(decoding: text, as: UTF8.self)))
            } while (try? reader.nextElement()) == true
            return elements
        }
    }
}
