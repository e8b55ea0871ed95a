/// How often a store was committed to, by entity: two that are equal for an entity stand for the same records of it.
///
/// Counts begin anew with each opening; they say nothing about time.
public struct StoreVersion: Sendable, Hashable {
    /// Commits of this process that touched an entity.
    private var byEntity: [String: UInt64] = [:]
    /// Commits of this process that changed anything.
    private var own: UInt64 = 0
    /// How often another connection was seen to have committed; what it touched is not known.
    public private(set) var foreign: UInt64 = 0

    /// Before the first commit.
    public init() {}

    /// A count that rises when records of the entity may have changed.
    public subscript(entity: String) -> UInt64 { byEntity[entity, default: 0] &+ foreign }

    /// A count that rises when anything may have changed: a record, or what the store knows about sync.
    public var total: UInt64 { own &+ foreign }

    /// Counts a commit of this process.
    public mutating func countCommit(of entities: Set<String>) {
        own &+= 1
        for entity in entities { byEntity[entity, default: 0] &+= 1 }
    }

    /// Counts what another connection committed.
    public mutating func countForeignCommit() {
        foreign &+= 1
    }
}

/// A place on a store's list of those who want to know of commits.
public protocol StoreSubscription: Sendable {
    /// Leaves the list. Idempotent; also done when the last reference goes.
    func cancel()
}
