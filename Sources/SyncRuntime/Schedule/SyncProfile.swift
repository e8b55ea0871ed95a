public import SyncCore

/// What one sync is to cover.
public struct SyncProfile: Sendable, Hashable {
    /// What the sync is for.
    public var kind: Kind
    /// Names of the entities it covers, parents before children.
    public var entities: [String]

    /// Makes a profile.
    public init(kind: Kind, entities: [String]) {
        self.kind = kind
        self.entities = entities
    }

    /// What a sync is for.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// All entities.
        case full
        /// The essential entities, before anything else after the app starts.
        case launch
        /// What `launch` has left.
        case rest
        /// What may have changed, here or at the remote.
        case refresh
    }
}

/// Why a sync is started.
public enum SyncReason: String, Sendable, Hashable, CaseIterable {
    /// Something was written here.
    case write
    /// The app started.
    case launch
    /// The app came back to the foreground.
    case active
    /// The network returned.
    case connectivity
    /// The remote, or a push notification, told of a change.
    case hint
    /// The period is over.
    case periodic
    /// The system granted background time.
    case background
    /// The account may be used again.
    case account
    /// A person or the app asked for it.
    case manual
}

/// The entities that a scheduler looks after.
public struct ScheduledEntities: Sendable, Hashable {
    /// All names, parents before children.
    public let names: [String]
    /// The names that `launch` covers: the essential ones and all that they refer to; all where none is marked.
    public let essential: Set<String>
    let all: Set<String>
    private let parents: [String: Set<String>]

    /// Puts entities in order. Names in `essential` that no entity has are ignored.
    public init(entities: [EntityDescriptor], essential: Set<String> = []) {
        let sorted = EntityOrder.sorted(entities)
        names = sorted.map(\.name)
        all = Set(names)
        var parents: [String: Set<String>] = [:]
        for entity in sorted { parents[entity.name] = Set(entity.references.map(\.entity)) }
        self.parents = parents
        let known = Self.withParents(some: essential.intersection(all), parents: parents).intersection(all)
        self.essential = known.isEmpty ? all : known
    }

    /// The names with all that they refer to, in order. A child without its parent could not be shown.
    func ordered(some: Set<String>) -> [String] {
        let wanted = Self.withParents(some: some, parents: parents)
        return names.filter(wanted.contains)
    }

    /// The names that are known; all where none is.
    func known(some: Set<String>?) -> Set<String> {
        let known = some.map(all.intersection) ?? all
        return known.isEmpty ? all : known
    }

    private static func withParents(some: Set<String>, parents: [String: Set<String>]) -> Set<String> {
        var result = some
        var open = Array(some)
        while let name = open.popLast() {
            for parent in parents[name] ?? [] where result.insert(parent).inserted { open.append(parent) }
        }
        return result
    }
}
