import SyncCore
import SyncRuntime
import SyncStore

/// One device of an outside world: the real store on its own disk, the real engine, and everything that a
/// person can see. These worlds use the product only through this type.
final class OutsideDevice: @unchecked Sendable {
    // A world runs its steps sequentially, so nothing here is used concurrently.
    let name: String
    let index: Int
    let disk: SimulatedDisk
    let clock: ManualClock
    private(set) var entities: [EntityDescriptor]
    /// Whether the app got a newer version since the device was made.
    private(set) var isUpdated = false
    private let random: SeededRandom
    private let remote: (OutsideDevice) throws -> any RemoteBackend
    private var store: SQLiteStore?
    private var engine: SyncEngine?
    /// Whether its person has left for good.
    var isGone = false
    /// Whether it was put back from a backup, so that it sends under another name what it had sent since.
    private(set) var wasPutBack = false
    /// Copies of the disk.
    var backUps: [BackUp] = []
    /// The conflicts as last shown to the person.
    var shownConflicts: [RecordID: Conflict] = [:]
    /// The forms that the person holds open, in memory or as drafts.
    var forms: [OutsideWorld.Form] = []
    /// Words that the person has seen in the fields that they wrote.
    var known: Set<String> = []
    /// When the person writes while a sync takes changes in, and what; nil for never.
    var meanwhile: (interrupts: () -> Bool, write: () throws -> Void)?
    /// What the person chose for an entity at present: whether the most recent edit wins, and nil for what the schema
    /// says. Without it, nobody is asked.
    var prefersRecent: ((EntityDescriptor) -> Bool?)?
    private var choices: [String: (recent: EntityDescriptor, asking: EntityDescriptor)] = [:]
    /// The content of each file when the cloud drive last synced it.
    var travelled: [String: [UInt8]] = [:]

    /// A backup of a device.
    struct BackUp {
        var store: DiskSnapshot
        var folder: DiskSnapshot
        var travelled: [String: [UInt8]]
    }

    static let storeFolder = "/store"

    init(
        name: String,
        index: Int,
        entities: [EntityDescriptor],
        seed: UInt64,
        clock: ManualClock,
        remote: @escaping (OutsideDevice) throws -> any RemoteBackend
    ) {
        self.name = name
        self.index = index
        self.entities = entities
        self.clock = clock
        self.remote = remote
        disk = SimulatedDisk(seed: seed)
        random = SeededRandom(seed)
    }

    // MARK: The app

    /// Starts the app.
    func open() throws {
        try disk.makeFolder(Self.storeFolder)
        let store = try SQLiteStore.open(
            path: Self.storeFolder + "/store.sqlite",
            entities: entities,
            random: random,
            busyTimeoutMilliseconds: 0,
            medium: disk
        )
        self.store = store
        choices = [:]
        engine = SyncEngine(
            store: meanwhile.map { InterruptedStore(store, interrupts: $0.interrupts, meanwhile: $0.write) }
                ?? store,
            backend: try remote(self),
            environment: SyncEnvironment(clock: clock, random: random, label: name),
            deciding: deciding
        )
    }

    /// Updates the app, which then starts with other schemas. If it cannot, it goes on with its own.
    func update(to newer: [EntityDescriptor]) throws {
        let older = entities
        close()
        do {
            entities = newer
            try open()
            isUpdated = true
        } catch {
            entities = older
            try open()
            throw error
        }
    }

    /// Ends the app.
    func close() {
        store?.close()
        (store, engine) = (nil, nil)
    }

    /// The store's device id; nil before the first start.
    var id: DeviceID? { try? read { try $0.value(name: "device") }.flatMap { DeviceID($0) } }

    func sync(rejoins: Bool = false) async throws -> SyncReport {
        guard let engine else { throw SyncError.damagedStore(detail: "it is closed") }
        return try await engine.sync(SyncOptions(rejoins: rejoins))
    }

