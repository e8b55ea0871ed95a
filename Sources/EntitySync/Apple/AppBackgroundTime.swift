// iOS and related systems only: neither compiled nor tested on Linux.
#if canImport(UIKit) && !os(watchOS)
    public import SyncCore
    import UIKit

    /// The time that iOS grants to an app that leaves the foreground. Apple platforms only; not tested on Linux,
    /// where this package's tests run.
    @MainActor
    public final class AppBackgroundTime: BackgroundTime {
        private nonisolated let grants = BackgroundGrants()
        private var grant = UIBackgroundTaskIdentifier.invalid

        /// Makes the value without asking the system for anything.
        public init() {}

        /// Grants as they begin and expire. A grant that began before anybody listened, as at a launch in the
        /// background, is delivered too. One reader at a time: the newest.
        public nonisolated func events() -> AsyncStream<BackgroundTimeEvent> { grants.events() }

        /// Asks the system for time to finish.
        public nonisolated func request() { Task { @MainActor in begin() } }

        /// Ends the grant, and the refresh.
        public nonisolated func release() { release(success: true) }

        /// Ends the grant and the refresh. `success` tells the system whether the refresh did its work.
        public nonisolated func release(success: Bool) {
            grants.finish(success: success)
            Task { @MainActor in end() }
        }

        /// Passes on time that the system granted another way, such as a refresh task. `done` is called at its end.
        func began(seconds: Double, done: @escaping @Sendable (Bool) -> Void) {
            grants.began(seconds: seconds, done: done)
        }

        /// Reports that the system takes the time back.
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
