/// A schema file in memory.
public struct SchemaSource: Sendable, Hashable {
    /// The file's path. Its last part names the entity; the rest is only used in diagnostics.
    public var path: String
    /// The file's contents.
    public var bytes: [UInt8]

    /// Makes a source.
    public init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}

/// Loads and checks schemas. It opens no files itself.
///
/// ```swift
/// let report = SchemaLoader.load([SchemaSource(path: "bookmark.schema.json", bytes: bytes)])
/// print(report.rendered(format: .text))
/// ```
public struct SchemaLoader {
    /// The `$id` of the published meta-schema.
    package static let metaSchemaID = "urn:entitysync:schema:1"

    /// The published JSON Schema of this format for editors, as UTF-8 bytes.
    public static var metaSchema: [UInt8] {
        PackageResources.entitysync_schema_json
    }

    /// Checks each file, then all of them as a set. The report does not depend on the order of the sources.
    /// Repeated sources count once.
    ///
    /// `isInUse`: records follow the schemas already, so what an earlier version accepted is only warned of: a
    /// pattern that cannot be matched any more is not checked.
    public static func load(_ sources: [SchemaSource], isInUse: Bool = false) -> SchemaReport {
        let sorted = sources.sorted { left, right in
            let (leftPath, rightPath) = (ByteKey(left.path), ByteKey(right.path))
            return leftPath == rightPath
                ? left.bytes.lexicographicallyPrecedes(right.bytes) : leftPath < rightPath
        }
        let files = sorted.indices.filter { $0 == 0 || !isSame(left: sorted[$0 - 1], right: sorted[$0]) }.map
        {
            sorted[$0]
        }
        let tolerated: Set<Rule> = isInUse ? [.unsupportedPattern] : []
        let drafts = files.map { EntityReader(source: $0, tolerated: tolerated).read() }
        SetCheck(drafts: drafts).run()
        let schemas = drafts.filter { !$0.diagnostics.hasErrors }.compactMap(\.schema)
        return SchemaReport(
            schemas: schemas.sorted { ByteKey($0.name) < ByteKey($1.name) },
            diagnostics: drafts.flatMap { $0.diagnostics.all(path: $0.path) }.sorted(),
            checkedFiles: files.count
        )
    }

    private static func isSame(left: SchemaSource, right: SchemaSource) -> Bool {
        ByteKey(left.path) == ByteKey(right.path) && left.bytes == right.bytes
    }
}
