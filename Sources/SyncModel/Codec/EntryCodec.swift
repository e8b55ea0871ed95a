/// The JSON form of one version of a record with its stamp: an entry of a segment, a version kept beside a record.
///
/// Header members come first and the body last, so that a reader can take the header and leave the body as bytes:
/// `{"entity":"bookmark","key":"…","editTimestamp":"…","vector":"…","deleted":true,"merged":"…","detail":{…},"body":{…}}`.
/// `vector` is left out when the version has seen only its own edit; `deleted`, `merged` and `detail` when there is none.
/// A folder's entry names the heads that it replaces (`replaces`); a server's entry its state (`revision`), and one on its
/// way to a server the state that it was made on (`base`).
public enum EntryCodec {
    /// The header of an entry and where its body lies in the input.
    public struct Header: Sendable, Hashable {
        /// The entity's name.
        public var entity: String
        /// The record's key.
        public var key: RecordKey
        /// Whether the version is a tombstone.
        public var isDeleted: Bool
        /// The survivor, when the tombstone names one.
        public var mergedInto: RecordKey?
        /// Mark, vector and finer marks.
        public var metadata: VersionMetadata
        /// Marks of the heads that the version replaces.
        public var replaces: [EditTimestamp]
        /// The server's name for this state of the record.
        public var revision: Revision?
        /// The server's name for the state that the change was made on.
        public var base: Revision?
        /// The wire object's place in the input.
        public var body: Range<Int>

        /// Makes a header from its parts.
        public init(
            entity: String,
            key: RecordKey,
            isDeleted: Bool,
            mergedInto: RecordKey?,
            metadata: VersionMetadata,
            replaces: [EditTimestamp],
            body: Range<Int>
        ) {
            self.entity = entity
            self.key = key
            self.isDeleted = isDeleted
            self.mergedInto = mergedInto
            self.metadata = metadata
            self.replaces = replaces
            self.body = body
        }
    }

    /// Appends an entry whose body is already in wire form.
    public static func append(_ change: OutgoingChange, to writer: inout JSONWriter) {
        writer.beginObject()
        appendHeader(
            entity: change.entity,
            key: change.key,
            isDeleted: change.isDeleted,
            mergedInto: change.mergedInto,
            metadata: change.metadata,
            to: &writer
        )
        if !change.replaces.isEmpty {
            writer.name("replaces")
            writer.beginArray()
            for editTimestamp in change.replaces { writer.string(editTimestamp.description) }
            writer.endArray()
        }
        if let base = change.base {
            writer.name("base")
            writer.string(base.text)
        }
        writer.name("body")
        writer.raw(change.body)
        writer.endObject()
    }

    /// Appends the entry of a version that a header tells of, with a body in wire form, less the white space between the
    /// body's tokens. What the header says of states and heads is left out.
    package static func append(
        _ header: Header,
        body: UnsafeBufferPointer<UInt8>,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        appendHeader(
            entity: header.entity,
            key: header.key,
            isDeleted: header.isDeleted,
            mergedInto: header.mergedInto,
            metadata: header.metadata,
            to: &writer
        )
        writer.name("body")
        writer.minified(body)
        writer.endObject()
    }

    /// The entry of a version.
    public static func encode(_ version: SyncRecord, descriptor: EntityDescriptor) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        appendHeader(
            entity: version.entity,
            key: version.key,
            isDeleted: version.isDeleted,
            mergedInto: version.mergedInto,
            metadata: version.metadata,
            to: &writer
        )
        writer.name("body")
        RecordEncoder(descriptor: descriptor, form: .wire).encode(RecordRow(version.record), to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Reads a version that `encode` wrote. Required fields may be missing, unless `requiresAll` says otherwise: a version
    /// of an older schema is one, too.
    public static func decode(
        _ bytes: [UInt8],
        descriptor: EntityDescriptor,
        requiresAll: Bool = false
    ) throws -> SyncRecord {
        try bytes.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            let header = try header(reader: &reader)
            return try version(header, in: buffer, descriptor: descriptor, requiresAll: requiresAll)
        }
    }

