import EntitySync
import Foundation
import SyncCore
import SyncDynamic
import SyncRuntime
import SyncSchema
import SyncStore

/// The schemas and the store of a command.
struct Workspace {
    /// The entities, sorted by name.
    let entities: [EntityDescriptor]
    /// Warnings of the schema check.
    let warnings: [Diagnostic]
    /// The store's database file.
    let storePath: String
    /// The wall clock.
    let clock: any SyncClock
    /// Random bits.
    let random: any RandomSource
    /// The file of a copy, in a temporary folder of its own, that is opened in place of the store; nil for none.
    var copyPath: String?

    /// Reads and checks schemas without opening the store. Throws `InputError` with all diagnostics if a schema
    /// has errors.
    init(
        schemaPaths: [String],
        storePath: String,
        clock: any SyncClock = SystemClock(),
        random: any RandomSource = SystemRandom()
    ) throws {
        let sources = try SchemaFiles.read(paths: schemaPaths)
        let isInUse = (try? PathKind(storePath)).map { $0 != .nothing } ?? false
        let report = SchemaLoader.load(sources, isInUse: isInUse)
        let errors = report.diagnostics.count { $0.severity == .error }
        guard errors == 0 else {
            throw InputError(details: report.rendered(format: .text), error: .brokenSchemas(errors: errors))
        }
        self.init(
            entities: report.schemas.map { EntityDescriptor(schema: $0) },
            warnings: report.diagnostics,
            storePath: storePath,
            clock: clock,
            random: random
        )
    }

    /// Makes a workspace with known entities.
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

    /// The entity with this name. Throws `usage` with a suggestion.
    func entity(name: String) throws -> EntityDescriptor {
        if let entity = entities.first(where: { $0.name == name }) { return entity }
        let known = entities.map(\.name)
        throw SyncError.unknownEntity(
            name: name,
            known: known,
            nearest: DidYouMean.nearest(to: name, among: known)
        )
    }

    /// The entity with this name, or all entities for nil.
    func entities(named name: String?) throws -> [EntityDescriptor] {
        guard let name else { return entities }
        return [try entity(name: name)]
    }

    /// Whether the store exists. Throws `notPermitted` if its folder may not be entered.
    var storeExists: Bool { get throws { try PathKind(storePath) != .nothing } }

    /// Throws `invalidInput` if there is no store.
    func requireStore() throws {
        guard try storeExists else { throw SyncError.noStore(path: storePath) }
    }

    /// Opens the store; creates it and its folder if they are missing. With a sleeper it watches for commits
    /// of other processes.
    func open(sleeper: (any SyncSleeper)? = nil) throws -> SQLiteStore {
        if copyPath == nil { try makePlace() }
        return try SQLiteStore.open(
            path: copyPath ?? storePath,
            entities: entities,
            random: random,
            sleeper: sleeper
        )
    }

    /// The folder of the store's file.
    ///
    /// NB: `NSString.deletingLastPathComponent` traps on a path of one character.
    var storeFolder: String { URL(fileURLWithPath: storePath).deletingLastPathComponent().path }

    /// Makes the store's folder if it is missing. Throws if a store that does not exist cannot be made in it.
    func makePlace() throws {
        guard try !storeExists else { return }
        let folder = storeFolder
        if try PathKind(folder) == .nothing {
            do {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            } catch {
                throw SyncError.cannotWrite(path: folder, error: error)
            }
        }
        try FolderOfFile.check(storePath)
    }

    /// Opens an existing store. Throws `invalidInput` if there is none.
    func openExisting() throws -> any LocalStore {
        try requireStore()
        return try open()
    }

    /// Makes a writer on the store, which is created if it is missing.
    func writer() throws -> LocalWriter {
        LocalWriter(store: try open(), clock: clock, random: random)
    }

    /// Makes a writer on an existing store. Throws `invalidInput` if there is none.
    func existingWriter() throws -> LocalWriter {
        LocalWriter(store: try openExisting(), clock: clock, random: random)
    }
}
