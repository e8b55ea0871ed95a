/// Accepted schema changes, each with a reason. They are read from `schema-changes.json` in the folder of the
/// newer schemas.
///
/// `{"ignore":[{"rule":"limit-lowered","entity":"bookmark","field":"tags","reason":"…"}]}`. If `entity` or
/// `field` is left out, any matches.
public struct ChangeIgnores: Sendable, Hashable {
    /// The file's name.
    public static let fileName = "schema-changes.json"

    /// One accepted kind of change.
    struct Entry: Sendable, Hashable {
        var rule: ChangeRule
        var entity: String?
        var field: String?
        var reason: String

        func matches(_ change: SchemaChange) -> Bool {
            change.rule == rule.rawValue
                && entity.map { ByteKey($0) == ByteKey(change.entity) } ?? true
                && field.map { ByteKey($0) == ByteKey(change.field ?? "") } ?? true
        }
    }

    var entries: [Entry] = []

    /// Accepts nothing.
    public init() {}

    /// Reads the file. If it is invalid, returns diagnostics and accepts nothing.
    public static func read(_ source: SchemaSource) -> (ignores: ChangeIgnores, diagnostics: [Diagnostic]) {
        let diagnostics = DiagnosticList()
        var ignores = ChangeIgnores()
        if let node = JSONNodeReader.read(source.bytes, diagnostics: diagnostics), !diagnostics.hasErrors {
            ignores.entries = entries(node: node, diagnostics: diagnostics)
        }
        let found = diagnostics.all(path: source.path)
        return diagnostics.hasErrors ? (ChangeIgnores(), found) : (ignores, found)
    }

    /// Marks accepted changes with their reasons, and adds a diagnostic for each ignore that matches no change.
    public func apply(to changes: [SchemaChange]) -> [SchemaChange] {
        var changes = changes
        for index in changes.indices where changes[index].severity == .breaking {
            changes[index].ignored = entries.first { $0.matches(changes[index]) }?.reason
        }
        let unused = entries.filter { entry in
            !changes.contains { $0.severity == .breaking && entry.matches($0) }
        }
        return (changes + unused.map(Self.unused)).sorted()
    }

    private static func unused(entry: Entry) -> SchemaChange {
        SchemaChange(
            rule: .unusedIgnore,
            entity: entry.entity ?? "",
            field: entry.field,
            "an ignore of \(entry.rule.rawValue.quoted) matches no breaking change",
            help: "remove it from \(fileName.quoted), or it will hide the next one"
        )
    }

    private static func entries(node: JSONNode, diagnostics: DiagnosticList) -> [Entry] {
        guard let members = node.members, members.count == 1, members[0].name == "ignore",
            let list = members[0].node.elements
        else {
            diagnostics.add(.ignoreShape, at: node.position)
            return []
        }
        return list.compactMap { entry(node: $0, diagnostics: diagnostics) }
    }

    private static func entry(node: JSONNode, diagnostics: DiagnosticList) -> Entry? {
        var texts: [String: String] = [:]
        for member in node.members ?? [] {
            guard ["rule", "entity", "field", "reason"].contains(member.name), let text = member.node.string
            else {
                diagnostics.add(.ignoreShape, at: member.namePosition)
                return nil
            }
            texts[member.name] = text
        }
        guard let rule = texts["rule"].flatMap(ChangeRule.init), rule != .unusedIgnore else {
            diagnostics.add(.ignoreRule(texts["rule"] ?? ""), at: node.position)
            return nil
        }
        guard let reason = texts["reason"], reason.contains(where: { !$0.isWhitespace }) else {
            diagnostics.add(.ignoreReason, at: node.position)
            return nil
        }
        return Entry(rule: rule, entity: texts["entity"], field: texts["field"], reason: reason)
    }
}
