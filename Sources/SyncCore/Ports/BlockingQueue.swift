import Foundation

/// Runs calls that block on a disk on its own threads, so that they block no Swift task.
///
/// Threads are started on demand and end with the queue.
///
/// NB: a `DispatchQueue` would not do. On Linux it shares its few threads with Swift's tasks, and adds one
/// per second.
package final class BlockingQueue: Sendable {
    private let jobs: BlockingJobs

    /// A queue of at most `maxThreads` threads. Further calls wait for their turn.
    package init(maxThreads: Int) {
        jobs = BlockingJobs(maxThreads: maxThreads)
    }

    deinit { jobs.close() }

    /// Runs `work` and returns its result. Rethrows its error.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        // The result crosses threads behind a lock of ours. A continuation that is resumed before it is awaited hands a
        // value over inside the Swift runtime, which the thread sanitizer does not see and reports as a race.
        let result = Guarded<Result<Value, any Error>?>(nil)
        await withCheckedContinuation { continuation in
            jobs.add {
                let done = Result(catching: work)
                result.use { $0 = done }
                continuation.resume()
            }
        }
        guard let done = result.use({ $0 }) else { throw CancellationError() }
        return try done.get()
    }

    /// The same, but `work` never runs if the task is cancelled before it begins: this throws `CancellationError` at once
    /// then. Work that has begun ends as if nobody had cancelled.
    package func runUnlessCancelled<Value: Sendable>(work: @escaping @Sendable () throws -> Value)
        async throws
        -> Value
    {
        let turn = Guarded(Turn.waiting(nil))
        let result = Guarded<Result<Value, any Error>?>(nil)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = turn.use { turn in
                    if case .cancelled = turn { return true }
                    turn = .waiting(continuation)
                    return false
                }
                guard !isCancelled else { return continuation.resume() }
                jobs.add {
                    guard let continuation = turn.use({ $0.end(as: .begun) }) else { return }
                    let done = Result(catching: work)
                    result.use { $0 = done }
                    continuation.resume()
                }
            }
        } onCancel: {
            turn.use { $0.end(as: .cancelled) }?.resume()
        }
        guard let done = result.use({ $0 }) else { throw CancellationError() }
        return try done.get()
    }

    /// Where a call stands that can be cancelled.
    private enum Turn: Sendable {
        /// Its task waits behind the continuation, once there is one.
        case waiting(CheckedContinuation<Void, Never>?)
        case begun
        case cancelled

        /// Ends the wait. Returns who waits; nil if nobody does, or no longer.
        mutating func end(as next: Turn) -> CheckedContinuation<Void, Never>? {
            guard case .waiting(let continuation) = self else { return nil }
            self = next
            return continuation
        }
    }
}

/// The waiting work and the threads. They outlive the queue until the threads are idle.
private final class BlockingJobs: @unchecked Sendable {
    private let maxThreads: Int
    private let condition = NSCondition()
    // All guarded by `condition`.
    private var waiting: [@Sendable () -> Void] = []
    private var threads = 0
    private var idleThreads = 0
    private var isClosed = false

    init(maxThreads: Int) {
        self.maxThreads = max(1, maxThreads)
    }

    func add(_ job: @escaping @Sendable () -> Void) {
        condition.lock()
        defer { condition.unlock() }
        waiting.append(job)
        condition.signal()
        guard waiting.count > idleThreads, threads < maxThreads else { return }
        threads += 1
        Thread.detachNewThread { self.work() }
    }

    /// Lets each thread end as soon as nothing is waiting.
    func close() {
        condition.lock()
        defer { condition.unlock() }
        isClosed = true
        condition.broadcast()
    }

    private func work() {
        condition.lock()
        defer { condition.unlock() }
        while true {
            while waiting.isEmpty, !isClosed {
                idleThreads += 1
                condition.wait()
                idleThreads -= 1
            }
            guard !waiting.isEmpty else { return }
            let job = waiting.removeFirst()
            condition.unlock()
            job()
            condition.lock()
        }
    }
}
