/// One version of a record in transit between a store and a remote: a header, and the value in wire form.
///
/// A page contains changes, and the outbox sends them. An entry of a segment or of an exchange is the JSON form of a
/// change (`EntryCodec`).
@dynamicMemberLookup
public struct Change: Sendable {
    /// Everything but the value.
    public var header: Header
    /// The wire object; empty for a record that is out of scope.
    public var body: ArraySlice<UInt8>
    /// Whether the body is known to be UTF-8. Others are checked before they are read.
    package var isText = false

    /// A part of the header.
    public subscript<Part>(dynamicMember part: WritableKeyPath<Header, Part>) -> Part {
        get { header[keyPath: part] }
        set { header[keyPath: part] = newValue }
    }

    /// A value derived from the header.
    public subscript<Part>(dynamicMember part: KeyPath<Header, Part>) -> Part { header[keyPath: part] }

    /// Makes a change.
    public init(_ header: Header, body: ArraySlice<UInt8>) {
        self.header = header
        self.body = body
    }

    /// Makes a change whose body is known to be UTF-8 or not.
    package init(_ header: Header, body: ArraySlice<UInt8>, isText: Bool) {
        (self.header, self.body, self.isText) = (header, body, isText)
    }

    /// Makes a change whose body is all of the bytes.
    public init(_ header: Header, body: [UInt8]) {
        self.init(header, body: body[...])
    }

    /// The kind of a change.
    public enum Kind: Sendable, Hashable {
        /// The record has the value in the body.
        case upsert
        /// A tombstone. Its body is the last value, or an empty object.
        case delete
        /// The record left this store's scope: it is evicted if clean, and kept and reported if pending. Never a
        /// tombstone.
        case outOfScope
    }

    /// Everything about a version except its value.
    public struct Header: Sendable, Hashable {
        /// The entity's name.
        public var entity: String
        /// The record's key.
        public var key: RecordKey
        /// Upsert, delete or out of scope.
        public var kind: Kind
        /// The survivor, if the record was merged into it.
        public var mergedInto: RecordKey?
        /// Edit timestamp, version vector and field timestamps. Nil from a remote that keeps none: the runtime then
        /// derives them from its record state.
        public var metadata: VersionMetadata?
        /// The remote's name for this state of the record; nil if the remote has none. The next push names it as the
        /// base.
        public var revision: Revision?
        /// The remote's state that an outgoing change is based on; nil if the remote is not known to have the record.
        public var base: Revision?
        /// Edit timestamps of the remote's versions that an outgoing change replaces; empty for a create.
        public var replaces: [EditTimestamp]
        /// Whether the remote shows that the version's author has used sequence numbers twice, like a store restored
        /// from a backup. The version's vector may then mean other edits of the same number.
        public var isForked: Bool
        /// Whether the remote has stored an edit with other values than were sent, and the version is what it made of it,
        /// by an author of its own.
        public var isAltered: Bool

        /// Makes a header. Omitted parts are unknown.
        public init(
            entity: String,
            key: RecordKey,
            kind: Kind = .upsert,
            mergedInto: RecordKey? = nil,
            metadata: VersionMetadata?,
            revision: Revision? = nil,
            base: Revision? = nil,
            replaces: [EditTimestamp] = [],
            isForked: Bool = false,
            isAltered: Bool = false
        ) {
            self.entity = entity
            self.key = key
            self.kind = kind
            self.mergedInto = mergedInto
            self.metadata = metadata
            self.revision = revision
            self.base = base
            self.replaces = replaces
            self.isForked = isForked
            self.isAltered = isAltered
        }

        /// Whether the version is a tombstone.
        public var isDeleted: Bool { kind == .delete }

        /// Whether the version is a tombstone into which somebody wrote after the record was deleted.
        package var holdsWords: Bool { isDeleted && isAltered }

        /// The metadata of a change that a store sends or that was read from an entry, which always has some.
        public var writtenMetadata: VersionMetadata {
            guard let metadata else {
                preconditionFailure("A change that a store wrote has no version metadata.")
            }
            return metadata
        }
    }
}

extension Change: Hashable {
    public static func == (lhs: Change, rhs: Change) -> Bool {
        lhs.header == rhs.header && lhs.body == rhs.body
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(header)
        hasher.combine(body)
    }
}

extension Change {
    /// Passes the body to `read` as UTF-8. Throws `JSONError` for invalid UTF-8, and rethrows errors of `read`.
    public func withBody<Result>(_ read: (UnsafeBufferPointer<UInt8>) throws -> Result) throws -> Result {
        try body.withUnsafeBufferPointer { buffer in
            if !isText, let offset = UTF8Check.firstInvalidOffset(in: buffer) {
                throw JSONError(offset: offset, kind: .invalidUTF8)
            }
            return try read(buffer)
        }
    }
}

/// A remote's name for one state of a record. Opaque: only that remote can compare it.
public struct Revision: Sendable, Hashable {
    /// The name as the remote writes it.
    public var text: String

    /// Wraps a name.
    public init(_ text: String) {
        self.text = text
    }
}
