import EntitySync

/// A store that does not exist yet, for commands that only look: it holds nothing and takes nothing.
struct EmptyStore: LocalStore {
    let entities: [EntityDescriptor]

    func write<Result>(
        _ durability: Durability,
        _ body: (any StoreTransaction) throws -> Result
    ) throws -> Result {
        throw SyncError.storeFailed("there is no store yet")
    }

    func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try body(Nothing())
    }

    func lease() throws -> any StoreLease {
        throw SyncError.storeFailed("there is no store yet")
    }

    func changes(_ notify: @escaping @Sendable (StoreVersion) -> Void) -> any StoreSubscription {
        notify(StoreVersion())
        return NoSubscription()
    }

    /// Nothing ever changes.
    private struct NoSubscription: StoreSubscription {
        func cancel() {}
    }

    /// A snapshot of nothing.
    private struct Nothing: StoreSnapshot {
        func header(_ entity: EntityDescriptor, _ key: RecordKey) -> RecordHeader? { nil }
        func load(_ entity: EntityDescriptor, _ key: RecordKey) -> LocalRecord? { nil }
        func side(_ entity: EntityDescriptor, _ key: RecordKey, _ kind: SideKind) -> SyncRecord? { nil }
        func heads(_ entity: EntityDescriptor, _ key: RecordKey) -> [SyncRecord] { [] }
        func keys(
            _ entity: EntityDescriptor,
            in state: SyncState,
            after: RecordKey?,
            limit: Int
        ) -> [RecordKey] { [] }
        func scan(_ entity: EntityDescriptor, includeHidden: Bool, _ visit: (LocalRecord) throws -> Void) {}
        func unclean() -> Set<String> { [] }
        func pending(_ entity: EntityDescriptor, areDeleted: Bool, _ visit: (PendingRecord) throws -> Bool) {}

        func grouped(_ entity: EntityDescriptor, among keys: [RecordKey]) -> [RecordKey] { [] }
        func grouped(_ entity: EntityDescriptor, from row: Int64) -> [RecordKey] { [] }

        func keysSharing(_ entity: EntityDescriptor, unique: Int, _ record: Record) -> [RecordKey] { [] }
        func hidden(_: EntityDescriptor, behind _: RecordKey?) -> [RecordKey] { [] }
        func children(_ entity: EntityDescriptor, field: String, parent: RecordKey) -> [RecordKey] { [] }
        func counts(_ entity: EntityDescriptor) -> EntityCounts { EntityCounts() }
        func buried(_ entity: EntityDescriptor, field: String, parent: RecordKey) -> [RecordKey] { [] }
        func orphans(_ entity: EntityDescriptor) -> Int { 0 }
        func oldestPending(_ entity: EntityDescriptor) -> Timestamp? { nil }
        func query(_ entity: EntityDescriptor, _ query: StoreQuery) -> [LocalRecord] { [] }
        func revision(_ entity: EntityDescriptor, _ key: RecordKey) -> Revision? { nil }
        func lastSequence() -> Int64 { 0 }
        func value(_ name: String) -> String? { nil }
        func journal() -> [JournalEntry] { [] }
        func rejections() -> [Rejection] { [] }
        func history(_ entity: EntityDescriptor, _ key: RecordKey) -> [HistoryEntry] { [] }
    }
}
