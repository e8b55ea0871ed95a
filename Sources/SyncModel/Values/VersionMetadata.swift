/// The metadata of a version, which lets all devices merge it alike.
public struct VersionMetadata: Sendable, Hashable {
    /// The edit that made the version.
    public var editTimestamp: EditTimestamp
    /// All edits of this record that the version has seen, its own included.
    public var vector: VersionVector
    /// Field timestamps; nil while every field and element has `editTimestamp`.
    public var detail: FieldTimestamps? {
        get { boxed?.detail }
        set { boxed = newValue.map { Box($0) } }
    }

    /// NB: versions are copied often, and few have field timestamps, which are as large as the rest of a version.
    private var boxed: Box?

    private final class Box: Sendable, Hashable {
        let detail: FieldTimestamps

        init(_ detail: FieldTimestamps) {
            self.detail = detail
        }

        static func == (left: Box, right: Box) -> Bool { left === right || left.detail == right.detail }

        func hash(into hasher: inout Hasher) { hasher.combine(detail) }
    }

    /// Makes metadata from its parts.
    public init(editTimestamp: EditTimestamp, vector: VersionVector, detail: FieldTimestamps? = nil) {
        self.editTimestamp = editTimestamp
        self.vector = vector
        boxed = detail.map { Box($0) }
    }

    /// Whether concurrent values of some field are kept as siblings.
    package var hasSiblings: Bool { boxed?.detail.hasSiblings ?? false }

    /// Whether nobody made the edit: an app wrote values of its own.
    package var isSeed: Bool {
        boxed?.detail.seeds.contains(editTimestamp) ?? false
    }

    /// References that are empty because their records were deleted.
    package var cleared: [ClearedReference] { boxed?.detail.cleared ?? [] }

    /// Where a record of a tree was before it was moved.
    package var moved: [String: Move] { boxed?.detail.moved ?? [:] }

    /// The timestamp of everything without its own.
    package var origin: EditTimestamp { boxed?.detail.origin ?? editTimestamp }

    /// Whether both have the same field timestamps.
    package func hasSameDetail(as other: VersionMetadata) -> Bool { boxed == other.boxed }

    /// Whether two edits have the same name, because a store was copied or restored. The earlier edit keeps the name
    /// everywhere. The restored store made the later one, and publishes it again under another name once it notices.
    package func isForked(from other: VersionMetadata) -> Bool {
        editTimestamp.device == other.editTimestamp.device
            && editTimestamp.sequence == other.editTimestamp.sequence
            && editTimestamp.time != other.editTimestamp.time
            && vector == other.vector
    }

    /// The metadata of a first edit.
    public init(first editTimestamp: EditTimestamp) {
        self.init(editTimestamp: editTimestamp, vector: VersionVector(editTimestamp))
    }
}

/// Edit timestamps of single fields and set elements, for entities that merge field by field.
///
/// Everything that is not listed has `origin`, so a record that was edited once needs none. Fields go by their path
/// on the wire, so that apps with different schemas mean the same field.
public struct FieldTimestamps: Sendable, Hashable {
    /// The timestamp of everything that is not listed, including fields of other schemas. An edit never changes it.
    public var origin: EditTimestamp
    /// Units whose timestamp is not `origin`, by unit name (`MergeUnit.name`).
    public var units: [String: [Sibling]]
    /// Elements with other timestamps than `origin`, by unit name, then by the element's canonical JSON. Every set is
    /// listed, even without such elements, so that an app that does not know the field still merges it by element.
    public var elements: [String: [ElementKey: [EditTimestamp]]]
    /// The edits that keep the record alive under add-wins, if they are not just the version's own; sorted.
    public var life: [EditTimestamp]?
    /// The delete of a parent that caused this tombstone; nil for a delete by a person.
    public var cause: DeleteCause?
    /// Edits that nobody made: an app wrote its own values, which give way to any person's; sorted.
    public var seeds: [EditTimestamp]
    /// References that are empty because their records were deleted, by field, then by key.
    package var cleared: [ClearedReference]
    /// Where a record of a tree was before it was moved, by the name of the reference's field.
    package var moved: [String: Move]

