/// Runs blocking work, such as file access, away from the cooperative threads.
public protocol BlockingThreads: Sendable {
    /// Runs work and returns its result. Throws the error of the work, or an error if it cannot be run.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result
}

/// Runs work on the calling thread: for commands, tests and simulations, where nothing else waits.
public struct CallingThread: BlockingThreads {
    /// Makes the executor.
    public init() {}

    /// Runs work at once.
    public func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try work()
    }
}
