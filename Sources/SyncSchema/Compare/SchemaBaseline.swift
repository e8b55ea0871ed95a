/// All schemas of a release in one file, to which later schemas are held.
///
/// `{"format":1,"schemas":{"bookmark.schema.json":{…}}}`: documents in canonical form, sorted by file name, one to a
/// line, so that a change shows as one line of a commit.
public enum SchemaBaseline {
    /// The number of the form above.
    static let format = "1"

    /// The baseline of some schema files, or nil when one of them is no JSON.
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

    /// The schemas of a baseline. Their diagnostics carry the baseline's path; lines are those of its own text.
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
            }
        )
    }
}
