import Foundation
import SyncChecks
import SyncCore
import SyncSQLite
import Testing

@testable import SyncStore

/// What syncs run is taken from the stores that ran them, and each statement is asked how it finds its rows: a step that
/// walks a table or an index from end to end is named here with its reason, or is none.
@Suite struct SyncPlanTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [World.Place.folder, .server])
    func noStatementOfASyncWalksATable(place: World.Place) async throws {
        try await story(place: place).fill()
        // Stores that are opened anew have compiled nothing of the first sync, which takes in all that there is.
        let story = try story(place: place, seed: 2)
        try await story.live()
        let ordinary = try story.statements()
        let connection = try connection()
        for walk in try Self.unexplained(statements: ordinary, on: connection, allowed: Self.ordinary) {
            Issue.record("\(walk)")
        }

        try await story.recover()
        let rare = try story.statements().subtracting(ordinary)
        let allowed = try Self.ordinary + Self.rare()
        for walk in try Self.unexplained(statements: rare, on: connection, allowed: allowed) {
            Issue.record("\(walk)")
        }
    }

    /// Every reason that is given is still needed: what walks nothing any more is taken from the lists.
    @Test func everyExceptionIsOneThatHappens() async throws {
        let statements = try await everything()
        let connection = try connection()
        for walk in try Self.ordinary + Self.rare() {
            #expect(statements.contains(walk.sql), "\(walk.reason)")
            #expect(try !Self.walks(sql: walk.sql, on: connection).isEmpty, "\(walk.reason)")
        }
    }

    /// Else a statement that no sync of these tests runs could walk what it likes.
    @Test func theseSyncsRunAllThatTheStoreHasForSyncs() async throws {
        let statements = try await everything()
        var names: Set<String> = []
        var ran: Set<String> = []
        for entity in SyncStory.entities {
            for (name, text) in try EntityTable(descriptor: entity, shape: TableShape(entity)).sql.stored {
                names.insert(name)
                if statements.contains(text) { ran.insert(name) }
            }
        }
        #expect(names.subtracting(ran) == Self.notOfSyncs)
    }

    /// The plans are worth something: without one of its indexes a sync would walk tables, and it is seen here.
    @Test func anIndexThatIsMissingIsNoticed() async throws {
        let statements = try await everything()
        let allowed = try Self.ordinary + Self.rare()
        let connection = try Connection.open(path: folder.path + "/A.sqlite", flags: .readWrite)
        let indexes = try connection.texts(
            sql: "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        )
        #expect(indexes.count > 12)
        for index in indexes {
            struct Undone: Error {}
            #expect(throws: Undone.self) {
                try connection.transaction(kind: .immediate) {
                    try connection.execute("DROP INDEX \(try SQL.identifier(name: index))")
                    do {
                        let walks = try Self.unexplained(
                            statements: statements,
                            on: connection,
                            allowed: allowed
                        )
                        #expect(!walks.isEmpty, "\(index)")
                    } catch is SQLiteError {
                        // A statement names the index, and does not run without it.
                    }
                    throw Undone()
                }
            }
        }
    }
}

/// A statement that may walk something, and why.
struct AllowedWalk {
    let sql: String
    let reason: String
}

extension SyncPlanTests {
    static let ordinary = [
        AllowedWalk(
            sql: "SELECT entity, key, reason, attempts, raw, since FROM sync_rejection ORDER BY since, id",
            reason: "all that was refused is reported, and tried again; it waits for a person"
        ),
        AllowedWalk(sql: "SELECT 1 FROM sync_rejection LIMIT 1", reason: "ends at the first row"),
        AllowedWalk(
            sql: LiveViews.findSQL,
            reason: "an opening looks for a view among the names of the file, of which there are few"
        ),
        AllowedWalk(
            sql: ElementTriggers.findSQL,
            reason: "an opening looks for a trigger among the names of the file, of which there are few"
        ),
        AllowedWalk(
            sql: "SELECT name FROM sync_entity ORDER BY name",
            reason: "a sync reports edits of entities without schema; there is one row for each entity"
        ),
        AllowedWalk(
            sql: "SELECT id, at, entity, rule, kept, lost FROM sync_journal ORDER BY number",
            reason: "a person asks for the journal, or brings an entry of it back; no sync reads it"
        ),
    ]

