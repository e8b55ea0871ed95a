import Foundation
import Testing

/// What `import EntitySync` gives an app: few types, listed in `face.txt`, which is reviewed as code is.
///
/// `RECORD_GOLDEN=1 swift test --filter FaceTests` writes the list anew and fails once.
@Suite struct FaceTests {
    /// What a reader can hold in the hand.
    private static let limit = 80
    /// Public types that only Apple's platforms have.
    private static let ofApple = ["PathConnectivity"]

    @Test func anAppSeesTheListedTypesAndNoOthers() throws {
        let types = try Self.face()
        let file = AppProgram.root.appendingPathComponent("Tests/SealTests/face.txt")
        if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
            try Data((types.sorted().joined(separator: "\n") + "\n").utf8).write(to: file)
            Issue.record("The list was written anew. Read it.")
        }
        let listed = try Set(
            String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        )
        #expect(types.subtracting(listed).sorted() == [], "not listed")
        #expect(listed.subtracting(types).sorted() == [], "listed, and gone")
        #expect(types.count + Self.ofApple.count <= Self.limit)
    }

    @Test func theFirstPageNamesThemAll() throws {
        let page = try String(
            contentsOf: AppProgram.root.appendingPathComponent(
                "Sources/EntitySync/EntitySync.docc/EntitySync.md"
            ),
            encoding: .utf8
        )
        let named = Set(
            page.split(separator: "\n").filter { $0.hasPrefix("- ``") }.map { $0.dropFirst(4).dropLast(2) }
        )
        for type in try Self.face() where !type.contains(".") {
            #expect(named.contains(Substring(type)), "\(type) is in no topic")
        }
    }

    /// What the module declares, and the names that it passes on with all that is nested in them.
    private static func face() throws -> Set<String> {
        let exports = try String(
            contentsOf: AppProgram.root.appendingPathComponent("Sources/EntitySync/Exports.swift"),
            encoding: .utf8
        )
        var names: [String: Set<String>] = [:]
        for line in exports.split(separator: "\n") where line.hasPrefix("@_exported") {
            // A whole module would bring all of its types.
            let path = try #require(line.split(separator: " ").last).split(separator: ".").map(String.init)
            try #require(path.count == 2, "\(line) names no type")
            names[path[0], default: []].insert(path[1])
        }
        var types = try AppProgram.publicTypes(of: "EntitySync")
        for module in names.keys {
            // A module may nest types in those of another one.
            types.formUnion(
                try AppProgram.publicTypes(of: module).filter { type in
                    names.values.contains { $0.contains(String(type.prefix { $0 != "." })) }
                }
            )
        }
        return types
    }

    /// An app's own words stay its own.
    @Test(arguments: [
        "Record", "Change", "Digest", "Field", "Revision", "HTTPRequest", "HTTPResponse", "HTTPHeader",
        "Sibling",
        "Column", "Migration", "SyncEngine", "StoreQuery", "EntityDescriptor",
    ])
    func noGeneralNameComesWithAnImport(name: String) throws {
        let errors = try AppProgram.errors(
            of: """
                import EntitySync
                import EntitySyncFolder
                import EntitySyncServer
                import EntitySyncSupabase
                func take(_ value: \(name)) {}
                """
        )
        #expect(errors.contains { $0.contains("cannot find type '\(name)' in scope") }, "\(errors)")
    }

    /// Each is compiled with the remote's product alone, and whatever the app's target says about members.
    @Test(
        arguments: programs,
        [[], ["MemberImportVisibility", "ExistentialAny", "InternalImportsByDefault"]]
    )
    func whatAnAppWritesNeedsNoOtherImport(program: String, features: [String]) throws {
        #expect(try AppProgram.errors(of: program, features: features) == [])
    }

    private static let programs = [
        """
        import EntitySync
        import EntitySyncFolder

        func start<Entity: SyncEntity>(_ type: Entity.Type, folder: String, shared: String) async throws {
            var configuration = SpaceConfiguration(
                folder: folder, entities: [type], remote: FolderBackend(root: shared)
            )
            configuration.schedule = SchedulePolicy()
            configuration.log = { event in if event.level == .error { print(event.message) } }
            let space = try SyncSpace.open(configuration)
            let records: SyncCollection<Entity> = space.collection()
            let report: SyncReport = try await space.sync(SyncOptions())
            print(report.outcome == .synced, report.entities.count, try space.status().pending)
            for conflict in try await records.conflicts() { print(conflict.id, conflict.fields) }
            for decision in try records.journal() { try await space.write { try $0.restore(decision) } }
            let rows: [SQLRow] = try await space.sql("SELECT COUNT(*) FROM bookmark")
            print(rows.count)
            for past: PastSync in try space.syncHistory() { print(past.started.microseconds) }
            for try await all in records.observe(SyncQuery().limit(20)) { print(all.count) }
        }

        func explain(_ error: any Error) -> String {
            let shown = SyncError(shown: error)
            switch shown.retry {
            case .later: return shown.message
            default: return shown.kind == .usage ? shown.help : shown.message
            }
        }
        """,
        """
        import EntitySync
        import EntitySyncServer

        struct Login: CredentialSource {
            func token() async throws -> String { "" }
            func refresh(refused: String) async throws -> String? { nil }
        }

        func open(_ types: [any SyncEntity.Type], folder: String, name: String) async throws {
            let accounts = try await SyncAccounts.open(
                AccountsConfiguration(folder: folder, entities: types) { account in
                    account.isGuest
                        ? HTTPBackend(
                            url: try ServerURL("https://sync.example.org"), credentials: Login(), environment: .system
                        )
                        : try HTTPBackend(url: "https://sync.example.org") { account.text ?? "" }
                }
            )
            try await accounts.signIn(AccountID(name), adopting: .guestRecords)
            do { try await accounts.signOut(.requireSynced) } catch let refusal as UnsentRecords {
                print(refusal)
            }
        }
        """,
        """
        import EntitySync
        import EntitySyncSupabase

        func backend(of session: some CredentialSource) throws -> any RemoteBackend {
            SupabaseBackend(
                url: try ServerURL("https://xyz.supabase.co"), publishableKey: "", session: session,
                environment: .system
            )
        }
        """,
    ]
}
