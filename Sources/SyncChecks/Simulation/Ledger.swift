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
    ///
    /// The edit is named by device and sequence: a server may lower the time of a mark.
    struct Claim: Hashable {
        var unit: String
        var value: Digest
        var device: DeviceID
        var sequence: Int64

        /// What was said by whom, without how.
        var part: String { "\(unit) \(device) \(sequence)" + (unit.hasSuffix("/") ? " \(value)" : "") }

        /// What was said, whoever said it.
        var saying: String { "\(unit) \(value)" }

        /// For a telling that is the same each time.
        var order: String { part + saying }

        init(unit: String, value: Digest, editTimestamp: EditTimestamp) {
            self.unit = unit
            self.value = value
            device = editTimestamp.device
            sequence = editTimestamp.sequence
        }
    }

    /// What one edit or delete of a person had seen, and said.
    struct Act: Hashable {
        var editTimestamp: EditTimestamp
        var vector: VersionVector
        var isDelete: Bool
    }

    private let oldest: [String: EntityDescriptor]
    /// How a value came to be said.
    struct Said {
        /// The words of the step.
        var words: String
        /// What the edit had seen.
        var vector: VersionVector
    }

    /// Values that nobody replaced knowingly, by record.
    private var claims: [Place: [Claim: Said]] = [:]
    /// What the edits had seen that knowingly replaced a value, by record and saying.
    private var replacing: [Place: [String: [VersionVector]]] = [:]
    /// All edits and deletes of a record.
    private(set) var acts: [Place: [Act]] = [:]

    init(oldest: [EntityDescriptor]) {
        self.oldest = Dictionary(uniqueKeysWithValues: oldest.map { ($0.name, $0) })
    }

    /// Notes what a person did: `seen` is what they could see before, `made` what stands there now. Without words the app
    /// said that it failed, though it stands there: it may stay, and need not. What they saw may have been written under
    /// another key that was `merged` into the record.
    mutating func note(
        place: Place,
        merged: [Place] = [],
        entity: EntityDescriptor,
        seen: [SyncRecord],
        made: SyncRecord,
        words: String?
    ) {
        let now = claims(version: made, newer: entity)
        let before = seen.reduce(into: Set<Claim>()) { $0.formUnion(claims(version: $1, newer: entity)) }
        // NB: without the value, which an older app sees only in part.
        let kept = Set(now.map(\.part))
        let replaced = Set(before.map(\.part)).subtracting(kept)
        // An edit that was put on top of another one may go by a new sequence; its value tells it all the same.
        let values = Set(before.map(\.saying)).subtracting(now.map(\.saying))
        for claim in claims[place, default: [:]].keys
        where replaced.contains(claim.part) || values.contains(claim.saying) {
            claims[place]?[claim] = nil
        }
        // Who writes a deleted record again knows that what its delete had seen is gone, be it that of its parent.
        for tombstone in seen where tombstone.isDeleted && !made.isDeleted {
            for claim in claims[place, default: [:]].keys
            where tombstone.metadata.vector[claim.device] >= claim.sequence {
                claims[place]?[claim] = nil
            }
        }
        // Who writes to a record has seen what was merged into it, and says all anew that stays.
        let sayings = Set(before.map(\.saying))
        for other in merged {
            for claim in claims[other, default: [:]].keys where sayings.contains(claim.saying) {
                claims[other]?[claim] = nil
            }
        }
        let (editTimestamp, vector) = (made.metadata.editTimestamp, made.metadata.vector)
        for value in values { replacing[place, default: [:]][value, default: []].append(vector) }
        guard !seen.contains(where: { $0.metadata.editTimestamp.isOfSameEdit(as: editTimestamp) }) else {
            return
        }
        if let words {
            for claim in now
            where claim.device == editTimestamp.device && claim.sequence == editTimestamp.sequence {
                claims[place, default: [:]][claim] = Said(words: words, vector: vector)
            }
        }
        // A delete that nobody promised may be undone by a power cut.
        guard words != nil || !made.isDeleted else { return }
        acts[place, default: []].append(
            Act(editTimestamp: editTimestamp, vector: vector, isDelete: made.isDeleted)
        )
    }

    /// What must be somewhere, in no order.
    ///
    /// NB: where one person says again what stands there, and another replaces the same value knowingly and apart, nothing of
    /// it need stay: the other had seen that value.
    func standing(account: String) -> [(place: Place, claim: Claim, words: String)] {
        var standing: [(place: Place, claim: Claim, words: String)] = []
        for (place, claims) in claims where place.account == account {
            for (claim, said) in claims {
                let replacing = replacing[place]?[claim.saying] ?? []
                guard replacing.allSatisfy({ said.vector.covers($0) }) else { continue }
                standing.append((place, claim, said.words))
            }
        }
        return standing
    }

    /// Whether anybody ever wrote the record.
    func knows(_ place: Place) -> Bool { acts[place] != nil }

    /// Whether an edit of the record was noted.
    func knows(editTimestamp: EditTimestamp, of place: Place) -> Bool {
        acts[place, default: []].contains { $0.editTimestamp.isOfSameEdit(as: editTimestamp) }
    }

    /// What a version says, part by part. A delete says nothing that could be lost.
    /// Read as the oldest app of the world reads it, so that all say the same of it.
    func claims(version: SyncRecord, newer: EntityDescriptor) -> Set<Claim> {
        guard !version.isDeleted, let entity = oldest[newer.name] else { return [] }
        var version = version
        version.record = newer.common(record: version.record, with: entity)
        var claims: Set<Claim> = []
        let detail = version.metadata.detail
        let encoder = RecordEncoder(descriptor: entity, form: .plain)
        // What the delete of a parent empties, as the schema says, is no loss.
        let emptied = entity.references.filter { $0.onDelete == .nullify }
            .compactMap { entity.layout.position(of: $0.field) }
        for unit in entity.layout.units {
            if unit.rule == .union, let field = unit.fields.first {
                let origin = detail?.origin ?? version.metadata.editTimestamp
                for element in Self.elements(value: version.record.values[field]) {
                    let editTimestamps = detail?.elements[unit.name]?[element] ?? [origin]
                    for editTimestamp in editTimestamps {
                        let value = Digest(Array(element.text.utf8))
                        claims.insert(
                            Claim(unit: unit.name + "/", value: value, editTimestamp: editTimestamp)
                        )
                    }
                }
                continue
            }
            var part = Record(empty: entity)
            var hasValue = false
            for field in unit.fields where !emptied.contains(field) {
                part.values[field] = version.record.values[field]
                hasValue = hasValue || version.record.values[field] != nil
            }
            guard hasValue else { continue }
            let value = Digest(encoder.bytes(part))
            for sibling in detail?.units[unit.name] ?? [
                Sibling(editTimestamp: detail?.origin ?? version.metadata.editTimestamp)
            ]
            where sibling.value == .own {
                claims.insert(Claim(unit: unit.name, value: value, editTimestamp: sibling.editTimestamp))
            }
        }
        return claims
    }

    /// Marks of values that stand beside the shown one, as fields with a rule of their own keep them.
    static func siblings(version: SyncRecord) -> Set<EditTimestamp> {
        guard let units = version.metadata.detail?.units else { return [] }
        return units.values.reduce(into: []) { editTimestamps, siblings in
            for sibling in siblings where sibling.value != .own {
                editTimestamps.insert(sibling.editTimestamp)
            }
        }
    }

    private static func elements(value: FieldValue?) -> [ElementKey] {
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

extension EditTimestamp {
    /// Whether both name one edit, whatever time a server gave it.
    func isOfSameEdit(as other: EditTimestamp) -> Bool {
        device == other.device && sequence == other.sequence
    }
}

extension EntityDescriptor {
    /// The values of a record that an older schema knows, without those that stay on the device.
    func common(record: Record, with older: EntityDescriptor) -> Record {
        var common = Record(empty: older)
        for (index, field) in older.fields.enumerated() where !field.isLocalOnly {
            common.values[index] = layout.position(of: field.name).flatMap { record.values[$0] }
        }
        return common
    }
}
