import Foundation
import SyncCore

/// Passes grants of background time from the system to the space in use.
///
/// The system may start an app in the background only to grant it time, before any space is open. Such a grant waits
/// for the first reader, which gets the remaining time.
final class BackgroundGrants: @unchecked Sendable {
    private let now: @Sendable () -> ContinuousClock.Instant
    private let lock = NSLock()
    // Guarded by `lock`.
    private var reader: (id: Int, feed: AsyncStream<BackgroundTimeEvent>.Continuation)?
    private var lastID = 0
    private var waiting: (seconds: Double, since: ContinuousClock.Instant)?
    /// Waits for a grant. Called with whether the work in it was done.
    private var done: (@Sendable (Bool) -> Void)?

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }) {
        self.now = now
    }

    /// Grants as they begin and expire, and a waiting one. One reader at a time: the newest.
    func events() -> AsyncStream<BackgroundTimeEvent> {
        let (stream, feed) = AsyncStream.makeStream(of: BackgroundTimeEvent.self)
        let id = lock.withLock {
            lastID += 1
            reader = (lastID, feed)
            if let waiting {
                let passed = (now() - waiting.since) / .seconds(1)
                feed.yield(.began(seconds: max(0, waiting.seconds - passed)))
            }
            waiting = nil
            return lastID
        }
        feed.onTermination = { [weak self] _ in self?.leave(id) }
        return stream
    }

    /// Begins a grant. `done` is called once, when the grant is given back.
    func began(seconds: Double, done: (@Sendable (Bool) -> Void)? = nil) {
        let before = lock.withLock { () -> (@Sendable (Bool) -> Void)? in
            if let reader {
                reader.feed.yield(.began(seconds: seconds))
            } else {
                waiting = (seconds, now())
            }
            guard let done else { return nil }
            defer { self.done = done }
            return self.done
        }
        before?(false)
    }

    /// The system takes the time back. If nobody uses it, it is given back at once.
    func expired() {
        let isUsed = lock.withLock {
            waiting = nil
            reader?.feed.yield(.expired)
            return reader != nil
        }
        if !isUsed { finish(success: false) }
    }

    /// Gives the time back.
    func finish(success: Bool) {
        let done = lock.withLock {
            defer { self.done = nil }
            return self.done
        }
        done?(success)
    }

    private func leave(_ id: Int) {
        lock.withLock { if reader?.id == id { reader = nil } }
    }
}
