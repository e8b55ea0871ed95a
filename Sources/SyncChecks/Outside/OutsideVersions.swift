import SyncCore

/// The schemas of an outside world's app: one version, or an older and a newer one.
struct OutsideVersions: Sendable {
    /// The entities of the version that all devices start with, parents before children.
    let old: [EntityDescriptor]
    /// The entities of the version that all devices have at rest.
    let new: [EntityDescriptor]
    /// What differs.
    let changes: [OutsideChange]
    /// What people write, by entity of either version.
    let roles: [EntityDescriptor: FieldRoles]
    /// The first name of each field that was renamed, by entity and later name.
    private let firstNames: [String: [String: String]]

    /// One version.
    init(_ entities: [EntityDescriptor]) {
        self.init(old: entities, new: entities, changes: [])
    }

    /// Two versions that are drawn from a seed.
    init(_ entities: [EntityDescriptor], bits: UInt64) {
        var drawing = VersionDrawing(entities: entities, bits: bits)
        drawing.drawChanges()
        self.init(
            old: EntityOrder.sorted(drawing.old.map(\.entity)),
            new: EntityOrder.sorted(drawing.raised),
            changes: drawing.changes
        )
    }

    private init(old: [EntityDescriptor], new: [EntityDescriptor], changes: [OutsideChange]) {
        (self.old, self.new) = (old, new)
        self.changes = changes
        var firstNames: [String: [String: String]] = [:]
        var given: [String: [String: FieldRoles.Role]] = [:]
        for change in changes {
            if let renamed = change.renamed {
                firstNames[change.entity, default: [:]][renamed.to] = renamed.from
            }
            if let field = change.field, let role = change.role {
                given[change.entity, default: [:]][field] = role
            }
        }
        let isOne = changes.isEmpty
        let roles = (old + new).map {
            ($0, FieldRoles($0, given: given[$0.name] ?? [:], writesLocal: !isOne))
        }
        self.roles = Dictionary(roles) { first, _ in first }
        self.firstNames = firstNames
    }

    /// Whether there is a newer version.
    var areTwo: Bool { !changes.isEmpty }

    /// What a server holds that was updated first: the newer entities, and those that only older apps have.
    var served: [EntityDescriptor] {
        let known = Set(new.map(\.name))
        return EntityOrder.sorted(new + old.filter { !known.contains($0.name) })
    }

    /// The name that a field had in the older version.
    func firstName(_ name: String, of entity: String) -> String { firstNames[entity]?[name] ?? name }

    /// The fields of an entity that only the older version has.
    func removedFields(of entity: String) -> [String] {
        changes.filter { $0.entity == entity && $0.isReversed && [.field, .defaulted].contains($0.kind) }
            .compactMap(\.field)
    }

    /// Whether one of the changes is of a kind.
    func have(_ kinds: OutsideChange.Kind...) -> Bool { changes.contains { kinds.contains($0.kind) } }

    /// Whether one of the changes of an entity is of a kind.
    func have(_ kinds: OutsideChange.Kind..., in entity: String) -> Bool {
        changes.contains { $0.entity == entity && kinds.contains($0.kind) }
    }
}

/// One difference between two versions of an app.
struct OutsideChange: Sendable {
    /// The kinds of differences.
    enum Kind: String, Sendable, CaseIterable {
        // Fields that come and go. Reversed, they go.
        case field, defaulted, renamed, moved, local, entity
        // What values are allowed.
        case widened, narrowed, required, nullable, standard
        // How records meet.
        case merge, strategy, granularity, unique, reference, deleteRule, cyclic, ordered
    }

    var kind: Kind
    var entity: String
    /// The field by its name in the older version, if the change is about one.
    var field: String?
    /// The change in words.
    var text: String
    /// Whether the older version has what the kind names, and the newer one does not.
    var isReversed = false
    /// What people write into the field in both versions.
    var role: FieldRoles.Role?
    /// The names of a renamed field.
    var renamed: (from: String, to: String)?
}
