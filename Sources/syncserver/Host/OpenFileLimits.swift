import SyncCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The number of connections and account files that fit the system's limit of open files.
///
/// NB: running out of file descriptors does more than refuse connections: libdispatch ends the process, and a
/// listening socket that cannot accept is reported as ready again and again.
struct OpenFileLimits: Sendable, Hashable {
    /// The system's limit.
    var system: Int
    /// The most connections.
    var connections: Int
    /// The most account files.
    var accountFiles: Int
    /// Whether a number is lower than requested.
    var isLowered: Bool

    /// Descriptors for event loops, timers, threads, streams, locks, the accounts database and libraries.
    static let reserved = 64
    /// The database, its WAL file and the WAL index.
    static let perAccountFile = 3
    /// With fewer connections than this the server refuses to start.
    static let fewestConnections = 8

    /// Raises the system's limit as far as possible and divides it. Account files are reduced first, down to
    /// a quarter of the total. Throws `SyncError` if too little is left.
    static func fit(connections: Int, accountFiles: Int) throws -> OpenFileLimits {
        let wanted = connections + accountFiles * perAccountFile + reserved
        return try divide(raise(to: wanted), connections: connections, accountFiles: accountFiles)
    }

    /// Divides a limit between connections and account files.
    static func divide(_ system: Int, connections: Int, accountFiles: Int) throws -> OpenFileLimits {
        let available = system - reserved
        guard available >= fewestConnections + perAccountFile else {
            throw SyncError.tooFewOpenFiles(
                found: system,
                needed: reserved + fewestConnections + perAccountFile
            )
        }
        let fewestFiles = min(accountFiles, max(1, available / (4 * perAccountFile)))
        let fitting = min(connections, available - fewestFiles * perAccountFile)
        let files = min(accountFiles, (available - fitting) / perAccountFile)
        return OpenFileLimits(
            system: system,
            connections: fitting,
            accountFiles: files,
            isLowered: fitting < connections || files < accountFiles
        )
    }

    /// A sentence for the log.
    var sentence: String {
        "At most \(connections) connections and \(accountFiles) account files are open at once"
            + (isLowered ? ", as the system allows \(system) open files." : ".")
    }

    /// Raises the soft limit of open files and returns the effective one.
    private static func raise(to count: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(openFiles, &limit) == 0 else { return 256 }
        if limit.rlim_cur < rlim_t(count) {
            var raised = limit
            raised.rlim_cur = min(limit.rlim_max, rlim_t(count))
            if setrlimit(openFiles, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    #if canImport(Glibc)
        private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let openFiles = RLIMIT_NOFILE
    #endif
}
