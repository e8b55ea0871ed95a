public import SyncCore

/// Dependencies of a space. The system's by default; a test supplies its own.
public struct SpaceEnvironment: Sendable {
    /// The wall clock.
    public var clock: any SyncClock
    /// Random bits.
    public var random: any RandomSource
    /// Waiting. It should be independent of changes to the wall clock.
    public var sleeper: any SyncSleeper
    /// The network; on Apple platforms, give a `PathConnectivity`.
    public var connectivity: any ConnectivityMonitor
    /// Time in the background; on iOS, give an `AppBackgroundTime`.
    public var background: any BackgroundTime

    /// Makes an environment.
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
