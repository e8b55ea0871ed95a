import Foundation

/// What a stream has to say next, from the changes of its topic and from its heartbeat. It holds one change, the latest, and
/// one heartbeat, however slow the client reads.
final class StreamNews: @unchecked Sendable {
    /// What happens on a stream.
    enum Event: Sendable, Hashable {
        case change(UInt64)
        case heartbeat
        case end
    }

    private let lock = NSLock()
    // Guarded by `lock`.
    private var change: UInt64?
    private var isBeating = false
    private var hasEnded = false
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    init() { (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Takes the changes until they end or the task is cancelled.
    func follow(_ changes: AsyncStream<UInt64>) async {
        for await number in changes { put { change = number } }
        put { hasEnded = true }
    }

    /// Says that it is time for a heartbeat.
    func beat() { put { isBeating = true } }

    /// The next event: a change before a heartbeat, the end last. Nil once the task is cancelled.
    func next() async -> Event? {
        while !Task.isCancelled {
            if let event = take() { return event }
            for await _ in wakes { break }
        }
        return nil
    }

    private func put(_ write: () -> Void) {
        lock.withLock { write() }
        waker.yield()
    }

    private func take() -> Event? {
        lock.withLock {
            if let number = change {
                change = nil
                return .change(number)
            }
            if hasEnded { return .end }
            guard isBeating else { return nil }
            isBeating = false
            return .heartbeat
        }
    }
}
