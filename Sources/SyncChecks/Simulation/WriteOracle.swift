import SyncCore

/// The oracle of simulated worlds: what people wrote, and which values must still exist, independent of the
/// product.
struct WriteOracle {
    /// A record of an account.
    struct Place: Hashable {
        var account: String
        var entity: String
        var key: RecordKey
    }

    /// A value that a person gave to one part of a record: the whole, a field, or an element of a set.
    ///
    /// The edit is identified by device and sequence, because a server may lower the time of an edit timestamp.
    struct Claim: Hashable {
        var unit: String
        var value: Digest
        var device: DeviceID
        var sequence: Int64

        /// The part and its author, without the value.
        var part: String { "\(unit) \(device) \(sequence)" + (unit.hasSuffix("/") ? " \(value)" : "") }

        /// The part and its value, without the author.
        var statement: String { "\(unit) \(value)" }

        /// A sort key for deterministic output.
        var order: String { part + statement }

        init(unit: String, value: Digest, editTimestamp: EditTimestamp) {
            self.unit = unit
            self.value = value
            device = editTimestamp.device
            sequence = editTimestamp.sequence
        }
    }

    /// What one edit or delete of a person had seen and written.
    struct Act: Hashable {
        var editTimestamp: EditTimestamp
        var vector: VersionVector
        var isDelete: Bool
    }

    private let oldest: [String: EntityDescriptor]
    /// The origin of a claim.
    struct ClaimOrigin {
        /// A description of the step.
        var words: String
        /// The version that the person made.
        var version: SyncRecord
        /// The entity as that person's app knows it.
        var entity: EntityDescriptor
        /// The version vector that the edit had seen.
        var vector: VersionVector { version.metadata.vector }
    }

    /// Values that nobody knowingly replaced, by record.
    private var claims: [Place: [Claim: ClaimOrigin]] = [:]
    /// The version vectors of edits that knowingly replaced a value, by record and statement.
    private var replacing: [Place: [String: [VersionVector]]] = [:]
    /// All edits and deletes of a record.
    private(set) var acts: [Place: [Act]] = [:]
    /// The edits that referred to a record, and so need it.
    private(set) var needs: [Place: [EditTimestamp]] = [:]

    init(oldest: [EntityDescriptor]) {
        self.oldest = Dictionary(uniqueKeysWithValues: oldest.map { ($0.name, $0) })
    }

