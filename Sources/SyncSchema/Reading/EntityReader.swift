/// A file after its own checks, with the data that the checks of the whole set need.
struct DraftEntity {
    var path: String
    var diagnostics: DiagnosticList
    /// The name from the file name; nil if that is invalid.
    var name: String?
    /// The type name from `title`; nil if that is invalid or missing.
    var typeName: String?
    var titlePosition = Position.start
    var sync: DraftSync?
    /// The types of the key fields; nil if one of them is unknown.
    var keyTypes: [SchemaType]?
    /// The schema; complete only if the file has no errors.
    var schema: Schema?
}

/// Reads one file to a draft. `read` lists all checks of a single file.
struct EntityReader {
    let source: SchemaSource
    private let diagnostics: DiagnosticList

    /// The most bytes of a file.
    static let maxBytes = 16 * 1024 * 1024

    init(source: SchemaSource, tolerated: Set<Rule> = []) {
        self.source = source
        diagnostics = DiagnosticList(tolerated: tolerated)
    }

    /// Reads the file and reports all its errors.
    func read() -> DraftEntity {
        var draft = DraftEntity(path: source.path, diagnostics: diagnostics)
        draft.name = entityName()
        guard source.bytes.count <= Self.maxBytes else {
            diagnostics.add(.fileTooLarge(bytes: source.bytes.count, limit: Self.maxBytes), at: .start)
            return draft
        }
        guard let root = JSONNodeReader.read(source.bytes, diagnostics: diagnostics),
            let keywords = Keywords(node: root, table: .entity, diagnostics: diagnostics)
        else { return draft }
        checkIdentity(keywords, name: draft.name)
        readTitle(keywords, into: &draft)

        let syncKeywords = keywords["sync"].flatMap {
            Keywords(node: $0, table: .entitySync, diagnostics: diagnostics)
        }
        let names = TypeNames(entityType: draft.typeName ?? "")
        let naming = naming(sync: syncKeywords)
        let scope = SchemaScope(diagnostics: diagnostics, typeNames: names, naming: naming)
        let fields = readFields(keywords: keywords, scope: scope)
        guard let syncKeywords else {
            if !keywords.mentions(name: "sync") { diagnostics.add(.missingSync, at: keywords.position) }
            return draft
        }
        let sync = SyncReader(keywords: syncKeywords, fields: fields, diagnostics: diagnostics).read()
        let checked = FieldSyncCheck(sync: sync, diagnostics: diagnostics).apply(to: fields)
        draft.sync = sync
        let keyTypes = sync.key.compactMap { name in fields.first { $0.name == name }?.property?.type }
        draft.keyTypes = keyTypes.count == sync.key.count ? keyTypes : nil
        draft.schema = schema(keywords: keywords, draft: draft, sync: sync, naming: naming, fields: checked)
        return draft
    }

    private func entityName() -> String? {
        guard let name = EntityName.fromPath(path: source.path) else {
            diagnostics.add(.fileName(), at: .start)
            return nil
        }
        if EntityName.isReserved(name) { diagnostics.add(.entityNameReserved(name: name), at: .start) }
        return name
    }

    /// Checks that `$schema`, `$id` and `type` do not contradict the rest.
    private func checkIdentity(_ keywords: Keywords, name: String?) {
        if let node = keywords["$schema"], let uri = node.string, !Self.isSupportedDraft(uri) {
            diagnostics.add(.unsupportedDraft, at: node.position)
        }
        if let node = keywords["$id"], let id = node.string, let name, !EntityName.agrees(id: id, name: name)
        {
            diagnostics.add(.idMismatch(expected: name), at: node.position)
        }
        if let type = keywords["type"] {
            if type.string != "object" { diagnostics.add(.rootType, at: type.position) }
        } else if !keywords.mentions(name: "type") {
            diagnostics.add(.rootType, at: keywords.position)
        }
    }

