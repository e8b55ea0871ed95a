import SyncCore
import SyncRuntime
import SyncStore

/// A value read from a store: now, and again each time it changes.
///
/// The value is read when it is asked for, so a slow reader skips intermediate values and never falls behind. The
/// sequence ends when its task is cancelled, the store is closed, or the account is left. It throws if reading
/// throws, and can be iterated again afterwards. Several iterations may run at the same time.
public struct SyncObservation<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    private let signals: @Sendable () -> AsyncStream<Signal>
    private let reader: @Sendable () -> Read

    /// Reads the present value. Each iteration has its own reader, which may remember its last result.
    typealias Read = @Sendable () throws -> Value

    /// A reason to read: a count that differs from the last one, or nil if there is no count.
    typealias Signal = UInt64?

    init(
        signals: @escaping @Sendable () -> AsyncStream<Signal>,
        reader: @escaping @Sendable () -> Read
    ) {
        self.signals = signals
        self.reader = reader
    }

    /// Follows one entity of a store.
    init(store: SpaceStore, entity: String, reader: @escaping @Sendable () -> Read) {
        self.init(store: store, entities: [entity], reader: reader)
    }

    /// Follows some entities of a store.
    init(store: SpaceStore, entities: Set<String>, reader: @escaping @Sendable () -> Read) {
        self.init(
            store: store,
            signal: { version in entities.reduce(UInt64(0)) { $0 &+ version[$1] } },
            reader: reader
        )
    }

    /// Follows the commits of a store.
    init(
        store: SpaceStore,
        signal: @escaping @Sendable (StoreVersion) -> Signal,
        reader: @escaping @Sendable () -> Read
    ) {
        self.init(
            signals: { AsyncStream(following: { store.changes($0) }, signal: signal) },
            reader: reader
        )
    }

    /// A part of the value, or something derived from it: now, and again only when that part changes:
    /// `space.statuses().changes(of: \.isInSync)`.
    public func changes<Part: Equatable & Sendable>(
        of part: @escaping @Sendable (Value) -> Part
    ) -> SyncObservation<Part> {
        SyncObservation<Part>(signals: signals) { [reader] in
            let read = reader()
            return { part(try read()) }
        }
    }

    /// Starts to observe.
    public func makeAsyncIterator() -> Iterator {
        Iterator(signals: signals(), read: reader())
    }

    /// One reader's place in the sequence.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let signals: AsyncStream<Signal>
        fileprivate let read: Read
        private var seen: UInt64?
        private var last: Value?

        fileprivate init(signals: AsyncStream<Signal>, read: @escaping Read) {
            self.signals = signals
            self.read = read
        }

        /// The first value, or the next one that differs from the last; nil at the end.
        public mutating func next() async throws -> Value? {
            // The stream keeps one position for all its iterators, and a local iterator needs no isolation.
            var signals = signals.makeAsyncIterator()
            while let signal = await signals.next() {
                if let signal, signal == seen { continue }
                seen = signal
                let value: Value
                // A signal may be outdated: its value may have been read already, or the store closed.
                do { value = try read() } catch let error as SyncError
                    where error == .accountLeft() || error == .storeClosed()
                {
                    return nil
                }
                // What a cancelled task reads may be older than what another one has shown meanwhile.
                if Task.isCancelled { return nil }
                if value == last { continue }
                last = value
                return value
            }
            return nil
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// Signals from a list of subscribers. Only the newest signal waits. Ends when the list is cleared.
    init<Change: Sendable>(
        following follow: (@escaping @Sendable (Change) -> Void) -> any StoreSubscription,
        signal: @escaping @Sendable (Change) -> Element
    ) {
        self.init(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let ending = Ending(continuation)
            let subscription = follow { change in _ = ending.continuation.yield(signal(change)) }
            // NB: cancelling a task calls this while the runtime holds its lock. So `cancel` must not wait for a
            // notification, which wakes the task: `observersMayLeaveDuringCommits`.
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }

    /// Ends a stream when its last source is gone.
    private final class Ending: Sendable {
        let continuation: Continuation

        init(_ continuation: Continuation) {
            self.continuation = continuation
        }

        deinit { continuation.finish() }
    }
}
