// Apple platforms only: neither compiled nor tested on Linux.
#if canImport(Network)
    import Network
    public import SyncCore

    /// The network as the system's path monitor reports it. Apple platforms only; not tested on Linux, where this
    /// package's tests run.
    public final class PathConnectivity: ConnectivityMonitor {
        private let monitor = NWPathMonitor()

        /// Starts to monitor.
        public init() {
            monitor.start(queue: .global(qos: .utility))
        }

        deinit { monitor.cancel() }

        /// Whether the system sees a route; true until the first report.
        public var isOnline: Bool { monitor.currentPath.status != .unsatisfied }

        /// Each change of the path, as online or offline.
        public func changes() -> AsyncStream<Bool> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { feed in
                // A path monitor has one handler, so each reader has its own monitor.
                let monitor = NWPathMonitor()
                monitor.pathUpdateHandler = { feed.yield($0.status != .unsatisfied) }
                feed.onTermination = { _ in monitor.cancel() }
                monitor.start(queue: .global(qos: .utility))
            }
        }
    }
#endif
