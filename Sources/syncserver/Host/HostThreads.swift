#if Server
    import NIOPosix
    import SyncServer

    /// The threads beside the event loops, for what reads and writes files.
    struct HostThreads: BlockingThreads {
        let pool: NIOThreadPool

        /// Runs work on one of the threads. Throws `CancellationError` where they were ended.
        func run<Result: Sendable>(
            _ work: @escaping @Sendable () throws -> Result
        ) async throws -> Result {
            try await pool.runIfActive { try work() }
        }
    }
#endif