    func write<Result>(body: (WriteSession) throws -> Result) throws -> Result {
        guard let store else { throw SyncError.damagedStore(detail: "it is closed") }
        return try LocalWriter(store: store, clock: clock, random: random, deciding: deciding).write(body)
    }

    /// An entity as its records merge at present.
    private var deciding: @Sendable (EntityDescriptor) -> EntityDescriptor {
        { [unowned self] entity in
            guard let prefersRecent, let choice = choices[entity.name] ?? entity.choices else {
                return entity
            }
            choices[entity.name] = choice
            return prefersRecent(entity) ?? (entity.strategy == .lastWriteWins)
                ? choice.recent : choice.asking
        }
    }

    private func read<Result>(body: (any StoreSnapshot) throws -> Result) throws -> Result {
        guard let store else { throw SyncError.damagedStore(detail: "it is closed") }
        return try store.read(body)
    }

    func descriptor(name: String) -> EntityDescriptor? { entities.first { $0.name == name } }

    // MARK: What a person sees

    /// A record as shown.
    struct Shown {
        var record: Record
        var state: SyncState
    }

    /// The live records.
    func shown() throws -> [RecordID: Shown] {
        var rows: [RecordID: Shown] = [:]
        try read { snapshot in
            for entity in entities {
                let fit = isUpdated ? RecordFit(entity) : nil
                try snapshot.scan(entity: entity, includeHidden: false) { local in
                    // A list of an app fails for a row that is not set aside and cannot be read.
                    guard local.visibility == .live, fit?.fits(local.version.record) ?? true else { return }
                    let place = RecordID(entity: entity.name, key: local.version.key)
                    rows[place] = Shown(record: local.version.record, state: local.state)
                }
            }
        }
        return rows
    }

    /// The version of a record that was read now.
    func version(of record: Record, entity: EntityDescriptor) throws -> RecordVersion {
        try read { RecordVersion(store: $0.storeID, record: record, entity: entity) }
    }

    /// A conflict as shown: the base and both sides; nil for a deleted side.
    struct Conflict {
        var place: RecordID
        var base: Record?
        var local: Record?
        var remote: Record?
        /// The edit timestamp that the app returns with the decision, so that it answers the shown version.
        var shown: EditTimestamp?
    }

    func conflicts() throws -> [Conflict] {
        try read { snapshot in
            try entities.flatMap { entity in
                try snapshot.keys(entity: entity, in: .conflict, after: nil, limit: .max).map { key in
                    func record(version: SyncRecord?) -> Record? {
                        version.flatMap { $0.isDeleted ? nil : $0.record }
                    }
                    let remote = try snapshot.side(entity: entity, key: key, kind: .remote)
                    return Conflict(
                        place: RecordID(entity: entity.name, key: key),
                        base: record(version: try snapshot.side(entity: entity, key: key, kind: .base)),
                        local: record(version: try snapshot.load(entity: entity, key: key)?.version),
                        remote: record(version: remote),
                        shown: remote?.metadata.editTimestamp
                    )
                }
            }
        }
    }

    /// The journal entries.
    func journal() throws -> [JournalEntry] { try read { try $0.journal() } }

    /// The rejected records.
    func rejections() throws -> [Rejection] { try read { try $0.standingRejections() } }

    /// The rejected records with their local versions.
    func rejected() throws -> [RecordID: Record?] {
        var rejected: [RecordID: Record?] = [:]
        for rejection in try rejections() {
            guard let entity = descriptor(name: rejection.entity) else { continue }
            let place = RecordID(entity: entity.name, key: rejection.key)
            rejected[place] = .some(
                try read { try $0.load(entity: entity, key: rejection.key)?.version.record }
            )
        }
        return rejected
    }

    /// The pending records.
    func pending() throws -> [RecordID: Record] {
        var pending: [RecordID: Record] = [:]
        for entity in entities {
            try read { snapshot in
                for key in try snapshot.keys(entity: entity, in: .pending, after: nil, limit: .max) {
                    guard let record = try snapshot.load(entity: entity, key: key)?.version.record else {
                        continue
                    }
                    pending[RecordID(entity: entity.name, key: key)] = record
                }
            }
        }
        return pending
    }

