/// The JSON form of one version of a record with its metadata: an entry of a segment, or a version kept with a
/// record.
///
/// Header members come first and the body last, so that a reader can read the header and keep the body as bytes:
/// `{"entity":"bookmark","key":"…","mark":"…","vector":"…","deleted":true,"merged":"…","detail":{…},"body":{…}}`.
/// `vector` is omitted if the version has seen only its own edit; `deleted`, `merged` and `detail` if there is none.
/// A version that a server has made of an edit, because it could not store it as it was sent, says `"altered":true`.
/// In a server's page, a record that the account may not read any more is an entry with `"evict":true` and nothing else.
/// A folder's entry names the heads that it replaces (`replaces`). A server's entry names its state (`revision`) and,
/// on the way to the server, the state that it is based on (`base`).
public enum EntryCodec {
    /// Appends an entry whose body is already in wire form.
    public static func append(_ change: Change, to writer: inout JSONWriter) {
        let header = change.header
        writer.beginObject()
        append(header, to: &writer)
        if !header.replaces.isEmpty { writer.member("replaces", value: header.replaces.map(\.description)) }
        if let base = header.base { writer.member("base", value: base.text) }
        writer.name("body")
        writer.raw(change.body)
        writer.endObject()
    }

    /// Appends the entry of a version from its header and its body in wire form. White space between the body's
    /// tokens is removed. Revisions and heads in the header are omitted.
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

    /// The entry of a version. `keepsLocal`: with the values of `localOnly` fields, for an entry that never leaves this
    /// device.
    public static func encode(
        _ version: SyncRecord,
        descriptor: EntityDescriptor,
        keepsLocal: Bool = false
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        append(Change.Header(version), to: &writer)
        if keepsLocal { LocalMember(descriptor).append(version.record, to: &writer) }
        writer.name("body")
        RecordEncoder(descriptor: descriptor, form: .wire).encode(RecordRow(version.record), to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Reads a version that `encode` wrote. Required fields may be missing unless `requiresAll` is set, because a
    /// version may be of an older schema.
    public static func decode(
        _ bytes: [UInt8],
        descriptor: EntityDescriptor,
        requiresAll: Bool = false
    ) throws -> SyncRecord {
        try bytes.withUnsafeBufferPointer { buffer in
            var reader = try JSONReader(buffer)
            let (header, body) = try header(reader: &reader)
            var version = try version(
                header,
                metadata: header.writtenMetadata,
                body: UnsafeBufferPointer(rebasing: buffer[body]),
                descriptor: descriptor,
                requiresAll: requiresAll
            )
            try LocalMember(descriptor).read(buffer, into: &version.record)
            return version
        }
    }

    /// The version from a header, its metadata and a body. The body must be UTF-8. Throws `JSONError` or
    /// `FieldError`.
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
            metadata: decoder.present(metadata)
        )
    }

    /// Reads an entry in `bytes`, the bytes of the reader. Ignores unknown members. Throws as `header` does.
    public static func change(reader: inout JSONReader, bytes: [UInt8]) throws -> Change {
        let (header, body) = try header(reader: &reader)
        // The reader has validated all of its bytes.
        return Change(header, body: bytes[body], isText: true)
    }

    /// The same for an entry whose body may hold text that is no Unicode, so that it can be set aside alone. `isText`:
    /// whether all of the reader's bytes are known to be UTF-8. `knowsEvicts`: whether it is of a server's page. Throws
    /// `JSONError` also if the header is not.
    package static func changeOfAnyText(
        reader: inout JSONReader,
        bytes: [UInt8],
        isText: Bool,
        knowsEvicts: Bool = false
    ) throws -> Change {
        let start = reader.position
        let (header, body) = try header(reader: &reader, checksBody: false, knowsEvicts: knowsEvicts)
        guard !isText else { return Change(header, body: bytes[body], isText: true) }
        for part in [start..<body.lowerBound, body.upperBound..<reader.position] {
            let text = UnsafeBufferPointer(rebasing: reader.bytes[part])
            if let offset = UTF8Check.firstInvalidOffset(in: text) {
                throw JSONError(offset: part.lowerBound + offset, kind: .invalidUTF8)
            }
        }
        return Change(header, body: bytes[body], isText: false)
    }

    /// Reads an entry's header and skips its body. Returns the range of the body in the reader's bytes.
    ///
    /// Ignores unknown members, so that newer writers can add some. Throws `JSONError`, also if entity, key, edit
    /// timestamp or body is missing.
    public static func header(reader: inout JSONReader) throws -> (header: Change.Header, body: Range<Int>) {
        try header(reader: &reader, checksBody: true, knowsEvicts: false)
    }

    private static func header(
        reader: inout JSONReader,
        checksBody: Bool,
        knowsEvicts: Bool
    ) throws -> (header: Change.Header, body: Range<Int>) {
        let start = reader.position
        var entity: String?
        var key: String?
        var editTimestamp: EditTimestamp?
        var vector: VersionVector?
        var detail: FieldTimestamps?
        var body = 0..<0
        var isEvicted = false
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
            case "altered": header.isAltered = try reader.skipValue().elementsEqual("true".utf8)
            case "evict" where knowsEvicts: isEvicted = try reader.boolean()
            case "merged": header.mergedInto = RecordKey(try reader.string().decode())
            case "detail": detail = try FieldTimestampsCodec.decode(&reader)
            case "revision": header.revision = Revision(try reader.string().decode())
            case "base": header.base = Revision(try reader.string().decode())
            case "replaces": header.replaces = try FieldTimestampsCodec.editTimestamps(reader: &reader)
            case "body":
                let value = try reader.skipDocument(checksText: checksBody)
                body = (reader.position - value.count)..<reader.position
            default: try reader.skipValue()
            }
        } while try reader.nextMember()
        guard let entity, let key else { throw malformed() }
        header.entity = entity
        header.key = RecordKey(key)
        guard !isEvicted else {
            header.kind = .outOfScope
            return (header, reader.position..<reader.position)
        }
        guard let editTimestamp, !body.isEmpty else { throw malformed() }
        header.metadata = VersionMetadata(
            editTimestamp: editTimestamp,
            vector: vector ?? VersionVector(editTimestamp),
            detail: detail
        )
        return (header, body)
    }

    private static func append(_ header: Change.Header, to writer: inout JSONWriter) {
        writer.member("entity", value: header.entity)
        writer.member("key", value: header.key.text)
        if let metadata = header.metadata { append(metadata, to: &writer) }
        if header.isDeleted { writer.member("deleted", value: true) }
        if let mergedInto = header.mergedInto { writer.member("merged", value: mergedInto.text) }
        if let detail = header.metadata?.detail {
            writer.name("detail")
            FieldTimestampsCodec.append(detail, to: &writer)
        }
    }

    private static func append(_ metadata: VersionMetadata, to writer: inout JSONWriter) {
        writer.member("mark", value: metadata.editTimestamp.description)
        if !metadata.vector.hasOnlySeen(metadata.editTimestamp) {
            writer.member("vector", value: metadata.vector.description)
        }
    }
}

extension Change.Header {
    /// The header of a stored version.
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
