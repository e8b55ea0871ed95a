package import SyncCore
package import SyncStore

/// A store in which somebody else often writes while a sync runs: before one of its transactions, or while it takes changes
/// in, which then goes on in another transaction.
package final class InterruptedStore: LocalStore, @unchecked Sendable {
    // A world runs its steps sequentially, so nothing here is used concurrently.
    private let base: SQLiteStore
    /// Whether to interrupt, drawn at random.
    private let interrupts: () -> Bool
    /// What the other one writes.
    private let meanwhile: () throws -> Void
    private var isInterrupted = false

    package init(
        _ base: SQLiteStore,
        interrupts: @escaping () -> Bool,
        meanwhile: @escaping () throws -> Void
    ) {
        (self.base, self.interrupts, self.meanwhile) = (base, interrupts, meanwhile)
    }

    package var entities: [EntityDescriptor] { base.entities }

    package func isAwaited(after records: Int) -> Bool {
        isInterrupted = interrupts()
        return isInterrupted
    }

    package func write<Result>(_ durability: Durability, body: (any StoreTransaction) throws -> Result) throws
        -> Result
    {
        if isInterrupted || interrupts() {
            isInterrupted = false
            try meanwhile()
        }
        return try base.write(durability, body: body)
    }

    package func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try base.read(body)
    }

    package func lease() throws -> any StoreLease { try base.lease() }

    package func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        base.changes(notify)
    }
}
