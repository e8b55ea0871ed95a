public import SyncCore

/// What one sync covers.
public struct SyncProfile: Sendable, Hashable {
    /// The purpose of the sync.
    public var kind: Kind
    /// Names of the entities it covers, parents before children.
    public var entities: [String]

    /// Makes a profile.
    public init(kind: Kind, entities: [String]) {
        self.kind = kind
        self.entities = entities
    }

    /// The purpose of a sync.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// All entities.
        case full
        /// The essential entities, first after the app starts.
        case launch
        /// The entities that `launch` left out.
        case rest
        /// Entities that may have changed, here or at the remote.
        case refresh
    }
}

/// Why a sync is started.
public enum SyncReason: String, Sendable, Hashable, CaseIterable {
    /// A local write.
    case write
    /// The app started.
    case launch
    /// The app came back to the foreground.
    case active
    /// The network returned.
    case connectivity
    /// The remote or a push notification reported a change.
    case hint
    /// The period has ended.
    case periodic
    /// The system granted background time.
    case background
    /// The account may be used again.
    case account
    /// A person or the app asked for it.
    case manual
}

/// The entities of a scheduler.
public struct ScheduledEntities: Sendable, Hashable {
    /// All names, parents before children.
    public let names: [String]
    /// The names that `launch` covers: the essential ones and those they refer to. If none is essential, all.
    public let essential: Set<String>
    let all: Set<String>
    private let parents: [String: Set<String>]

    /// Orders entities. Unknown names in `essential` are ignored.
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

    /// The names and all that they refer to, in order. A child cannot be shown without its parent.
    func ordered(some: Set<String>) -> [String] {
        let wanted = Self.withParents(some: some, parents: parents)
        return names.filter(wanted.contains)
    }

    /// The known names; if there are none, all.
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
