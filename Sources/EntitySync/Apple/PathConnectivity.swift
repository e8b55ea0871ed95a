// Apple platforms only. Not compiled, and so not run, on Linux.
#if canImport(Network)
    import Network
    public import SyncCore

    /// The network as the system's path monitor sees it. Apple platforms only; not run on Linux, where the tests of this
    /// package run.
    public final class PathConnectivity: ConnectivityMonitor {
        private let monitor = NWPathMonitor()

        /// Begins to watch.
        public init() {
            monitor.start(queue: .global(qos: .utility))
        }

        deinit { monitor.cancel() }

        /// Whether the system sees a way out; true until it has looked.
        public var isOnline: Bool { monitor.currentPath.status != .unsatisfied }

        /// Each change of the path, as online or not.
        public func changes() -> AsyncStream<Bool> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { feed in
                // NB: a monitor has one handler, so each reader has a monitor of its own.
                let monitor = NWPathMonitor()
                monitor.pathUpdateHandler = { feed.yield($0.status != .unsatisfied) }
                feed.onTermination = { _ in monitor.cancel() }
                monitor.start(queue: .global(qos: .utility))
            }
        }
    }
#endif
