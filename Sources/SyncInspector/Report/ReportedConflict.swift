package import SyncCore
import SyncRuntime

/// A record that both sides changed, with what differs.
package struct ReportedConflict: Sendable {
    /// The record.
    package var record: RecordName
    /// Its sides, with the fields that differ.
    package var comparison: SideComparison
    /// The fields that a person must decide; empty if the record conflicts as a whole.
    package var undecided: [String]
    /// The id of the remote's version, for `resolve --against`.
    package var version: String?
    /// JSON to start from for a value of one's own; nil if there is no value on either side.
    package var draft: String?
    /// The fields of the record's times, which are set by themselves.
    package var times: [String]

    /// Reads a record in conflict.
    init(snapshot: any StoreSnapshot, entity: EntityDescriptor, key: RecordKey) throws {
        record = RecordName(entity: entity.name, key: key)
        let local = try snapshot.load(entity: entity, key: key)?.version
        let remote = try snapshot.side(entity: entity, key: key, kind: .remote)
        let base = try snapshot.side(entity: entity, key: key, kind: .base)
        comparison = SideComparison(
            entity: entity,
            sides: [("Before", base), ("This device", local), ("Remote", remote)]
        )
        comparison.sides[0].isForgotten = Self.isForgotten(base: base, local: local, remote: remote)
        times = entity.times
        version = remote?.metadata.editTimestamp.description
        undecided =
            if let local, let remote {
                Merge(descriptor: entity).undecidedFields(mine: local, other: remote)
            } else {
                []
            }
        draft = Self.draft(entity: entity, from: [local, remote], undecided: undecided)
    }

    /// The first value that stands; only its undecided fields if fields merge separately.
    private static func draft(entity: EntityDescriptor, from sides: [SyncRecord?], undecided: [String])
        -> String?
    {
        guard let side = sides.compactMap({ $0 }).first(where: { !$0.isDeleted }) else { return nil }
        var record = side.record
        if entity.meetsByField, !undecided.isEmpty {
            for (index, field) in entity.fields.enumerated() where !undecided.contains(field.name) {
                record.values[index] = nil
            }
            record.unknown = []
        }
        return entity.draft(of: record)
    }

    /// Whether both sides come from one version that the store does not have: it keeps none of what it has sent.
    package static func isForgotten(base: SyncRecord?, local: SyncRecord?, remote: SyncRecord?) -> Bool {
        guard base == nil, let local, let remote else { return false }
        return local.metadata.vector.entries.contains { remote.metadata.vector[$0.device] > 0 }
    }

    /// What a person leaves out of a value, for a sentence.
    var timesLeftOut: String { times.isEmpty ? "" : "without \(times.joined(separator: " and ")), " }

    /// The first conflicts of the entities.
    static func all(snapshot: any StoreSnapshot, entities: [EntityDescriptor], limit: Int) throws
        -> [ReportedConflict]
    {
        var all: [ReportedConflict] = []
        for entity in entities where all.count < limit {
            for key in try snapshot.keys(
                entity: entity,
                in: .conflict,
                after: nil,
                limit: limit - all.count
            ) {
                all.append(try ReportedConflict(snapshot: snapshot, entity: entity, key: key))
            }
        }
        return all
    }
}

/// Versions of a record next to each other.
package struct SideComparison: Sendable {
    /// A version.
    package struct Side: Sendable {
        /// Its name on the page.
        package var name: String
        /// Who edited it, and when; nil if there is no such version.
        package var edit: EditTimestamp?
        /// Whether it is a tombstone.
        package var isDeleted: Bool
        /// Whether there was such a version, which the store has no more.
        package var isForgotten = false

        /// Whether it has a value to compare: it stands, or somebody wrote into the deleted record.
        package var isStanding: Bool
    }

    /// The versions.
    package var sides: [Side]
    /// The differing fields, each with a JSON text for every side; nil where the field is absent.
    package var rows: [FieldDifferences.Row]

    init(entity: EntityDescriptor, sides: [(name: String, version: SyncRecord?)]) {
        let versions = sides.compactMap(\.version)
        let values = sides.map { $0.version?.shown(beside: versions, entity: entity) }
        self.sides = zip(sides, values).map { side, value in
            Side(
                name: side.name,
                edit: side.version?.metadata.editTimestamp,
                isDeleted: side.version?.isDeleted ?? false,
                isStanding: value != nil
            )
        }
        let standing = values.compactMap { $0 }
        let isStanding = self.sides.map(\.isStanding)
        rows = FieldDifferences(entity: entity, versions: standing).rows.map { row in
            var values = row.values[...]
            return FieldDifferences.Row(
                field: row.field,
                values: isStanding.map { $0 ? values.popFirst() ?? nil : nil }
            )
        }
    }
}

extension EntityDescriptor {
    /// The fields of a record's times, which a write sets by itself.
    var times: [String] { [created, updated].compactMap { $0 } }

    /// A record as JSON to start from for another value. It lacks the record's times: a value with the time of an
    /// earlier edit would count as that old.
    func draft(of record: Record) -> String {
        var record = record
        for index in [layout.created, layout.updated].compactMap({ $0 }) { record.values[index] = nil }
        return String(decoding: RecordEncoder(descriptor: self, form: .plain).bytes(record), as: UTF8.self)
    }
}
