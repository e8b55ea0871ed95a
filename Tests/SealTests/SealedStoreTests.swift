import Testing

/// An app, whatever it imports, writes records by edits alone: no program of it can write a record's state. Each program is
/// compiled as an app's is, outside of the package.
@Suite struct SealedStoreTests {
    /// All that an app could import to get at a store.
    private static let imports = """
        import EntitySync
        import SyncCore
        import SyncRuntime
        import SyncStore
        """

    /// A program that is an app's own business.
    @Test func whatAnAppMayDoCompiles() throws {
        let errors = try AppProgram.errors(
            of: """
                import EntitySync

                func save<Entity: SyncEntity>(_ model: Entity, key: Entity.EntityKey, in space: SyncSpace) throws {
                    try space.write { batch in
                        try batch.save(model)
                        try batch.delete(Entity.self, key: key)
                    }
                    for decision in try space.collection(Entity.self).journal() {
                        try space.write { try $0.restore(decision) }
                    }
                }
                """
        )
        #expect(errors == [])
    }

    @Test(arguments: [
        // A record goes without a tombstone.
        ("batch.store.remove(entity: Model.adapter.descriptor, key: key)", "has no member 'store'"),
        ("batch.session.transaction.remove(entity: Model.adapter.descriptor, key: key)", "inaccessible"),
        ("batch.snapshot.storeID", "inaccessible"),
        // A device loses its name.
        ("batch.session.transaction.setValue(\"device\", value: nil)", "inaccessible"),
        // A version of somebody else is written as this device's.
        ("space.store.port.write(.full) { _ in }", "inaccessible"),
        ("space.localStore.write(.full) { _ in }", "inaccessible"),
        ("space.writer.write { $0.transaction }", "inaccessible"),
    ])
    func aBatchHasNoWayToARecordsState(statement: String, complaint: String) throws {
        let errors = try AppProgram.errors(
            of: """
                \(Self.imports)

                func write<Model: SyncEntity>(_ type: Model.Type, key: RecordKey, in space: SyncSpace) throws {
                    try space.write { batch in
                        _ = try \(statement)
                    }
                }
                """
        )
        #expect(errors.contains { $0.contains(complaint) }, "\(errors)")
    }

    @Test(arguments: [
        ("func take(_ transaction: any StoreTransaction) {}", "StoreTransaction"),
        ("func take(_ store: any LocalStore) {}", "LocalStore"),
        ("func take(_ store: SQLiteStore) throws { try store.write(.full) { _ in } }", "write"),
        ("func take(_ store: SQLiteStore) throws { try store.read { try $0.lastSequence() } }", "read"),
        (
            "func take(_ store: SQLiteStore) { _ = LocalWriter(store: store, clock: SystemClock(), random: SystemRandom()) }",
            "LocalWriter"
        ),
        ("func take(_ session: WriteSession) {}", "WriteSession"),
        ("func take(_ header: RecordHeader) {}", "RecordHeader"),
        ("func take(_ reconcile: Reconcile) {}", "Reconcile"),
    ])
    func noModuleGivesAWayToARecordsState(program: String, name: String) throws {
        let errors = try AppProgram.errors(
            of: """
                \(Self.imports)

                \(program)
                """
        )
        let isHidden = errors.contains { error in
            error.contains("'\(name)")
                && (error.contains("inaccessible") || error.contains("cannot find type"))
        }
        #expect(isHidden, "\(errors)")
    }
}
