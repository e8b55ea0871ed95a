import SyncCore
import SyncRuntime
import SyncStore

/// A value read from a store: at once, and again each time it has become another one.
///
/// The present value is read when it is asked for, so a slow reader skips what came between and never falls behind. The
/// sequence ends when its task is cancelled, when the store is closed, and when the account is left. It throws where reading
/// does, and may be iterated again after that. Any number of iterations may run at once.
public struct SyncObservation<Value: Equatable & Sendable>: AsyncSequence, Sendable {
    private let signals: @Sendable () -> AsyncStream<Signal>
    private let reader: @Sendable () -> Read

    /// Reads the present value. Each iteration has one of its own, which may remember what it read.
    typealias Read = @Sendable () throws -> Value

    /// A reason to read: a count that differs from the last one seen, or nil when there is no count.
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
        self.init(
            signals: { AsyncStream(following: { store.changes($0) }, signal: { $0[entity] }) },
            reader: reader
        )
    }

    /// A part of the value, or what is made of it: at once, and again only when that has become another one, whatever else
    /// changed: `space.statuses().changes(of: \.isInSync)`.
    public func changes<Part: Equatable & Sendable>(
        of part: @escaping @Sendable (Value) -> Part
    ) -> SyncObservation<Part> {
        SyncObservation<Part>(signals: signals) { [reader] in
            let read = reader()
            return { part(try read()) }
        }
    }

    /// Begins to follow.
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
            // NB: the stream has one place however many iterators it hands out, and a local one needs no isolation.
            var signals = signals.makeAsyncIterator()
            while let signal = await signals.next() {
                if let signal, signal == seen { continue }
                seen = signal
                let value: Value
                // NB: a signal may have waited until there is nothing any more that it could tell of.
                do { value = try read() } catch let error as SyncError
                    where error == .accountLeft() || error == .storeClosed()
                {
                    return nil
                }
                if value == last { continue }
                last = value
                return value
            }
            return nil
        }
    }
}

extension AsyncStream<UInt64?> {
    /// Signals from a list of followers, of which only the newest waits. Ends when the list is emptied.
    init<Change: Sendable>(
        following follow: (@escaping @Sendable (Change) -> Void) -> any StoreSubscription,
        signal: @escaping @Sendable (Change) -> UInt64?
    ) {
        self.init(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let ending = Ending(continuation)
            let subscription = follow { change in _ = ending.continuation.yield(signal(change)) }
            continuation.onTermination = { _ in subscription.cancel() }
        }
    }

    /// Ends a stream when nobody is left who could feed it.
    private final class Ending: Sendable {
        let continuation: Continuation

        init(_ continuation: Continuation) {
            self.continuation = continuation
        }

        deinit { continuation.finish() }
    }
}
