public import Observation
public import SyncCore
public import SyncRuntime

/// The status of a space for views: they follow its properties by themselves.
///
/// ```swift
/// struct SyncBadge: View {
///     let space: SyncSpace
///     @State private var model = SyncStatusModel()
///     var body: some View {
///         Text(model.text ?? "").task { await model.follow(space) }
///     }
/// }
/// ```
@Observable
@MainActor
public final class SyncStatusModel {
    /// The last status; nil before the first.
    public private(set) var status: SyncStatus?
    /// The status in words, such as `Syncing…`; nil where there is nothing to say. What tells of something that has happened,
    /// `Synced` or a failure that is tried again by itself, goes after a while.
    public private(set) var text: String?
    /// Why the status is not followed any more; nil while all is well.
    public private(set) var problem: SyncError?

    private let texts: SyncStatusTexts
    private let clearsAfterSeconds: Double?
    private let sleeper: any SyncSleeper
    /// The message that `text` words.
    private var message: SyncStatusMessage?
    /// Passing messages that were shown for long enough.
    private var gone: Set<SyncStatusMessage> = []
    /// Rises with each message, so that a timer of an earlier one ends nothing.
    private var count = 0

    /// Knows nothing yet.
    ///
    /// - Parameters:
    ///   - texts: The words of `text`.
    ///   - clearsAfterSeconds: How long a passing message stays; nil for until another one replaces it.
    ///   - sleeper: Waits that long.
    public init(
        texts: SyncStatusTexts = SyncStatusTexts(),
        clearsAfterSeconds: Double? = 3,
        sleeper: any SyncSleeper = SystemSleeper()
    ) {
        self.texts = texts
        self.clearsAfterSeconds = clearsAfterSeconds
        self.sleeper = sleeper
    }

    /// Follows a space until the task is cancelled or the space is closed.
    public func follow(_ space: SyncSpace) async {
        problem = nil
        await withDiscardingTaskGroup { timers in
            do {
                for try await status in space.statuses() {
                    self.status = status
                    if let count = show() { timers.addTask { await self.clear(count) } }
                }
            } catch {
                problem = error as? SyncError
            }
            timers.cancelAll()
        }
        gone = []
        show(nil)
    }

    /// Shows what the status has to say. Returns the message's number when it is a new one that passes.
    private func show() -> Int? {
        guard let status else { return nil }
        // NB: what is not said any more may be said again, as a new message.
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

    /// Takes a passing message away once it has been shown for long enough, if it is still shown.
    private func clear(_ number: Int) async {
        guard let seconds = clearsAfterSeconds, (try? await sleeper.sleep(seconds: seconds)) != nil,
            number == count, let message
        else { return }
        gone.insert(message)
        _ = show()
    }
}

extension SyncStatusMessage {
    /// Whether a passing message is still what the status says, so that it stays gone.
    fileprivate func isStill(_ status: SyncStatus) -> Bool {
        switch self {
        case .failed(let failure): status.lastFailure == failure
        case .synced(let time): status.lastSuccess == time
        case .syncing, .offline, .waiting: false
        }
    }
}
