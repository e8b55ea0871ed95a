public import Observation
public import SyncCore
public import SyncRuntime

/// The status of a space for SwiftUI views, which update with its properties.
///
/// The article on SwiftUI shows it in use.
@Observable
@MainActor
public final class SyncStatusModel {
    /// The latest status; nil before the first.
    public private(set) var status: SyncStatus?
    /// The status in words, such as `Syncing…`; nil if there is nothing to say. Messages about past events disappear
    /// after a while: `Synced`, or a failure that is retried.
    public private(set) var text: String?
    /// Why the status could not be read; nil while all is well. What may pass is tried again after a while.
    public private(set) var error: SyncError?

    private let texts: SyncStatusTexts
    private let clearsAfterSeconds: Double?
    private let sleeper: any SyncSleeper
    /// The message behind `text`.
    private var message: SyncStatusMessage?
    /// Transient messages that were shown long enough.
    private var gone: Set<SyncStatusMessage> = []
    /// Rises with each message, so that an outdated timer has no effect.
    private var count = 0

    /// Makes a model without a status.
    ///
    /// - Parameters:
    ///   - texts: The words of `text`.
    ///   - clearsAfterSeconds: How long a transient message stays; nil to keep it until another one replaces it.
    ///   - sleeper: Waits that long, and before a read that failed is tried again.
    public init(
        texts: SyncStatusTexts = SyncStatusTexts(),
        clearsAfterSeconds: Double? = 3,
        sleeper: any SyncSleeper = SystemSleeper()
    ) {
        self.texts = texts
        self.clearsAfterSeconds = clearsAfterSeconds
        self.sleeper = sleeper
    }

    /// Observes a space until the task is cancelled or the space is closed.
    public func follow(_ space: SyncSpace) async {
        error = nil
        await withDiscardingTaskGroup { timers in
            await space.statuses().follow(
                sleeper: sleeper,
                show: { status in
                    self.status = status
                    error = nil
                    if let count = show() { timers.addTask { await self.clear(count) } }
                },
                fail: { error = $0 }
            )
            timers.cancelAll()
        }
        gone = []
        show(nil)
    }

    /// Shows the message of the status. Returns the message's number if it is new and transient.
    private func show() -> Int? {
        guard let status else { return nil }
        // A message that no longer applies may be shown again later, as a new one.
        gone = gone.filter { $0.isStill(status) }
        let next = SyncStatusMessage(status: status, gone: gone)
        guard next != message else { return nil }
        show(next)
        return next?.isPassing == true && clearsAfterSeconds != nil ? count : nil
    }

    private func show(_ next: SyncStatusMessage?) {
        count += 1
        message = next
        text = next.map { texts.text(message: $0) }
    }

    /// Removes a transient message after its time, if it is still shown.
    private func clear(_ number: Int) async {
        guard let seconds = clearsAfterSeconds, (try? await sleeper.sleep(seconds: seconds)) != nil,
            number == count, let message
        else { return }
        gone.insert(message)
        _ = show()
    }
}

extension SyncStatusMessage {
    /// Whether a transient message still applies to the status, so that it stays removed.
    fileprivate func isStill(_ status: SyncStatus) -> Bool {
        switch self {
        case .failed(let failure): status.lastFailure == failure
        case .synced(let time): status.lastSuccess == time
        case .syncing, .offline, .paused, .waiting: false
        }
    }
}
