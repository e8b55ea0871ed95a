/// What travels with a version of a record so that any two devices meet it alike.
public struct VersionMetadata: Sendable, Hashable {
    /// The edit that the version came from.
    public var editTimestamp: EditTimestamp
    /// All edits of this record that the version has seen, its own included.
    public var vector: VersionVector
    /// Marks finer than the record; nil while every field and element carries `mark`.
    public var detail: FieldTimestamps? {
        get { boxed?.detail }
        set { boxed = newValue.map { Box($0) } }
    }

    /// NB: versions are copied often and few have a detail, which by itself is as large as all the rest of a version.
    private var boxed: Box?

    private final class Box: Sendable, Hashable {
        let detail: FieldTimestamps

        init(_ detail: FieldTimestamps) {
            self.detail = detail
        }

        static func == (left: Box, right: Box) -> Bool { left === right || left.detail == right.detail }

        func hash(into hasher: inout Hasher) { hasher.combine(detail) }
    }

    /// Makes a stamp from its parts.
    public init(editTimestamp: EditTimestamp, vector: VersionVector, detail: FieldTimestamps? = nil) {
        self.editTimestamp = editTimestamp
        self.vector = vector
        boxed = detail.map { Box($0) }
    }

    /// Whether concurrent edits of some field are kept beside each other.
    package var hasSiblings: Bool { boxed?.detail.hasSiblings ?? false }

    /// The mark of everything that carries none of its own.
    package var origin: EditTimestamp { boxed?.detail.origin ?? editTimestamp }

    /// Whether both have the same finer marks.
    package func hasSameDetail(as other: VersionMetadata) -> Bool { boxed == other.boxed }

    /// Whether two copies of one store have given one name to two edits. The earlier stands under it, everywhere: a
    /// store that comes from a backup has made the later one, and publishes it again under another name once it has
    /// noticed.
    package func isForked(from other: VersionMetadata) -> Bool {
        editTimestamp.device == other.editTimestamp.device
            && editTimestamp.sequence == other.editTimestamp.sequence
            && editTimestamp.time != other.editTimestamp.time
            && vector == other.vector && !Mutation.disables(.contentsByName)
    }

    /// The stamp of a first edit.
    public init(first editTimestamp: EditTimestamp) {
        self.init(editTimestamp: editTimestamp, vector: VersionVector(editTimestamp))
    }
}

/// Marks of single fields and set elements, for entities that merge field by field.
///
/// What is not listed carries `origin`, so a record that was edited once needs no detail at all. Fields go by their place
/// on the wire, so that apps with older and newer schemas, which may call a field otherwise or not know it, mean the same.
public struct FieldTimestamps: Sendable, Hashable {
    /// The mark of everything that is not listed, also of what only another schema knows: an edit never moves it.
    public var origin: EditTimestamp
    /// Units whose mark is not `origin`, by unit name (`MergeUnit.name`).
    public var units: [String: [Sibling]]
    /// Elements whose marks are not just `origin`, by unit name, then by the element's canonical JSON. Every set is named,
    /// also one without such elements: so an app that does not know the field still merges it by its elements.
    public var elements: [String: [ElementKey: [EditTimestamp]]]
    /// The edits that keep the record alive under add-wins, when they are not just the stamp's mark; sorted.
    public var life: [EditTimestamp]?
    /// The delete of a parent that this tombstone follows from; nil for a delete of its own right.
    public var cause: DeleteCause?

    /// Makes a detail in which everything carries one mark.
    public init(origin: EditTimestamp) {
        self.origin = origin
        units = [:]
        elements = [:]
        life = nil
        cause = nil
    }
}

extension VersionMetadata {
    /// The same stamp with another cause of the delete.
    package func caused(by cause: DeleteCause?) -> VersionMetadata {
        if cause == nil, boxed == nil { return self }
        guard detail?.cause != cause else { return self }
        var metadata = self
        var detail = detail ?? FieldTimestamps(origin: editTimestamp)
        detail.cause = cause
        metadata.detail = detail == FieldTimestamps(origin: editTimestamp) ? nil : detail
        return metadata
    }
}

/// The delete of a parent that took a child with it. The child's tombstone is void once the parent lives on although that
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
    /// The same detail with every mark passed through `exchange`.
    package func mapping(exchange: (EditTimestamp) -> EditTimestamp) -> FieldTimestamps {
        var detail = FieldTimestamps(origin: exchange(origin))
        detail.units = units.mapValues {
            $0.map { Sibling(editTimestamp: exchange($0.editTimestamp), value: $0.value) }
        }
        detail.elements = elements.mapValues { $0.mapValues { $0.map(exchange) } }
        detail.life = life?.map(exchange)
        detail.cause = cause
        return detail
    }
}

/// One of the values that concurrent edits gave to a field.
public struct Sibling: Sendable, Hashable {
    /// The edit that gave the value.
    public var editTimestamp: EditTimestamp
    /// The value in JSON text as it stands in the column, or nil when it is the record's own value.
    public var value: SiblingValue

    /// Makes a sibling.
    public init(editTimestamp: EditTimestamp, value: SiblingValue = .own) {
        self.editTimestamp = editTimestamp
        self.value = value
    }
}

extension FieldTimestamps {
    /// Whether concurrent edits of some field are kept beside each other.
    package var hasSiblings: Bool { units.contains { $0.value.count > 1 } }
}

extension FieldValue {
    /// The value as JSON, as it stands on the wire unless it is a nested object.
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
