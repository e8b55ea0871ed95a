import EntitySync
import Foundation
import SyncDynamic
import SyncSchema

/// The schemas and the store that a command works on.
struct Workspace {
    /// The entities, sorted by name.
    let entities: [EntityDescriptor]
    /// What the schema check found; no errors among it.
    let warnings: [Diagnostic]
    /// The store's database file.
    let storePath: String
    /// The wall clock.
    let clock: any SyncClock
    /// Random bits.
    let random: any RandomSource

    /// Reads and checks schemas; opens no store yet. Throws `BadInput` with all diagnostics when a schema has errors.
    init(
        schemaPaths: [String],
        storePath: String,
        clock: any SyncClock = SystemClock(),
        random: any RandomSource = SystemRandom()
    ) throws {
        let report = SchemaLoader.load(try SchemaFiles.read(paths: schemaPaths))
        let errors = report.diagnostics.count { $0.severity == .error }
        guard errors == 0 else {
            throw BadInput(details: report.rendered(format: .text), error: .brokenSchemas(errors: errors))
        }
        self.init(
            entities: report.schemas.map { EntityDescriptor(schema: $0) },
            warnings: report.diagnostics,
            storePath: storePath,
            clock: clock,
            random: random
        )
    }

    /// Works with entities that are known already.
    init(
        entities: [EntityDescriptor],
        warnings: [Diagnostic] = [],
        storePath: String,
        clock: any SyncClock = SystemClock(),
        random: any RandomSource = SystemRandom()
    ) {
        self.entities = entities
        self.warnings = warnings
        self.storePath = storePath
        self.clock = clock
        self.random = random
    }

    /// The entity of that name. Throws `usage` with the nearest name.
    func entity(name: String) throws -> EntityDescriptor {
        if let entity = entities.first(where: { $0.name == name }) { return entity }
        let known = entities.map(\.name)
        throw SyncError.unknownEntity(
            name: name,
            known: known,
            nearest: DidYouMean.nearest(to: name, among: known)
        )
    }

    /// The entity of that name, or all when there is no name.
    func entities(named name: String?) throws -> [EntityDescriptor] {
        guard let name else { return entities }
        return [try entity(name: name)]
    }

    /// Whether there is a store yet.
    var storeExists: Bool { FileManager.default.fileExists(atPath: storePath) }

    /// Opens the store, and makes it and its folder if need be. With a sleeper it looks for commits of other processes.
    func open(sleeper: (any SyncSleeper)? = nil) throws -> SQLiteStore {
        let folder = (storePath as NSString).deletingLastPathComponent
        if !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) {
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            } catch {
                throw SyncError.cannotWrite(path: folder, error: error)
            }
        }
        return try SQLiteStore.open(path: storePath, entities: entities, random: random, sleeper: sleeper)
    }

    /// Opens the store that is there. Throws `invalidInput` where there is none, and makes none.
    func openExisting() throws -> any LocalStore {
        guard storeExists else { throw SyncError.noStore(path: storePath) }
        return try open()
    }

    /// Local writes into the store, which is made if need be.
    func writer() throws -> LocalWriter {
        LocalWriter(store: try open(), clock: clock, random: random)
    }

    /// Local writes into the store that is there. Throws `invalidInput` where there is none, and makes none.
    func existingWriter() throws -> LocalWriter {
        LocalWriter(store: try openExisting(), clock: clock, random: random)
    }
}
