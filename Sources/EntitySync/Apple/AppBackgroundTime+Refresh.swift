// iOS and related systems only: neither compiled nor tested on Linux.
#if canImport(BackgroundTasks) && !os(macOS)
    import BackgroundTasks
    import Foundation

    extension AppBackgroundTime {
        /// Lets the system wake the app for a sync. Call it before the app has finished launching. List `identifier`
        /// in the app's `BGTaskSchedulerPermittedIdentifiers`. Apple platforms only; not tested on Linux. Only an app may
        /// register, not an extension of it.
        @available(iOSApplicationExtension, unavailable)
        @available(tvOSApplicationExtension, unavailable)
        @available(visionOSApplicationExtension, unavailable)
        public func registerRefresh(identifier: String, everySeconds: Double = 3600) {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: .main) { task in
                nonisolated(unsafe) let task = task
                MainActor.assumeIsolated {
                    Self.submit(identifier, seconds: everySeconds)
                    task.expirationHandler = { Task { @MainActor in self.expired() } }
                    // The system does not say when the time ends. Apps get about 30 seconds.
                    self.began(seconds: 25) { task.setTaskCompleted(success: $0) }
                }
            }
            Self.submit(identifier, seconds: everySeconds)
        }

        private static func submit(_ identifier: String, seconds: Double) {
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = Date(timeIntervalSinceNow: seconds)
            // Fails if the person has disabled background refresh. The app then syncs when it is opened.
            try? BGTaskScheduler.shared.submit(request)
        }
    }
#endif
