/// All schemas of a release in one file, with which later schemas are compared.
///
/// `{"format":1,"schemas":{"bookmark.schema.json":{…}}}`: documents in canonical form, sorted by file name,
/// one per line. So a changed schema is one changed line in a commit.
public enum SchemaBaseline {
    /// The version of this format.
    static let format = "1"

    /// Writes the baseline of some schema files; nil if one of them is not JSON.
    public static func write(_ sources: [SchemaSource]) -> [UInt8]? {
        var lines: [(name: String, text: String)] = []
        for source in sources {
            let diagnostics = DiagnosticList()
            guard let node = JSONNodeReader.read(source.bytes, diagnostics: diagnostics),
                !diagnostics.hasErrors,
                let name = source.path.split(separator: "/").last.map(String.init)
            else { return nil }
            lines.append((name, CanonicalJSON.text(node: node)))
        }
        lines.sort { ByteKey($0.name) < ByteKey($1.name) }
        let schemas = lines.map { "\(CanonicalJSON.string($0.name)):\($0.text)" }.joined(
            separator: ",\n"
        )
        return Array("{\"format\":\(format),\"schemas\":{\n\(schemas)\n}}\n".utf8)
    }

    /// Whether a file is a baseline of this or another format, also of broken schemas.
    public static func isBaseline(_ bytes: [UInt8]) -> Bool {
        let members = JSONNodeReader.read(bytes, diagnostics: DiagnosticList())?.members ?? []
        func member(_ name: String) -> JSONNode? { members.first { $0.name == name }?.node }
        return member("format")?.integer != nil && member("schemas")?.members != nil
    }

    /// Reads the schemas of a baseline. Their diagnostics have the baseline's path and lines.
    public static func read(_ source: SchemaSource) -> SchemaReport {
        let diagnostics = DiagnosticList()
        let node = JSONNodeReader.read(source.bytes, diagnostics: diagnostics)
        let schemas = node?.members?.first { $0.name == "schemas" }?.node.members
        let format = node?.members?.first { $0.name == "format" }?.node.integer
        if diagnostics.hasErrors || schemas == nil || format != Int64(Self.format) {
            if !diagnostics.hasErrors { diagnostics.add(.notABaseline, at: node?.position ?? .start) }
            let found = diagnostics.all(path: source.path)
            return SchemaReport(schemas: [], diagnostics: found, checkedFiles: 1)
        }
        return SchemaLoader.load(
            (schemas ?? []).map { member in
                SchemaSource(
                    path: "\(source.path)/\(member.name)",
                    bytes: Array(CanonicalJSON.text(node: member.node).utf8)
                )
            },
            isInUse: true
        )
    }
}
