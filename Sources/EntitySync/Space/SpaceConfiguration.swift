public import SyncCore
public import SyncSchedule

/// The configuration of a space.
public struct SpaceConfiguration: Sendable {
    /// The folder of the store. It is made if it does not exist; its parent must exist.
    public var folder: String
    /// The types whose records the space keeps.
    public var entities: [any SyncEntity.Type]
    /// The remote; nil for a space that stays on this device.
    public var remote: (any RemoteBackend)?
    /// The types that `run()` syncs first when the app starts. If empty, all types.
    public var essential: [any SyncEntity.Type] = []
    /// Whether each write is on disk when its call returns. If not, writes are faster, and a power failure or a crash of the
    /// system may take the last ones, as if they had never been; a crash of the app takes none. Nothing is sent to the remote
    /// that is not on disk.
    public var flushesWrites = true
    /// How many live records of a type a person may have at present, such as by their subscription; nil for what the
    /// schema's `limit` says. Asked at each new record, inside its write: answer at once, and do not use the space.
    ///
    /// Only new records of a person are refused. What is there, is adopted or comes from other devices stays and syncs,
    /// however much it is.
    public var limit: (@Sendable (any SyncEntity.Type) -> Int?)?
    /// What a person chose for records that were edited here and elsewhere: true if the most recent edit wins, as under
    /// `last-write-wins`; false if this device's edit is kept and the record marked in conflict, as under
    /// `preserve-local`; nil for what the schema's strategy says. Asked for each type at the start of a sync, and at
    /// each write: answer at once, and do not use the space.
    ///
    /// Devices may differ: it decides about this device's edits alone, and nothing of it is stored or sent. A record that
    /// is in conflict already stays so until a person decides, as long as the app gives this closure. A type with `set-union`, and fields with a `merge` rule of
    /// their own, keep theirs.
    public var prefersRecent: (@Sendable (any SyncEntity.Type) -> Bool?)?
    /// The types that a person does not want to sync on this device at present. Asked when a sync begins that names no
    /// entities, at each event of the schedule, and for each `status()`: answer at once, and do not use the space.
    ///
    /// What is written meanwhile stays pending, and is sent once its type is included again. A type to which an included
    /// one refers is synced with it, because no child is shown without its parent.
    public var excludes: (@Sendable (any SyncEntity.Type) -> Bool)?
    /// When `run()` syncs by itself.
    public var schedule = SchedulePolicy()
    /// Receives events while the space syncs, for the app's log; see `SyncEvent`. Called on any thread. It must
    /// return soon: the sync waits for it.
    public var log: (@Sendable (SyncEvent) -> Void)?
    /// A name of this device for people. Never compared.
    public var deviceLabel: String
    /// Time, randomness and system services.
    public var environment: SpaceEnvironment

    /// Describes a space.
    public init(
        folder: String,
        entities: [any SyncEntity.Type],
        remote: (any RemoteBackend)? = nil,
        deviceLabel: String = "",
        environment: SpaceEnvironment = SpaceEnvironment()
    ) {
        self.folder = folder
        self.entities = entities
        self.remote = remote
        self.deviceLabel = deviceLabel
        self.environment = environment
    }
}

extension SpaceConfiguration {
    /// The app's limit of an entity's records, by its descriptor.
    var limitOfEntity: @Sendable (EntityDescriptor) -> Int? {
        guard let limit else { return { _ in nil } }
        let types = entities
        return { entity in
            types.first { $0.adapter.descriptor.name == entity.name }.flatMap { limit($0) }
        }
    }

    /// An entity as its records merge at present, by what the person chose.
    var deciding: @Sendable (EntityDescriptor) -> EntityDescriptor {
        guard let prefersRecent else { return { $0 } }
        let choices = StrategyChoices(of: entities)
        return { choices.deciding($0, isRecent: prefersRecent) }
    }

    /// The names of the entities that the person excludes at present.
    var excludedNames: @Sendable () -> Set<String> {
        guard let excludes else { return { [] } }
        let types = entities
        return { Set(types.filter { excludes($0) }.map { $0.adapter.descriptor.name }) }
    }
}