    /// The sync status.
    func status() throws -> SyncStatus { try read { try SyncStatus(snapshot: $0, entities: entities) } }

    /// The survivor of a merged record; nil if the key was not merged.
    func survivor(place: RecordID) throws -> RecordKey? {
        guard let entity = descriptor(name: place.entity) else { return nil }
        let survivor = try read { try $0.survivor(entity: entity, key: place.key) }
        return survivor == place.key ? nil : survivor
    }

    /// All words that a person can find on this device: in records, conflicts, rejected records, the journal,
    /// and remote versions.
    func found(oracle: PersonOracle) throws -> Set<String> {
        var found: Set<String> = []
        try read { snapshot in
            for entity in entities {
                var conflicting: [RecordKey] = []
                let fit = isUpdated ? RecordFit(entity) : nil
                try snapshot.scan(entity: entity, includeHidden: true) { local in
                    let isRead = fit?.fits(local.version.record) ?? true
                    let isShown = local.visibility == .live && isRead || local.state == .rejected
                    if isShown { found.formUnion(oracle.words(in: local.version.record)) }
                    // What a remote keeps beside the shown version is in the record's explanation.
                    if local.state == .conflict || local.hasHeads { conflicting.append(local.version.key) }
                }
                for key in conflicting {
                    let versions =
                        [try snapshot.side(entity: entity, key: key, kind: .remote)].compactMap { $0 }
                        + (try snapshot.heads(entity: entity, key: key))
                    for version in versions where !version.isDeleted {
                        found.formUnion(oracle.words(in: version.record))
                    }
                }
            }
            for entry in try snapshot.journal() { found.formUnion(oracle.words(in: entry.lost.record)) }
            for rejection in try snapshot.rejections() {
                let text = String(decoding: rejection.raw ?? [], as: UTF8.self)
                found.formUnion(oracle.words(inJSON: text))
            }
            for rejection in try snapshot.setAsideRecords() {
                guard let entity = descriptor(name: rejection.entity),
                    let local = try snapshot.load(entity: entity, key: rejection.key)
                else { continue }
                found.formUnion(oracle.words(in: local.version.record))
            }
        }
        return found
    }

    // MARK: Backup and restore

    /// Backs up the store and the copy of the folder.
    func backUp() {
        backUps.append(
            BackUp(
                store: disk.snapshot(of: Self.storeFolder),
                folder: disk.snapshot(of: OutsideWorld.folder),
                travelled: travelled
            )
        )
    }

    /// Restores a backup of the store, with or without the copy of the folder.
    func putBack(_ backUp: BackUp, withFolder: Bool) throws {
        wasPutBack = true
        close()
        forms = []
        disk.restore(backUp.store)
        if withFolder {
            disk.restore(backUp.folder)
            travelled = backUp.travelled
        }
        try open()
    }

    /// Deletes the store and starts with a new one, of a newer version of the app if there is one.
    func reinstall(keepsFolder: Bool, newer: [EntityDescriptor]? = nil) throws {
        close()
        forms = []
        if let newer { (entities, isUpdated) = (newer, true) }
        disk.restore(SimulatedDisk(seed: 0).snapshot(of: Self.storeFolder), to: Self.storeFolder)
        if !keepsFolder {
            disk.restore(SimulatedDisk(seed: 0).snapshot(of: OutsideWorld.folder), to: OutsideWorld.folder)
            travelled = [:]
        }
        try open()
    }

    /// A named value of the store.
    func value(name: String) throws -> String? { try read { try $0.value(name: name) } }

    /// Changes the store directly, as a defect would.
    func damage(body: (any StoreTransaction) throws -> Void) throws {
        guard let store else { throw SyncError.damagedStore(detail: "it is closed") }
        try store.write(.full, body: body)
    }

    /// Starts the app again after a crash of the machine.
    func restart(keeping survival: Survival) throws {
        close()
        disk.restart(keeping: survival)
        try open()
    }
}
