/// The JSON form of one version of a record with its stamp: an entry of a segment, a version kept beside a record.
///
/// Header members come first and the body last, so that a reader can take the header and leave the body as bytes:
/// `{"entity":"bookmark","key":"…","editTimestamp":"…","vector":"…","deleted":true,"merged":"…","detail":{…},"body":{…}}`.
/// `vector` is left out when the version has seen only its own edit; `deleted`, `merged` and `detail` when there is none.
/// A folder's entry names the heads that it replaces (`replaces`); a server's entry its state (`revision`), and one on its
/// way to a server the state that it was made on (`base`).
public enum EntryCodec {
    /// Appends an entry whose body is already in wire form.
    public static func append(_ change: Change, to writer: inout JSONWriter) {
        let header = change.header
        writer.beginObject()
        append(header, to: &writer)
        if !header.replaces.isEmpty {
            writer.name("replaces")
            writer.beginArray()
            for editTimestamp in header.replaces { writer.string(editTimestamp.description) }
            writer.endArray()
        }
        if let base = header.base {
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
        _ header: Change.Header,
        body: UnsafeBufferPointer<UInt8>,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        append(header, to: &writer)
        writer.name("body")
        writer.minified(body)
        writer.endObject()
    }

    /// The entry of a version.
    public static func encode(_ version: SyncRecord, descriptor: EntityDescriptor) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        append(Change.Header(version), to: &writer)
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
            let (header, body) = try header(reader: &reader)
            return try version(
                header,
                metadata: header.writtenMetadata,
                body: UnsafeBufferPointer(rebasing: buffer[body]),
                descriptor: descriptor,
                requiresAll: requiresAll
            )
        }
    }

    /// The version that a header, its metadata and a body make. The body must be UTF-8. Throws `JSONError` or `FieldError`.
    public static func version(
        _ header: Change.Header,
        metadata: VersionMetadata,
        body: UnsafeBufferPointer<UInt8>,
        descriptor: EntityDescriptor,
        requiresAll: Bool = true
    ) throws -> SyncRecord {
        let builder = RecordBuilder(descriptor)
        var decoder = RecordDecoder(descriptor: descriptor, form: .wire)
        decoder.requiresAll = requiresAll && !header.isDeleted
        var reader = JSONReader(validated: body)
        try decoder.decode(&reader, into: builder)
        return SyncRecord(
            entity: header.entity,
            key: header.key,
            record: builder.record,
            isDeleted: header.isDeleted,
            mergedInto: header.mergedInto,
            metadata: metadata
        )
    }

    /// Reads an entry that lies in `bytes`, of which the reader reads. Unknown members are ignored. Throws as `header` does.
    public static func change(reader: inout JSONReader, bytes: [UInt8]) throws -> Change {
        let (header, body) = try header(reader: &reader)
        // Whoever made the reader has checked all of its bytes.
        return Change(header, body: bytes[body], isText: true)
    }

    /// Reads an entry's header and skips its body. Returns where in the reader's bytes the body lies.
    ///
    /// Unknown members are ignored, so that newer writers can add some. Throws `JSONError`, also for a header that lacks
    /// entity, key, edit timestamp or body.
    public static func header(reader: inout JSONReader) throws -> (header: Change.Header, body: Range<Int>) {
        let start = reader.position
        var entity: String?
        var key: String?
        var editTimestamp: EditTimestamp?
        var vector: VersionVector?
        var detail: FieldTimestamps?
        var body = 0..<0
        var header = Change.Header(entity: "", key: RecordKey(""), metadata: nil)
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
            case "deleted": header.kind = try reader.boolean() ? .delete : .upsert
            case "merged": header.mergedInto = RecordKey(try reader.string().decode())
            case "detail": detail = try FieldTimestampsCodec.decode(&reader)
            case "revision": header.revision = Revision(try reader.string().decode())
            case "base": header.base = Revision(try reader.string().decode())
            case "replaces": header.replaces = try FieldTimestampsCodec.editTimestamps(reader: &reader)
            case "body":
                let value = try reader.skipValue()
                body = (reader.position - value.count)..<reader.position
            default: try reader.skipValue()
            }
        } while try reader.nextMember()
        guard let entity, let key, let editTimestamp, !body.isEmpty else { throw malformed() }
        header.entity = entity
        header.key = RecordKey(key)
        header.metadata = VersionMetadata(
            editTimestamp: editTimestamp,
            vector: vector ?? VersionVector(editTimestamp),
            detail: detail
        )
        return (header, body)
    }

    private static func append(_ header: Change.Header, to writer: inout JSONWriter) {
        writer.name("entity")
        writer.string(header.entity)
        writer.name("key")
        writer.string(header.key.text)
        if let metadata = header.metadata { append(metadata, to: &writer) }
        if header.isDeleted {
            writer.name("deleted")
            writer.boolean(true)
        }
        if let mergedInto = header.mergedInto {
            writer.name("merged")
            writer.string(mergedInto.text)
        }
        if let detail = header.metadata?.detail {
            writer.name("detail")
            FieldTimestampsCodec.append(detail, to: &writer)
        }
    }

    private static func append(_ metadata: VersionMetadata, to writer: inout JSONWriter) {
        writer.name("mark")
        writer.string(metadata.editTimestamp.description)
        if metadata.vector != VersionVector(metadata.editTimestamp) {
            writer.name("vector")
            writer.string(metadata.vector.description)
        }
    }
}

extension Change.Header {
    /// The header of a version as a store holds it.
    package init(_ version: SyncRecord) {
        self.init(
            entity: version.entity,
            key: version.key,
            kind: version.isDeleted ? .delete : .upsert,
            mergedInto: version.mergedInto,
            metadata: version.metadata
        )
    }
}
