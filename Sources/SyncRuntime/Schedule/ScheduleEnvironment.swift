public import SyncCore

/// What a scheduler needs from outside.
public struct ScheduleEnvironment: Sendable {
    /// The wall clock.
    public var clock: any SyncClock
    /// Waiting. It should go on by itself where the wall clock is set.
    public var sleeper: any SyncSleeper
    /// Random bits.
    public var random: any RandomSource
    /// The network.
    public var connectivity: any ConnectivityMonitor
    /// Time in the background.
    public var background: any BackgroundTime

    /// Gathers what a scheduler needs.
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

    /// Waits in slices, as timers take no wait of any length.
    func wait(_ seconds: Double) async throws {
        var left = max(seconds, 0)
        while left > 0 {
            let slice = min(left, 3600)
            try await sleeper.sleep(seconds: slice)
            left -= slice
        }
    }
}