    /// Records an action of a person: `seen` are the versions that they could see before, `made` is the
    /// present one. Without `words` the app reported a failure although the version exists: it may stay, but
    /// need not. The seen versions may have been written under keys that were `merged` into the record.
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
        // An edit on top of another one may get a new sequence. Its value identifies it all the same.
        let values = Set(before.map(\.statement)).subtracting(now.map(\.statement))
        for claim in claims[place, default: [:]].keys
        where replaced.contains(claim.part) || values.contains(claim.statement) {
            claims[place]?[claim] = nil
        }
        for other in [place] + merged {
            for claim in seen.flatMap({ led(to: $0, place: other, entity: entity, kept: kept) }) {
                claims[other]?[claim] = nil
                replacing[other, default: [:]][claim.statement, default: []].append(made.metadata.vector)
            }
        }
        // A person who recreates a deleted record knows that everything its delete had seen is gone,
        // including that of its parent.
        for tombstone in seen where tombstone.isDeleted && !made.isDeleted {
            for claim in claims[place, default: [:]].keys
            where tombstone.metadata.vector[claim.device] >= claim.sequence {
                claims[place]?[claim] = nil
            }
        }
        // A person who writes to a record has seen what was merged into it, and writes again what stays.
        let statements = Set(before.map(\.statement))
        for other in merged {
            for claim in claims[other, default: [:]].keys where statements.contains(claim.statement) {
                claims[other]?[claim] = nil
            }
        }
        let (editTimestamp, vector) = (made.metadata.editTimestamp, made.metadata.vector)
        for value in values { replacing[place, default: [:]][value, default: []].append(vector) }
        guard !seen.contains(where: { $0.metadata.editTimestamp.isOfSameEdit(as: editTimestamp) }) else {
            return
        }
        // What follows from the edit at once, such as a circle that it closed, is no person's value. It hides theirs.
        if let words, !editTimestamp.device.isConclusion {
            for claim in now
            where claim.device == editTimestamp.device && claim.sequence == editTimestamp.sequence {
                claims[place, default: [:]][claim] = ClaimOrigin(words: words, version: made, entity: entity)
            }
        }
        // A delete that the app reported as failed may be undone by a power loss.
        guard words != nil || !made.isDeleted else { return }
        for reference in made.isDeleted ? [] : entity.references {
            for key in entity.keys(of: reference, in: made.record) {
                let parent = Place(account: place.account, entity: reference.entity, key: key)
                needs[parent, default: []].append(editTimestamp)
            }
        }
        acts[place, default: []].append(
            Act(editTimestamp: editTimestamp, vector: vector, isDelete: made.isDeleted)
        )
    }

    /// The claims that a person saw in a version with other references, and did not keep: what they referred to was
    /// merged into other records, and a conclusion led them there.
    private func led(to seen: SyncRecord, place: Place, entity: EntityDescriptor, kept: Set<String>)
        -> [Claim]
    {
        guard let oldest = oldest[entity.name] else { return [] }
        let concluded = claims(version: seen, newer: entity)
            .filter { $0.device.isConclusion && !kept.contains($0.part) }
        guard !concluded.isEmpty else { return [] }
        let links = Set(oldest.references.flatMap(\.fields).compactMap { oldest.layout.position(of: $0) })
        let shown = entity.common(record: seen.record, with: oldest)
        let standing = claims[place, default: [:]].filter { claim, origin in
            // Edits of a record that was merged into this one have another device id here.
            let author =
                place.key == seen.key
                ? claim.device : claim.device.moved(from: place.key, entity: place.entity)
            guard seen.metadata.vector[author] >= claim.sequence,
                concluded.contains(where: { $0.unit == claim.unit }),
                let unit = oldest.layout.units.first(where: { $0.name == claim.unit })
            else { return false }
            let said = origin.entity.common(record: origin.version.record, with: oldest)
            return unit.fields.allSatisfy { links.contains($0) || said.values[$0] == shown.values[$0] }
        }
        return Array(standing.keys)
    }

    /// All claims that must still exist, in no particular order.
    ///
    /// If one person repeats a value, and another one concurrently and knowingly replaces the same value,
    /// then nothing of it need stay: the other had seen that value. That may be in a record into which this one was
    /// merged: `survivors` has these, by entity.
    func standing(
        account: String,
        survivors: [String: [[RecordKey: RecordKey]]] = [:]
    ) -> [(place: Place, claim: Claim, origin: ClaimOrigin)] {
        var standing: [(place: Place, claim: Claim, origin: ClaimOrigin)] = []
        for (place, claims) in claims where place.account == account {
            let keys = Set(survivors[place.entity, default: []].compactMap { $0[place.key] } + [place.key])
            let places = keys.map { Place(account: account, entity: place.entity, key: $0) }
            for (claim, said) in claims {
                let replacing = places.flatMap { self.replacing[$0]?[claim.statement] ?? [] }
                guard replacing.allSatisfy({ said.vector.covers($0) }) else { continue }
                standing.append((place, claim, said))
            }
        }
        return standing
    }

    /// Whether the record was ever written.
    func knows(_ place: Place) -> Bool { acts[place] != nil }

    /// Whether an edit of the record was recorded.
    func knows(editTimestamp: EditTimestamp, of place: Place) -> Bool {
        acts[place, default: []].contains { $0.editTimestamp.isOfSameEdit(as: editTimestamp) }
    }

    /// The claims of a version, part by part. A delete has none. They are read with the oldest schema of the
    /// world, so that all devices give the same claims.
    func claims(version: SyncRecord, newer: EntityDescriptor) -> Set<Claim> {
        guard !version.isDeleted, let entity = oldest[newer.name] else { return [] }
        var version = version
        version.record = newer.common(record: version.record, with: entity)
        var claims: Set<Claim> = []
        let detail = version.metadata.detail
        let encoder = RecordEncoder(descriptor: entity, form: .plain)
        // Fields that a parent's delete empties by `nullify` are not lost values.
        let emptied = entity.references.filter { $0.onDelete == .nullify }
            .compactMap { entity.layout.position(of: $0.field) }
        for unit in entity.layout.units {
            if unit.rule == .union, let field = unit.fields.first {
                if emptied.contains(field) { continue }
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

    /// Edit timestamps of concurrent values that a field's merge rule keeps next to the shown one.
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
    /// Whether both identify the same edit, even if a server changed its time.
    func isOfSameEdit(as other: EditTimestamp) -> Bool {
        device == other.device && sequence == other.sequence
    }
}

extension EntityDescriptor {
    /// The values of a record that an older schema knows, without local ones.
    func common(record: Record, with older: EntityDescriptor) -> Record {
        var common = Record(empty: older)
        for (index, field) in older.fields.enumerated() where !field.isLocalOnly {
            common.values[index] = layout.position(of: field.name).flatMap { record.values[$0] }
        }
        return common
    }
}
