// iOS and its relatives only. Not compiled, and so not run, on Linux.
#if canImport(UIKit) && !os(watchOS)
    public import SyncCore
    import UIKit

    /// The time that iOS grants to an app that leaves the foreground. Apple platforms only; not run on Linux, where the
    /// tests of this package run.
    @MainActor
    public final class AppBackgroundTime: BackgroundTime {
        private nonisolated let grants = BackgroundGrants()
        private var grant = UIBackgroundTaskIdentifier.invalid

        /// Asks nothing yet.
        public init() {}

        /// Grants as they begin and expire, and one that began before anybody listened, as at a launch in the background.
        /// For one reader at a time, the newest: the space in use.
        public nonisolated func events() -> AsyncStream<BackgroundTimeEvent> { grants.events() }

        /// Asks for the time to finish.
        public nonisolated func request() { Task { @MainActor in begin() } }

        /// Ends the grant, and the refresh.
        public nonisolated func release() { release(success: true) }

        /// Ends the grant, and the refresh; the system is told whether the refresh did what it was to do.
        public nonisolated func release(success: Bool) {
            grants.finish(success: success)
            Task { @MainActor in end() }
        }

        /// Passes on time that the system granted otherwise, such as a refresh task; `done` is called when it is over.
        func began(seconds: Double, done: @escaping @Sendable (Bool) -> Void) {
            grants.began(seconds: seconds, done: done)
        }

        /// Tells that the system takes the time back.
        func expired() { grants.expired() }

        private func begin() {
            guard grant == .invalid else { return }
            grant = UIApplication.shared.beginBackgroundTask(withName: "sync") { [weak self] in
                MainActor.assumeIsolated {
                    self?.expired()
                    self?.end()
                }
            }
            guard grant != .invalid else { return }
            grants.began(seconds: min(UIApplication.shared.backgroundTimeRemaining, 30))
        }

        private func end() {
            guard grant != .invalid else { return }
            UIApplication.shared.endBackgroundTask(grant)
            grant = .invalid
        }
    }
#endif
