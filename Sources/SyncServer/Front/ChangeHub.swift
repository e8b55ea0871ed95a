import Foundation

/// Tells open streams that something changed. It says neither what nor how often: changes that nobody has read yet are one.
public final class ChangeHub: @unchecked Sendable {
    private struct Subscriber {
        var topic: String
        var account: String
        var continuation: AsyncStream<UInt64>.Continuation
    }

    private let maxStreams: Int
    private let maxStreamsPerAccount: Int
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
    ///   - maxStreamsPerAccount: The most of them that belong to one account.
    public init(maxStreams: Int = 1000, maxStreamsPerAccount: Int = 8) {
        self.maxStreams = maxStreams
        self.maxStreamsPerAccount = maxStreamsPerAccount
    }

    /// The number of open streams.
    public var openStreams: Int { lock.withLock { subscribers.count } }

    /// A stream of the numbers of changes to a topic, from now on. It holds at most one number, the latest, until that is
    /// read. It leaves the hub when its reader is cancelled or lets go of it, and ends when the hub closes.
    ///
    /// - Returns: nil when there are too many streams, or when the hub is closed.
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

    /// Tells all streams of a topic that something changed. Never waits.
    public func publish(_ topic: String) {
        // In the lock, so that a stream's numbers only grow. NB: `yield` ends no stream, so it does not call `remove`.
        lock.withLock {
            lastChange += 1
            for id in topics[topic, default: []] { subscribers[id]?.continuation.yield(lastChange) }
        }
    }

    /// Ends all streams; there are no new ones afterwards.
    public func close() {
        // NB: a stream that ends calls `remove`, which takes the lock.
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
