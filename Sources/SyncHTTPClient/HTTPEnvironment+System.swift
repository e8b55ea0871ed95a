import SyncCore

extension HTTPEnvironment {
    /// The system's clock, randomness, timer and `URLSession`. All clients of the app share their circuit breakers.
    public static let system = HTTPEnvironment(
        clock: SystemClock(),
        random: SystemRandom(),
        sleeper: SystemSleeper()
    )
}
