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
        let (feed, before) = lock.withLock {
            if reader == nil { waiting = (seconds, now()) }
            let before = done == nil ? nil : self.done
            if let done { self.done = done }
            return (reader?.feed, before)
        }
        // NB: outside of the lock. It wakes the reader, which may be ending, and that takes the lock.
        feed?.yield(.began(seconds: seconds))
        before?(false)
    }

    /// The system takes the time back. If nobody uses it, it is given back at once.
    func expired() {
        let feed = lock.withLock {
            waiting = nil
            return reader?.feed
        }
        if let feed { feed.yield(.expired) } else { finish(success: false) }
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
