#if Server
    import NIOPosix
    import SyncServer

    /// The threads for file access, separate from the event loops.
    struct HostThreads: BlockingThreads {
        let pool: NIOThreadPool

        /// Runs work on one of the threads. Throws `CancellationError` after shutdown.
        func run<Result: Sendable>(
            _ work: @escaping @Sendable () throws -> Result
        ) async throws -> Result {
            try await pool.runIfActive { try work() }
        }
    }
#endif
