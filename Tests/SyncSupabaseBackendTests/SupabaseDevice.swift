#if Server
    import Foundation
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import SyncHTTPClient
    import SyncRuntime
    import SyncStore
    import SyncSupabaseBackend
    import Testing

    /// A device of a user: a store in a temporary folder, and the unmodified backend.
    final class SupabaseDevice {
        let session: SessionSource
        private let engine: SyncEngine
        let store: any LocalStore
        private let writer: LocalWriter
        private let folder: String

        /// Makes a device with an empty store.
        convenience init(_ project: SupabaseProject, user: User = .ada, seed: UInt64) throws {
            let session = SessionSource(user.token())
            try self.init(
                backend: project.backend(session: session, seed: seed),
                session: session,
                seed: seed
            )
        }

        init(backend: SupabaseBackend, session: SessionSource, seed: UInt64) throws {
            self.session = session
            folder = FileManager.default.temporaryDirectory.path + "/device-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let random = SeededRandom(seed)
            store = try SQLiteStore.open(
                path: "\(folder)/store.sqlite",
                entities: ShippedSchemas.entities,
                random: random
            )
            writer = LocalWriter(store: store, clock: PresentTime(), random: random)
            engine = SyncEngine(
                store: store,
                backend: backend,
                environment: SyncEnvironment(clock: PresentTime(), random: random, label: "device \(seed)")
            )
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        /// Syncs. Throws `SyncError`.
        @discardableResult
        func sync() async throws -> SyncReport { try await engine.sync() }

        /// Syncs until a sync exchanges nothing.
        func syncToRest() async throws {
            for _ in 0..<12 {
                let report = try await sync()
                if report.entities.allSatisfy({ $0.pushed + $0.pulled == 0 }) { return }
            }
            Issue.record("The device never came to rest.")
        }

        /// The error of a sync; records an issue if there is none.
        func syncError() async throws -> SyncError {
            try #require(await engine.attempt().error as? SyncError)
        }

        /// Writes members of a record, as an app does that is offline.
        func put(_ entity: String, json: String) throws {
            _ = try writer.put(entity: ShippedSchemas.entity(entity), json: Array(json.utf8))
        }

        func delete(_ entity: String, key: String) throws {
            try writer.delete(entity: ShippedSchemas.entity(entity), key: RecordKey(key))
        }

        func resolve(_ entity: String, key: String, with resolution: Resolution) throws {
            try writer.resolve(entity: ShippedSchemas.entity(entity), key: RecordKey(key), with: resolution)
        }

        /// Gives up a rejected edit.
        func discard(_ entity: String, key: String) throws {
            try writer.discard(entity: ShippedSchemas.entity(entity), key: RecordKey(key))
        }

        /// A bookmark with a note.
        func putBookmark(key: String, verse: Int = 1, notes: String, tags: [String] = []) throws {
            let list = tags.map { "\"\($0)\"" }.joined(separator: ",")
            try put(
                "bookmark",
                json: #"{"id":"\#(key)","userId":"reader","surahNumber":2,"verseNumber":\#(verse),"#
                    + #""notes":"\#(notes)","tags":[\#(list)]}"#
            )
        }

        /// The local record; nil if there is none.
        func local(_ entity: String, key: String) throws -> LocalRecord? {
            try store.read { try $0.load(entity: ShippedSchemas.entity(entity), key: RecordKey(key)) }
        }

        /// What was rejected, oldest first.
        func rejections() throws -> [Rejection] { try store.read { try $0.standingRejections() } }

        /// One field of a live record; nil if the record is not live or the field is absent.
        func value(_ entity: String, key: String, field: String) throws -> FieldValue? {
            guard let local = try local(entity, key: key), local.visibility == .live,
                let position = try ShippedSchemas.entity(entity).layout.position(of: field)
            else { return nil }
            return local.version.record.values[position]
        }

        /// A field that is text; nil otherwise.
        func text(_ entity: String, key: String, field: String) throws -> String? {
            guard case .text(let text)? = try value(entity, key: key, field: field) else { return nil }
            return text
        }

        /// The notes of a bookmark.
        func notes(key: String) throws -> String? { try text("bookmark", key: key, field: "notes") }

        /// All live records as JSON lines, in the order of their keys.
        func export(_ entity: String) throws -> [String] {
            let encoder = RecordEncoder(descriptor: try ShippedSchemas.entity(entity), form: .plain)
            var lines: [String] = []
            try store.read { snapshot in
                try snapshot.scan(entity: ShippedSchemas.entity(entity), includeHidden: false) { local in
                    var writer = JSONWriter()
                    encoder.encode(RecordRow(local.version.record), to: &writer)
                    lines.append(writer.text)
                }
            }
            return lines
        }

        /// The keys of records in a state.
        func keys(_ entity: String, in state: SyncState) throws -> [String] {
            try store.read {
                try $0.keys(entity: ShippedSchemas.entity(entity), in: state, after: nil, limit: .max).map(
                    \.text
                )
            }
        }

        /// How many edits the status counts as altered by the server.
        func altered() throws -> Int {
            try store.read { try SyncStatus(snapshot: $0, entities: ShippedSchemas.entities) }.altered
        }

        /// Somebody has looked at the journal.
        func markDecisionsSeen() throws { try store.markDecisionsSeen() }

        /// The journal's values.
        func journal() throws -> [JournalEntry] { try store.read { try $0.journal() } }
    }

    /// An app's session: its present token, and those that it gets by refreshing.
    final class SessionSource: CredentialSource {
        private let state: Guarded<(token: String, others: [String], refreshes: Int)>

        init(_ token: String, then others: [String] = []) {
            state = Guarded((token, others, 0))
        }

        /// How often the app was asked for another token.
        var refreshes: Int { state.use { $0.refreshes } }

        /// The user signed in.
        func signIn(_ token: String) { state.use { $0.token = token } }

        func token() async throws -> String { state.use { $0.token } }

        func refresh(refused token: String) async throws -> String? {
            state.use { state in
                state.refreshes += 1
                guard !state.others.isEmpty else { return nil }
                state.token = state.others.removeFirst()
                return state.token
            }
        }
    }
#endif
