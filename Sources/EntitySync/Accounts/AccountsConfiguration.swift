public import SyncAccounts
public import SyncCore
public import SyncSchedule

/// The configuration of the accounts of a device.
public struct AccountsConfiguration: Sendable {
    /// The folder that contains one folder per account. It is made if it does not exist; its parent must exist.
    public var folder: String
    /// The types whose records each account keeps.
    public var entities: [any SyncEntity.Type]
    /// Makes the remote of an account, with that account's credentials, when it is first needed. Not called for the
    /// guest. A sync throws the error that this throws.
    public var remote: @Sendable (AccountID) throws -> any RemoteBackend
    /// The types that `run()` syncs first when the app starts. If empty, all types.
    public var essential: [any SyncEntity.Type] = []
    /// Whether each write is on disk when its call returns; see `SpaceConfiguration.flushesWrites`.
    public var flushesWrites = true
    /// How many live records of a type an account's person may have at present, the guest included; see
    /// `SpaceConfiguration.limit`.
    public var limit: (@Sendable (AccountID, any SyncEntity.Type) -> Int?)?
    /// What an account's person chose for records that were edited here and elsewhere; see
    /// `SpaceConfiguration.prefersRecent`. It also decides when the account adopts the guest's records.
    public var prefersRecent: (@Sendable (AccountID, any SyncEntity.Type) -> Bool?)?
    /// The types that an account's person does not want to sync on this device at present; see
    /// `SpaceConfiguration.excludes`.
    public var excludes: (@Sendable (AccountID, any SyncEntity.Type) -> Bool)?
    /// When `run()` syncs by itself.
    public var schedule = SchedulePolicy()
    /// Receives events while an account syncs, for the app's log; see `SpaceConfiguration.log`.
    public var log: (@Sendable (SyncEvent) -> Void)?
    /// A name of this device for people. Never compared.
    public var deviceLabel: String
    /// Time, randomness and system services.
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

    /// Names the field that says who owns a record. It is rewritten when an account adopts the guest's records.
    public mutating func setOwner<Entity: SyncEntity, Value>(_ field: Field<Entity, Value>) {
        ownerFields[Entity.adapter.descriptor.name] = field.schemaName
    }

    /// An entity as an account's records merge at present, by what its person chose.
    var deciding: @Sendable (AccountID, EntityDescriptor) -> EntityDescriptor {
        guard let prefersRecent else { return { $1 } }
        let choices = StrategyChoices(of: entities)
        return { account, entity in choices.deciding(entity) { prefersRecent(account, $0) } }
    }

    /// The configuration of an account's space. Its store and remote come from the session.
    func space(of account: AccountID) -> SpaceConfiguration {
        var space = SpaceConfiguration(
            folder: folder,
            entities: entities,
            deviceLabel: deviceLabel,
            environment: environment
        )
        space.essential = essential
        space.flushesWrites = flushesWrites
        if let limit { space.limit = { type in limit(account, type) } }
        if let prefersRecent { space.prefersRecent = { type in prefersRecent(account, type) } }
        if let excludes { space.excludes = { type in excludes(account, type) } }
        space.schedule = schedule
        space.log = log
        return space
    }
}