    /// Whether the URI is the supported JSON Schema draft, or this package's meta-schema, which editors use.
    private static func isSupportedDraft(_ uri: String) -> Bool {
        let drafts = ["http", "https"].map { $0 + "://json-schema.org/draft/2020-12/schema" }
        return drafts.contains { uri == $0 || uri == $0 + "#" } || uri.hasSuffix("entitysync.schema.json")
            || uri == SchemaLoader.metaSchemaID
    }

    private func readTitle(_ keywords: Keywords, into draft: inout DraftEntity) {
        let example = SwiftNames.title(for: draft.name ?? "bookmark")
        guard let node = keywords["title"], let title = node.string else {
            if !keywords.mentions(name: "title") {
                diagnostics.add(.missingTitle(example: example), at: keywords.position)
            }
            return
        }
        draft.titlePosition = node.position
        guard SwiftNames.isIdentifier(title), title.first?.isUppercase == true else {
            diagnostics.add(.titleName(title: title, example: example), at: node.position)
            return
        }
        draft.typeName = title
        if SwiftNames.isReserved(title: title) {
            diagnostics.add(.titleReserved(title: title, example: title + "Record"), at: node.position)
        } else if SwiftNames.shadowedTypes.contains(title) {
            diagnostics.add(.titleShadows(title: title), at: node.position)
        }
    }

    private func naming(sync: Keywords?) -> Schema.Naming {
        guard let node = sync?["naming"], let text = node.string else { return .verbatim }
        if let naming = Schema.Naming(rawValue: text) { return naming }
        diagnostics.add(.unknownNaming(word: text), at: node.position)
        return .verbatim
    }

    /// Reads the definitions before the fields, so that nested types get their names from `$defs`.
    private func readFields(keywords: Keywords, scope: SchemaScope) -> [DraftField] {
        for member in keywords["$defs"]?.members ?? [] {
            guard SwiftNames.isIdentifier(member.name) else {
                diagnostics.add(.definitionName(name: member.name), at: member.namePosition)
                continue
            }
            scope.definitions[member.name] = SchemaScope.Definition(
                node: member.node,
                typeName: Words.upperCamelCase(name: member.name),
                state: .unread
            )
        }
        for member in keywords["$defs"]?.members ?? [] {
            _ = TypeReader(scope: scope, depth: 1).definition(name: member.name)
        }
        guard keywords["properties"] != nil else {
            if !keywords.mentions(name: "properties") {
                diagnostics.add(.missingProperties, at: keywords.position)
            }
            return []
        }
        let fields = FieldListReader(scope: scope, depth: 1, parent: nil).read(keywords: keywords)
        if fields.reduce(0, { $0 + $1.weight }) > SchemaScope.maxWeight {
            diagnostics.add(
                .schemaTooLarge(what: "fields and items", limit: SchemaScope.maxWeight),
                at: keywords.place(name: "properties")
            )
        }
        return fields
    }

    private func schema(
        keywords: Keywords,
        draft: DraftEntity,
        sync: DraftSync,
        naming: Schema.Naming,
        fields: [DraftField]
    ) -> Schema? {
        guard let name = draft.name, let typeName = draft.typeName, !diagnostics.hasErrors else { return nil }
        return Schema(
            name: name,
            typeName: typeName,
            summary: keywords.string("description") ?? "",
            version: sync.version,
            properties: fields.compactMap(\.property),
            key: sync.key,
            strategy: sync.strategy,
            granularity: sync.granularity,
            created: sync.roles["created"],
            updated: sync.roles["updated"],
            deleted: sync.roles["deleted"],
            remote: sync.remote,
            naming: naming,
            unique: sync.unique,
            indexes: sync.indexes,
            search: sync.search,
            limit: sync.limit,
            references: Self.inFieldOrder(drafts: sync.references, fields: fields),
            tombstoneDays: sync.tombstoneDays,
            sql: sync.sql,
            forbidsUnknownFields: keywords["additionalProperties"]?.bool == false
        )
    }

    private static func inFieldOrder(drafts: [DraftReference], fields: [DraftField]) -> [ReferenceDescriptor]
    {
        let byField = Dictionary(drafts.map { ($0.reference.field, $0.reference) }) { first, _ in first }
        return fields.compactMap { byField[$0.name] }
    }
}
