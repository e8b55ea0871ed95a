public import SyncCore
public import SyncRuntime

/// What a space is made of.
public struct SpaceConfiguration: Sendable {
    /// The folder of the store. It is made when it does not exist; its parent must.
    public var folder: String
    /// The types whose records the space keeps.
    public var entities: [any SyncEntity.Type]
    /// What to sync with; nil for a space that stays on this device.
    public var remote: (any RemoteBackend)?
    /// The types that `run()` syncs before all others when the app starts; all where none is named.
    public var essential: [any SyncEntity.Type] = []
    /// When `run()` syncs by itself.
    public var schedule = SchedulePolicy()
    /// Takes what happens while the space syncs, for the app's log; see `SyncEvent`. Called on any thread, and to return
    /// soon: the sync waits for it.
    public var log: (@Sendable (SyncEvent) -> Void)?
    /// A name of this device for people. Never compared.
    public var deviceLabel: String
    /// Time, randomness, and what the system tells.
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

/// What a space needs from outside; the system's, unless a test gives its own.
public struct SpaceEnvironment: Sendable {
    /// The wall clock.
    public var clock: any SyncClock
    /// Random bits.
    public var random: any RandomSource
    /// Waiting.
    public var sleeper: any SyncSleeper
    /// The network; on Apple platforms, give a `PathConnectivity`.
    public var connectivity: any ConnectivityMonitor
    /// Time in the background; on iOS, give an `AppBackgroundTime`.
    public var background: any BackgroundTime

    /// Gathers them.
    public init(
        clock: any SyncClock = SystemClock(),
        random: any RandomSource = SystemRandom(),
        sleeper: any SyncSleeper = SystemSleeper(),
        connectivity: any ConnectivityMonitor = AlwaysOnline(),
        background: any BackgroundTime = NoBackgroundTime()
    ) {
        self.clock = clock
        self.random = random
        self.sleeper = sleeper
        self.connectivity = connectivity
        self.background = background
    }
}
