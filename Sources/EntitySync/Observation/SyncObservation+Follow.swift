package import SyncCore

extension SyncObservation {
    /// Shows values until the task is cancelled or the space is closed. After a failure that may pass, such as of a store
    /// that is locked, it reads again after a while.
    package func follow(
        sleeper: any SyncSleeper,
        isolation: isolated (any Actor)? = #isolation,
        show: (Value) -> Void,
        fail: (SyncError) -> Void
    ) async {
        while true {
            do {
                for try await value in self {
                    // What was read before a cancel may arrive after it.
                    if Task.isCancelled { return }
                    show(value)
                }
                return
            } catch {
                if Task.isCancelled { return }
                let error = SyncError(shown: error)
                fail(error)
                let isTriedAgain = error.retry == .later
                guard isTriedAgain, (try? await sleeper.sleep(seconds: followRetrySeconds)) != nil else {
                    return
                }
            }
        }
    }
}

/// How long an observation waits before it reads again what could not be read.
private let followRetrySeconds = 3.0