    /// Field timestamps in which everything has one timestamp.
    public init(origin: EditTimestamp) {
        self.origin = origin
        units = [:]
        elements = [:]
        life = nil
        cause = nil
        seeds = []
        cleared = []
        moved = [:]
    }
}

extension VersionMetadata {
    /// The same metadata with another cause of the delete.
    package func caused(by cause: DeleteCause?) -> VersionMetadata {
        if cause == nil, boxed == nil { return self }
        guard detail?.cause != cause else { return self }
        return updatingDetail { $0.cause = cause }
    }

    /// The same metadata with other cleared references.
    package func clearing(_ cleared: [ClearedReference]) -> VersionMetadata {
        self.cleared == cleared ? self : updatingDetail { $0.cleared = cleared }
    }

    /// The same metadata with other moves.
    package func moving(_ moved: [String: Move]) -> VersionMetadata {
        self.moved == moved ? self : updatingDetail { $0.moved = moved }
    }

    private func updatingDetail(change: (inout FieldTimestamps) -> Void) -> VersionMetadata {
        var metadata = self
        var detail = detail ?? FieldTimestamps(origin: editTimestamp)
        change(&detail)
        metadata.detail = detail == FieldTimestamps(origin: editTimestamp) ? nil : detail
        return metadata
    }
}

/// The last move of a record in a tree.
package struct Move: Sendable, Hashable {
    /// The edit that moved it.
    package var edit: EditTimestamp
    /// The key of the parent before; nil if it had none.
    package var from: RecordKey?

    /// Makes a move.
    package init(edit: EditTimestamp, from: RecordKey?) {
        self.edit = edit
        self.from = from
    }
}

/// The delete of a parent that deleted a child. The child's tombstone is void once the parent lives on although that
/// delete is known.
public struct DeleteCause: Sendable, Hashable {
    /// The parent's entity.
    public var entity: String
    /// The parent's key.
    public var key: RecordKey
    /// The parent's tombstone.
    public var editTimestamp: EditTimestamp

    /// Names a delete.
    public init(entity: String, key: RecordKey, editTimestamp: EditTimestamp) {
        self.entity = entity
        self.key = key
        self.editTimestamp = editTimestamp
    }
}

extension FieldTimestamps {
    /// The same field timestamps, each passed through `exchange`.
    package func mapping(exchange: (EditTimestamp) -> EditTimestamp) -> FieldTimestamps {
        var detail = FieldTimestamps(origin: exchange(origin))
        detail.units = units.mapValues {
            $0.map { Sibling(editTimestamp: exchange($0.editTimestamp), value: $0.value) }
        }
        detail.elements = elements.mapValues { $0.mapValues { $0.map(exchange) } }
        detail.life = life?.map(exchange)
        detail.cause = cause
        detail.seeds = seeds.map(exchange).sorted()
        detail.cleared = cleared.map { $0.mapping(exchange: exchange) }
        detail.moved = moved.mapValues { Move(edit: exchange($0.edit), from: $0.from) }
        return detail
    }
}

/// One of the values that concurrent edits gave to a field.
public struct Sibling: Sendable, Hashable {
    /// The edit that set the value.
    public var editTimestamp: EditTimestamp
    /// The value, or `own` for the record's own.
    public var value: SiblingValue

    /// Makes a sibling.
    public init(editTimestamp: EditTimestamp, value: SiblingValue = .own) {
        self.editTimestamp = editTimestamp
        self.value = value
    }
}

extension FieldTimestamps {
    /// Whether concurrent values of some field are kept as siblings.
    package var hasSiblings: Bool { units.contains { $0.value.count > 1 } }
}

extension FieldValue {
    /// The value as JSON: as on the wire unless it is a nested object.
    package var json: String { String(decoding: FieldJSON.bytes(value: self), as: UTF8.self) }
}

/// The value of a sibling.
public enum SiblingValue: Sendable, Hashable {
    /// The value that the record shows.
    case own
    /// The field was absent.
    case absent
    /// Another value of the field.
    case value(FieldValue)
}

/// A set element's canonical JSON text, compared as UTF-8 bytes.
public typealias ElementKey = RecordKey
