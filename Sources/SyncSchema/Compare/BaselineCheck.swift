/// Holds schemas to the baseline beside them: what would break the stores of a release is an error, with its place in the
/// newer schemas.
public struct BaselineCheck {
    /// The name of the file in the schemas' folder. A file whose name begins with a dot is not listed to build plugins.
    public static let fileName = "schemas.baseline.json"

    private let baseline: SchemaSource
    private let sources: [SchemaSource]
    private let command: String

    /// Prepares the check.
    ///
    /// - Parameters:
    ///   - baseline: The schemas of the release.
    ///   - sources: The files of the newer schemas.
    ///   - command: The command that accepts the changes, for the advice.
    public init(baseline: SchemaSource, sources: [SchemaSource], command: String) {
        (self.baseline, self.sources, self.command) = (baseline, sources, command)
    }

    /// What breaks stores, sorted by place, or what is wrong with the baseline itself.
    ///
    /// - Parameter schemas: The newer schemas, read from the sources.
    public func diagnostics(schemas: [Schema]) -> [Diagnostic] {
        let release = SchemaBaseline.read(baseline)
        let errors = release.diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty else { return errors }
        return SchemaDiff.compare(old: release.schemas, new: schemas).filter(\.breaksStores).map(diagnostic)
            .sorted()
    }

    private func diagnostic(change: SchemaChange) -> Diagnostic {
        let source = sources.first { EntityName.fromPath(path: $0.path) == change.entity }
        let place = source.map { Self.place(field: change.field, in: $0) } ?? .start
        return Diagnostic(
            path: source?.path ?? baseline.path,
            line: Int(place.line),
            column: Int(place.column),
            severity: .error,
            message: source == nil ? "\(change.entity): \(change.message)" : change.message,
            rule: change.rule,
            help: "\(change.help); or accept what becomes of stores: \(command)"
        )
    }

    /// Where a schema describes a field, or the nearest object around it; the start of the file for the entity itself.
    private static func place(field: String?, in source: SchemaSource) -> Position {
        guard var node = JSONNodeReader.read(source.bytes, diagnostics: DiagnosticList()) else {
            return .start
        }
        var place = Position.start
        for part in (field ?? "").split(separator: ".") {
            let isList = part.hasSuffix("[]")
            let name = ByteKey(String(isList ? part.dropLast(2) : part))
            let members = node.member("properties")?.members ?? []
            guard let member = members.first(where: { ByteKey($0.name) == name }) else { break }
            place = member.namePosition
            node = isList ? member.node.member("items") ?? member.node : member.node
        }
        return place
    }
}

extension JSONNode {
    fileprivate func member(_ name: String) -> JSONNode? { members?.first { $0.name == name }?.node }
}
