// iOS and its relatives only. Not compiled, and so not run, on Linux.
#if canImport(BackgroundTasks) && canImport(UIKit) && !os(watchOS)
    import BackgroundTasks
    import Foundation

    extension AppBackgroundTime {
        /// Lets the system wake the app for a sync. To be called before the app has launched; `identifier` is listed in the
        /// app's `BGTaskSchedulerPermittedIdentifiers`. Apple platforms only; not run on Linux.
        public func registerRefresh(identifier: String, everySeconds: Double = 3600) {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: .main) { task in
                nonisolated(unsafe) let task = task
                MainActor.assumeIsolated {
                    Self.submit(identifier, seconds: everySeconds)
                    task.expirationHandler = { Task { @MainActor in self.expired() } }
                    // The system tells no end; apps are given about half a minute.
                    self.began(seconds: 25) { task.setTaskCompleted(success: $0) }
                }
            }
            Self.submit(identifier, seconds: everySeconds)
        }

        private static func submit(_ identifier: String, seconds: Double) {
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = Date(timeIntervalSinceNow: seconds)
            // Refused where the person switched background refresh off; the app then syncs when it is opened.
            try? BGTaskScheduler.shared.submit(request)
        }
    }
#endif