    static func rare() throws -> [AllowedWalk] {
        try SyncStory.entities.flatMap { entity in
            let sql = try EntityTable(descriptor: entity, shape: TableShape(entity)).sql
            return [
                AllowedWalk(
                    sql: sql.counts,
                    reason:
                        "a status says how many records there are, which an index is counted for; no sync asks"
                ),
                AllowedWalk(
                    sql: sql.scanAll,
                    reason: "a person joins another remote, to which every record is new"
                ),
                AllowedWalk(
                    sql: sql.forgetRevisions,
                    reason: "a person joins another remote, which has told nothing yet"
                ),
                AllowedWalk(
                    sql: sql.keysToCheck(isFirst: true, onlyWithoutRevision: false, includingUnknown: false),
                    reason:
                        "the remote has told its full state: what was not in it is looked for in all records"
                ),
            ]
                + (entity.references.isEmpty
                    ? []
                    : [
                        AllowedWalk(
                            sql: try orphans(),
                            reason:
                                "a status goes through the values of a reference, found one by one in its index"
                        )
                    ])
        }
    }

    private static func orphans() throws -> String {
        let parents = try EntityTable(descriptor: SyncStory.project, shape: TableShape(SyncStory.project))
        let child = try EntityTable(descriptor: SyncStory.task, shape: TableShape(SyncStory.task))
        return try ReferenceSQL(SyncStory.task.references[0], child: child).orphans(parents: parents)
    }

    /// What an app reads, and what people are told of one record.
    static let notOfSyncs: Set = [
        "findModel", "scanLive", "modelsAll", "modelsLive", "modelsAllUnsorted", "modelsLiveUnsorted",
        "modelsWithKeys", "selectRecord", "findRevision", "setHeads",
    ]

    private func story(place: World.Place, seed: UInt64 = 1) throws -> SyncStory {
        SyncStory(
            world: try World(
                devices: 2,
                entities: SyncStory.entities,
                path: folder.path,
                place: place,
                seed: seed
            )
        )
    }

    /// All statements of both places, on stores that are all of one shape; the last one stays open.
    private func everything() async throws -> Set<String> {
        var statements: Set<String> = []
        for place in [World.Place.folder, .server] {
            let path = folder.path + (place == .server ? "" : "/first")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let story = SyncStory(
                world: try World(devices: 2, entities: SyncStory.entities, path: path, place: place)
            )
            try await story.fill()
            try await story.live()
            try await story.recover()
            statements.formUnion(try story.statements())
        }
        return statements
    }

    private func connection() throws -> Connection {
        try Connection.open(path: folder.path + "/A.sqlite", flags: .readOnly)
    }

    /// Steps that walk something without being allowed to, each with its statement.
    static func unexplained(
        statements: Set<String>,
        on connection: Connection,
        allowed: [AllowedWalk]
    ) throws -> [String] {
        try statements.subtracting(allowed.map(\.sql)).sorted().flatMap { sql in
            try walks(sql: sql, on: connection).map { "\($0): \(sql)" }
        }
    }

    /// The steps of a statement's plan that visit a whole table or index.
    static func walks(sql: String, on connection: Connection) throws -> [String] {
        let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"]
        guard verbs.contains(where: { sql.hasPrefix($0) }) else { return [] }
        // A list of keys that is bound to the statement is no table.
        let given = ["SCAN CONSTANT ROW", "SCAN given VIRTUAL TABLE"]
        return try connection.queryPlan(sql: sql).filter { step in
            step.hasPrefix("SCAN") && !given.contains { step.hasPrefix($0) }
        }
    }
}

extension EntitySQL {
    /// The statements that are ready, by the names of their properties.
    fileprivate var stored: [(name: String, sql: String)] {
        Mirror(reflecting: self).children.flatMap { child -> [(String, String)] in
            guard let name = child.label, name != "table", name != "key" else { return [] }
            switch child.value {
            case let text as String: return [(name, text)]
            case let texts as [String]: return texts.map { (name, $0) }
            default: return []
            }
        }
    }
}
