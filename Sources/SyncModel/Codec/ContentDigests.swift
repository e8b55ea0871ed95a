/// Makes fingerprints of the content of many rows of an entity. See `EntityDescriptor.contentDigest`.
package struct ContentDigests {
    private let encoder: RecordEncoder
    private let empty: RecordRow
    /// By field, whether it does not count.
    private let isLeftOut: [Bool]

    package init(_ descriptor: EntityDescriptor) {
        encoder = RecordEncoder(descriptor: descriptor, form: .plain)
        empty = RecordRow(Record(empty: descriptor))
        let layout = descriptor.layout
        let times = [layout.created, layout.updated, layout.deleted].compactMap { $0 }
        let leftOut = Set(times + layout.localOnly)
        isLeftOut = descriptor.fields.indices.map(leftOut.contains)
    }

    /// The fingerprint of a row's content.
    package func digest(of row: any RowReader, isDeleted: Bool) -> Digest {
        var writer = JSONWriter()
        encoder.encode(
            // A tombstone keeps its last value, but means only that the record is gone.
            isDeleted ? empty : ContentRow(base: row, isLeftOut: isLeftOut),
            trailing: [("$deleted", isDeleted ? "true" : "false")],
            to: &writer
        )
        return Digest(writer.bytes)
    }

    /// The fingerprint of a live row's content and key.
    package func digest(of row: any RowReader, key: String) -> Digest {
        Digest(Array("\(key) \(digest(of: row, isDeleted: false))".utf8))
    }
}

/// A row without the fields that do not count.
private final class ContentRow: RowReader {
    private let base: any RowReader
    private let isLeftOut: [Bool]

    init(base: any RowReader, isLeftOut: [Bool]) {
        (self.base, self.isLeftOut) = (base, isLeftOut)
    }

    func presence(at field: Int) -> FieldPresence { isLeftOut[field] ? .absent : base.presence(at: field) }
    func boolean(at field: Int) -> Bool { base.boolean(at: field) }
    func integer(at field: Int) -> Int64 { base.integer(at: field) }
    func number(at field: Int) -> Double { base.number(at: field) }
    func timestamp(at field: Int) -> Timestamp { base.timestamp(at: field) }
    func text(at field: Int) -> String { base.text(at: field) }
    func bytes(at field: Int) -> [UInt8] { base.bytes(at: field) }

    func withText<Result>(
        at field: Int,
        body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result { try base.withText(at: field, body: body) }

    var unknown: [UnknownField] { base.unknown }
}
