/// Counts of commits by entity. Equal versions of an entity mean equal records of it.
///
/// Counts begin anew with each opening and are no measure of time.
public struct StoreVersion: Sendable, Hashable {
    /// Commits of this process that touched an entity.
    private var byEntity: [String: UInt64] = [:]
    /// Commits of this process that changed anything.
    private var own: UInt64 = 0
    /// How often another connection has committed; which entities it changed is unknown.
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

/// A subscription to commits of a store.
public protocol StoreSubscription: Sendable {
    /// Ends the subscription. Idempotent; releasing the last reference does the same.
    func cancel()
}

/// A subscription that ends by a closure, which may be called several times.
package final class ClosureSubscription: StoreSubscription {
    private let end: @Sendable () -> Void

    /// Makes a subscription.
    package init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { cancel() }

    package func cancel() { end() }
}
