public import SyncCore
public import SyncRuntime

/// What the accounts of a device are made of.
public struct AccountsConfiguration: Sendable {
    /// The folder that holds a folder per account. It is made when it does not exist; its parent must.
    public var folder: String
    /// The types whose records each account keeps.
    public var entities: [any SyncEntity.Type]
    /// Makes the remote of an account, with the account's own credentials, when it is needed first. Never asked for the
    /// guest's. What it throws is what a sync throws.
    public var remote: @Sendable (AccountID) throws -> any RemoteBackend
    /// The types that `run()` syncs before all others when the app starts; all where none is named.
    public var essential: [any SyncEntity.Type] = []
    /// When `run()` syncs by itself.
    public var schedule = SchedulePolicy()
    /// Takes what happens while an account syncs, for the app's log; see `SpaceConfiguration.log`.
    public var log: (@Sendable (SyncEvent) -> Void)?
    /// A name of this device for people. Never compared.
    public var deviceLabel: String
    /// Time, randomness, and what the system tells.
    public var environment: SpaceEnvironment
    private(set) var ownerFields: [String: String] = [:]

    /// Describes the accounts of a device.
    public init(
        folder: String,
        entities: [any SyncEntity.Type],
        deviceLabel: String = "",
        environment: SpaceEnvironment = SpaceEnvironment(),
        remote: @escaping @Sendable (AccountID) throws -> any RemoteBackend
    ) {
        self.folder = folder
        self.entities = entities
        self.deviceLabel = deviceLabel
        self.environment = environment
        self.remote = remote
    }

    /// Names the field that says whose a record is. It is rewritten when an account adopts the guest's records.
    public mutating func setOwner<Entity: SyncEntity, Value>(_ field: Field<Entity, Value>) {
        ownerFields[Entity.adapter.descriptor.name] = field.name
    }

    /// What a space of one of the accounts is made of; its store and remote are the session's.
    var space: SpaceConfiguration {
        var space = SpaceConfiguration(
            folder: folder,
            entities: entities,
            deviceLabel: deviceLabel,
            environment: environment
        )
        space.essential = essential
        space.schedule = schedule
        space.log = log
        return space
    }
}
