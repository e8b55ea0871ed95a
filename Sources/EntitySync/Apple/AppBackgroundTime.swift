// iOS and its relatives only. Not compiled, and so not run, on Linux.
#if canImport(UIKit) && !os(watchOS)
    public import SyncCore
    import UIKit

    /// The time that iOS grants to an app that leaves the foreground. Apple platforms only; not run on Linux, where the
    /// tests of this package run.
    @MainActor
    public final class AppBackgroundTime: BackgroundTime {
        private var feed: AsyncStream<BackgroundTimeEvent>.Continuation?
        private var grant = UIBackgroundTaskIdentifier.invalid
        /// Waits for a refresh that the system started, to be told when its work is done.
        private var refresh: (@Sendable () -> Void)?

        /// Asks nothing yet.
        public init() {}

        /// Grants as they begin and expire. For one reader at a time, the newest: the space in use.
        public nonisolated func events() -> AsyncStream<BackgroundTimeEvent> {
            let (stream, feed) = AsyncStream.makeStream(of: BackgroundTimeEvent.self)
            Task { @MainActor in self.feed = feed }
            return stream
        }

        /// Asks for the time to finish.
        public nonisolated func request() { Task { @MainActor in begin() } }

        /// Ends the grant, and the refresh.
        public nonisolated func release() { Task { @MainActor in end() } }

        /// Passes on time that the system granted otherwise, such as a refresh task; `done` is called when it is over.
        func began(seconds: Double, done: @escaping @Sendable () -> Void) {
            refresh = done
            feed?.yield(.began(seconds: seconds))
        }

        /// Tells that the system takes the time back.
        func expired() { feed?.yield(.expired) }

        private func begin() {
            guard grant == .invalid else { return }
            grant = UIApplication.shared.beginBackgroundTask(withName: "sync") { [weak self] in
                MainActor.assumeIsolated {
                    self?.expired()
                    self?.end()
                }
            }
            guard grant != .invalid else { return }
            feed?.yield(.began(seconds: min(UIApplication.shared.backgroundTimeRemaining, 30)))
        }

        private func end() {
            refresh?()
            refresh = nil
            guard grant != .invalid else { return }
            UIApplication.shared.endBackgroundTask(grant)
            grant = .invalid
        }
    }
#endif
