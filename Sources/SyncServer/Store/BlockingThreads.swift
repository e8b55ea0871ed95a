/// Where work runs that may wait for a disk or a lock, so that it holds up no other.
public protocol BlockingThreads: Sendable {
    /// Runs work, and returns what it returns. Throws what it throws, or why it cannot be run.
    func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result
}

/// Work runs where it is asked for: for commands, tests and simulations, which wait for nothing else.
public struct CallingThread: BlockingThreads {
    /// Work runs where it is asked for.
    public init() {}

    /// Runs work at once.
    public func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try work()
    }
}
