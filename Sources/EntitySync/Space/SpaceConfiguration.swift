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
}
