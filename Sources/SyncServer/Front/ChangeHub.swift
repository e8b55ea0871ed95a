import Foundation

/// Notifies open streams of changes to a topic. Changes that a stream has not read yet are merged into one
/// notification.
public final class ChangeHub: @unchecked Sendable {
    private struct Subscriber {
        var topic: String
        var account: String
        var continuation: AsyncStream<UInt64>.Continuation
    }

    private let maxStreams: Int
    private let maxStreamsPerAccount: Int
    /// Held by whoever notifies streams; always before `lock`.
    private let publishing = NSLock()
    private let lock = NSLock()
    // Guarded by `lock`.
    private var subscribers: [UInt64: Subscriber] = [:]
    private var topics: [String: Set<UInt64>] = [:]
    private var streamsOfAccount: [String: Int] = [:]
    private var lastID: UInt64 = 0
    private var lastChange: UInt64 = 0
    private var isClosed = false

    /// Makes a hub.
    ///
    /// - Parameters:
    ///   - maxStreams: The most streams that are open at once.
    ///   - maxStreamsPerAccount: The most open streams of one account.
    public init(maxStreams: Int = 1000, maxStreamsPerAccount: Int = 32) {
        self.maxStreams = maxStreams
        self.maxStreamsPerAccount = maxStreamsPerAccount
    }

    /// The number of open streams.
    public var openStreams: Int { lock.withLock { subscribers.count } }

    /// Whether a topic has a stream.
    public func hasStreams(of topic: String) -> Bool { lock.withLock { topics[topic] != nil } }

    /// A stream that yields the number of changes to a topic from now on. It buffers only the latest number.
    /// It ends when the hub closes, and leaves the hub when its reader is cancelled or released.
    ///
    /// - Returns: nil if there are too many streams, or if the hub is closed.
    public func subscribe(to topic: String, account: String) -> AsyncStream<UInt64>? {
        let (stream, continuation) = AsyncStream.makeStream(
            of: UInt64.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let id: UInt64? = lock.withLock {
            let ofAccount = streamsOfAccount[account] ?? 0
            guard !isClosed, subscribers.count < maxStreams, ofAccount < maxStreamsPerAccount else {
                return nil
            }
            lastID += 1
            subscribers[lastID] = Subscriber(topic: topic, account: account, continuation: continuation)
            topics[topic, default: []].insert(lastID)
            streamsOfAccount[account] = ofAccount + 1
            return lastID
        }
        guard let id else { return nil }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    /// Notifies all streams of a topic. Waits for nobody but other publishers.
    public func publish(_ topic: String) {
        publish { hub in hub.topics[topic, default: []].compactMap { hub.subscribers[$0]?.continuation } }
    }

    /// Notifies every stream, because changes may have been missed. Waits for nobody but other publishers.
    public func publishToAll() {
        publish { $0.subscribers.values.map(\.continuation) }
    }

    /// Yields the next number to some streams.
    ///
    /// NB: not within `lock`. `yield` wakes a reader's task, and takes that task's own lock for it; cancelling the task
    /// calls `remove` under that lock. Publishers wait for each other, so that a stream's numbers only grow.
    private func publish(to readers: (ChangeHub) -> [AsyncStream<UInt64>.Continuation]) {
        publishing.withLock {
            let (number, continuations) = lock.withLock {
                lastChange += 1
                return (lastChange, readers(self))
            }
            for continuation in continuations { continuation.yield(number) }
        }
    }

    /// Ends all streams and refuses new ones.
    public func close() {
        // NB: ending a stream calls `remove`, which takes the lock. So the streams are ended outside of it.
        let continuations = lock.withLock {
            isClosed = true
            return subscribers.values.map(\.continuation)
        }
        for continuation in continuations { continuation.finish() }
    }

    private func remove(_ id: UInt64) {
        lock.withLock {
            guard let subscriber = subscribers.removeValue(forKey: id) else { return }
            topics[subscriber.topic]?.remove(id)
            if topics[subscriber.topic]?.isEmpty == true { topics[subscriber.topic] = nil }
            let left = (streamsOfAccount[subscriber.account] ?? 1) - 1
            streamsOfAccount[subscriber.account] = left > 0 ? left : nil
        }
    }
}