    /// The version that a header and its body make. Throws `JSONProblem` or `FieldProblem`.
    public static func version(
        _ header: Header,
        in buffer: UnsafeBufferPointer<UInt8>,
        descriptor: EntityDescriptor,
        requiresAll: Bool = true
    ) throws -> SyncRecord {
        let builder = RecordBuilder(descriptor)
        var decoder = RecordDecoder(descriptor: descriptor, form: .wire)
        decoder.requiresAll = requiresAll && !header.isDeleted
        var reader = JSONReader(validated: UnsafeBufferPointer(rebasing: buffer[header.body]))
        try decoder.decode(&reader, into: builder)
        return SyncRecord(
            entity: header.entity,
            key: header.key,
            record: builder.record,
            isDeleted: header.isDeleted,
            mergedInto: header.mergedInto,
            metadata: header.metadata
        )
    }

    /// Reads an entry's header and skips its body. Unknown members are ignored, so that newer writers can add some.
    /// Throws `JSONProblem`, also for a header that lacks entity, key, mark or body.
    public static func header(reader: inout JSONReader) throws -> Header {
        let start = reader.position
        var entity: String?
        var key: String?
        var editTimestamp: EditTimestamp?
        var vector: VersionVector?
        var header = Header(
            entity: "",
            key: RecordKey(""),
            isDeleted: false,
            mergedInto: nil,
            metadata: VersionMetadata(
                first: EditTimestamp(time: Timestamp(microseconds: 0), device: DeviceID(bits: 0), sequence: 1)
            ),
            replaces: [],
            body: 0..<0
        )
        func malformed() -> JSONError { JSONError(offset: start, kind: .unexpectedByte) }
        guard try reader.beginObject() else { throw malformed() }
        repeat {
            switch try reader.name().decode() {
            case "entity": entity = try reader.string().decode()
            case "key": key = try reader.string().decode()
            case "mark": editTimestamp = EditTimestamp(try reader.string().span)
            case "vector":
                vector = VersionVector(try reader.string().decode())
                if vector == nil { throw malformed() }
            case "deleted": header.isDeleted = try reader.boolean()
            case "merged": header.mergedInto = RecordKey(try reader.string().decode())
            case "detail": header.metadata.detail = try FieldTimestampsCodec.decode(&reader)
            case "revision": header.revision = Revision(try reader.string().decode())
            case "base": header.base = Revision(try reader.string().decode())
            case "replaces": header.replaces = try FieldTimestampsCodec.editTimestamps(reader: &reader)
            case "body":
                let body = try reader.skipValue()
                header.body = (reader.position - body.count)..<reader.position
            default: try reader.skipValue()
            }
        } while try reader.nextMember()
        guard let entity, let key, let editTimestamp, !header.body.isEmpty else { throw malformed() }
        header.entity = entity
        header.key = RecordKey(key)
        header.metadata.editTimestamp = editTimestamp
        header.metadata.vector = vector ?? VersionVector(editTimestamp)
        return header
    }

    private static func appendHeader(
        entity: String,
        key: RecordKey,
        isDeleted: Bool,
        mergedInto: RecordKey?,
        metadata: VersionMetadata,
        to writer: inout JSONWriter
    ) {
        writer.name("entity")
        writer.string(entity)
        writer.name("key")
        writer.string(key.text)
        writer.name("mark")
        writer.string(metadata.editTimestamp.description)
        if metadata.vector != VersionVector(metadata.editTimestamp) {
            writer.name("vector")
            writer.string(metadata.vector.description)
        }
        if isDeleted {
            writer.name("deleted")
            writer.boolean(true)
        }
        if let mergedInto {
            writer.name("merged")
            writer.string(mergedInto.text)
        }
        if let detail = metadata.detail {
            writer.name("detail")
            FieldTimestampsCodec.append(detail, to: &writer)
        }
    }
}
