/// Cancels one child of a task group when it is released, so that no unstructured task is needed for its handle.
final class CancelSwitch: Sendable {
    private let signal: AsyncStream<Never>.Continuation

    private init(_ signal: AsyncStream<Never>.Continuation) { self.signal = signal }

    deinit { signal.finish() }

    /// Makes a switch and its target.
    static func make() -> (CancelSwitch, Target) {
        let (stream, signal) = AsyncStream.makeStream(of: Never.self)
        return (CancelSwitch(signal), Target(stream: stream))
    }

    /// Work that a switch can cancel.
    struct Target: Sendable {
        fileprivate let stream: AsyncStream<Never>

        /// Runs work that is cancelled once the switch is released. Returns when the work has returned.
        func run(work: @escaping @Sendable () async -> Void) async {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await work() }
                group.addTask { [stream] in for await _ in stream {} }
                await group.next()
                group.cancelAll()
            }
        }
    }
}
