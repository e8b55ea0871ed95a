/// Checks a set of schemas as a whole: unique names, and references between entities.
struct SetCheck {
    /// The drafts, sorted by path, so that the result does not depend on the input order.
    let drafts: [DraftEntity]
    private let byName: [String: DraftEntity]

    init(drafts: [DraftEntity]) {
        self.drafts = drafts
        let named = drafts.compactMap { draft in draft.name.map { ($0, draft) } }
        byName = Dictionary(named) { first, _ in first }
    }

    /// Runs all checks and adds to the diagnostics of each file.
    func run() {
        reportDuplicates(.start, of: \.name) { .duplicateEntity(name: $0, other: $1) }
        reportDuplicateTypes()
        reportDuplicateRemotes()
        for draft in drafts {
            for reference in draft.sync?.references ?? [] { check(reference, of: draft) }
        }
    }

    private func reportDuplicates(
        _ position: Position,
        of name: (DraftEntity) -> String?,
        diagnostic: (String, String) -> DiagnosticContent
    ) {
        var owners: [String: String] = [:]
        for draft in drafts {
            guard let name = name(draft) else { continue }
            if let owner = owners[name] {
                draft.diagnostics.add(diagnostic(name, owner), at: position)
            } else {
                owners[name] = draft.path
            }
        }
    }

    /// Reports duplicate types. The companions of an entity, such as its DTO, must be unique too.
    private func reportDuplicateTypes() {
        var owners: [String: String] = [:]
        for draft in drafts {
            guard let type = draft.typeName else { continue }
            let names = ([""] + SwiftNames.companionSuffixes).map { (type + $0).lowercased() }
            if let owner = names.lazy.compactMap({ owners[$0] }).first {
                draft.diagnostics.add(.duplicateType(name: type, other: owner), at: draft.titlePosition)
            }
            for name in names where owners[name] == nil { owners[name] = draft.path }
        }
    }

    /// Remote names become folder names, so letter case is ignored.
    private func reportDuplicateRemotes() {
        var owners: [String: (path: String, entity: String)] = [:]
        for draft in drafts {
            guard let entity = draft.name, let sync = draft.sync else { continue }
            let remote = sync.remote ?? entity
            let owner = owners[remote.lowercased()]
            if let owner, owner.entity != entity {
                draft.diagnostics.add(
                    .duplicateRemote(name: remote, other: owner.path),
                    at: sync.remotePosition ?? .start
                )
            } else if owner == nil {
                owners[remote.lowercased()] = (draft.path, entity)
            }
        }
    }

    private func check(_ draft: DraftReference, of child: DraftEntity) {
        let name = draft.reference.entity
        guard let parent = byName[name] else {
            child.diagnostics.add(
                .unknownEntity(name: name, known: drafts.compactMap(\.name)),
                at: draft.entityPosition
            )
            return
        }
        guard let key = parent.sync?.key, !key.isEmpty else { return }
        let fields = draft.reference.fields
        guard fields.count == key.count else {
            let content: DiagnosticContent =
                .referenceToCompositeKey(entity: name, key: key, fields: fields)
            child.diagnostics.add(content, at: draft.entityPosition)
            return
        }
        guard let types = draft.types, let keyTypes = parent.keyTypes else { return }
        for (field, (type, keyType)) in zip(fields, zip(types, keyTypes)) {
            if type.ofOneKey(isAlone: fields.count == 1).isSameKind(as: keyType) { continue }
            child.diagnostics.add(
                .referenceType(field: field, type: type.phrase, entity: name, keyType: keyType.phrase),
                at: draft.fieldPosition
            )
        }
    }
}

extension SchemaType {
    /// Whether two types hold the same kind of value, ignoring constraints.
    fileprivate func isSameKind(as other: SchemaType) -> Bool {
        switch (self, other) {
        case (.string, .string), (.integer, .integer), (.uuid, .uuid), (.date, .date), (.uri, .uri): true
        default: false
        }
    }

    /// The type of one key: a list may hold several of them.
    fileprivate func ofOneKey(isAlone: Bool) -> SchemaType {
        if isAlone, case .array(let item, _, _, _) = self { item.type } else { self }
    }
}
