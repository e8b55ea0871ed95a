#if Server
    import Foundation
    import SyncChecks
    import SyncCore
    import SyncDynamic
    import SyncHTTPClient
    import SyncRuntime
    import SyncSchema
    import SyncServerBackend
    import SyncStore
    import Testing

    @testable import syncserver

    /// A device in this process, with a source of tokens as an app has it. Its schema is the stage's note.
    final class EngineDevice {
        private let note: EntityDescriptor
        private let store: any LocalStore
        private let writer: LocalWriter
        private let engine: SyncEngine

        init(stage: Stage, server: RunningServer, credentials: any CredentialSource) throws {
            let bytes = try Data(contentsOf: stage.url(path: "Schemas/note.schema.json"))
            let report = SchemaLoader.load([SchemaSource(path: "note.schema.json", bytes: Array(bytes))])
            let entities = EntityDescriptor.descriptors(of: report.schemas)
            note = try #require(entities.first)
            let random = SystemRandom()
            store = try SQLiteStore.open(
                path: stage.url(path: "\(UUID().uuidString).sqlite").path,
                entities: entities,
                random: random
            )
            writer = LocalWriter(store: store, clock: SystemClock(), random: random)
            let backend = HTTPBackend(
                url: try ServerURL(server.url),
                credentials: credentials,
                environment: HTTPEnvironment(clock: SystemClock(), random: random, sleeper: NoSleep())
            )
            engine = SyncEngine(
                store: store,
                backend: backend,
                environment: SyncEnvironment(clock: SystemClock(), random: random, label: "device")
            )
        }

        func put(key: String, title: String) throws {
            _ = try writer.put(entity: note, json: Array(#"{"id":"\#(key)","title":"\#(title)"}"#.utf8))
        }

        /// Syncs. Throws `SyncError`.
        func sync() async throws { _ = try await engine.sync() }

        /// The keys of all notes that are in step with the server, sorted.
        func notes() throws -> [String] {
            try store.read { try $0.keys(entity: note, in: .synced, after: nil, limit: .max).map(\.text) }
        }
    }
#endif
