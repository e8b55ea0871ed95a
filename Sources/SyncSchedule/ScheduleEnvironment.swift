public import SyncCore
public import SyncRuntime

/// Dependencies of a scheduler.
public struct ScheduleEnvironment: Sendable {
    /// The wall clock.
    public var clock: any SyncClock
    /// Waiting. It should be independent of changes to the wall clock.
    public var sleeper: any SyncSleeper
    /// Random bits.
    public var random: any RandomSource
    /// The network.
    public var connectivity: any ConnectivityMonitor
    /// Time in the background.
    public var background: any BackgroundTime

    /// Makes an environment.
    public init(
        clock: any SyncClock,
        sleeper: any SyncSleeper,
        random: any RandomSource,
        connectivity: any ConnectivityMonitor = AlwaysOnline(),
        background: any BackgroundTime = NoBackgroundTime()
    ) {
        self.clock = clock
        self.sleeper = sleeper
        self.random = random
        self.connectivity = connectivity
        self.background = background
    }

    /// Waits in slices, because timers have a maximum duration.
    func wait(_ seconds: Double) async throws {
        var left = max(seconds, 0)
        while left > 0 {
            let slice = min(left, 3600)
            try await sleeper.sleep(seconds: slice)
            left -= slice
        }
    }
}
