import Foundation

/// The next events of a stream: changes of its topic and heartbeats. It buffers only the latest change and
/// one heartbeat, however slowly the client reads.
final class StreamEventBuffer: @unchecked Sendable {
    /// An event on a stream.
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

    /// Reads the changes until they end or the task is cancelled.
    func follow(_ changes: AsyncStream<UInt64>) async {
        for await number in changes { put { change = number } }
        put { hasEnded = true }
    }

    /// Adds a heartbeat.
    func beat() { put { isBeating = true } }

    /// The next event: a change before a heartbeat, the end last. Nil if the task is cancelled.
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
