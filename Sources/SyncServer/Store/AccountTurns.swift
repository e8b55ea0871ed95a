import SyncCore
import SyncWire

/// Lets the requests of an account take turns, in the order in which they came, before they take a thread or a
/// connection that all accounts share. So an account with many requests at once keeps nobody else waiting.
///
/// Pushes of one account run one at a time; a store would let them wait for each other anyway. An account that runs and
/// awaits nothing takes no memory.
package final class AccountTurns: Sendable {
    /// What a request does.
    package enum Kind: Sendable {
        case push, other
    }

    /// Width and longest wait, for each account.
    package struct Limits: Sendable {
        /// The most requests that run at once.
        package var maxRunning: Int
        /// The most requests that wait; a further one is told to come back.
        package var maxWaiting: Int
        /// The most seconds that a request waits: one whose turn comes later is told to come back.
        package var maxWaitSeconds: Double

        /// Makes limits.
        package init(maxRunning: Int, maxWaiting: Int = 256, maxWaitSeconds: Double = 20) {
            self.maxRunning = max(1, maxRunning)
            self.maxWaiting = maxWaiting
            self.maxWaitSeconds = maxWaitSeconds
        }
    }

    private let limits: Limits
    private let queues = Guarded<[String: Queue]>([:])

    /// Makes turns of which none is taken.
    package init(limits: Limits) { self.limits = limits }

    /// Runs work when it is the request's turn.
    ///
    /// - Throws: What the work throws; `WireError` `unavailable` if too many requests wait, or if this one did for too
    ///   long; `CancellationError` if the task is cancelled before its turn.
    package func run<Value>(
        account: String,
        kind: Kind,
        work: () async throws -> Value
    ) async throws -> Value {
        let deadline = ContinuousClock.now + .seconds(limits.maxWaitSeconds)
        try await begin(account: account, kind: kind)
        defer { end(account: account, kind: kind) }
        guard ContinuousClock.now < deadline else { throw WireError.tooManyOfOneAccount }
        return try await work()
    }

    /// The accounts with a request that runs or waits.
    package var accounts: [String] { queues.use { $0.keys.sorted() } }

    /// The number of requests of an account that wait.
    package func waitingCount(account: String) -> Int { queues.use { $0[account]?.waiting.count ?? 0 } }
}

extension AccountTurns {
    /// The requests of one account.
    private struct Queue {
        var running = 0
        var isPushing = false
        var waiting: [Waiter] = []

        /// Begins a request if there is room for it.
        mutating func begin(kind: Kind, maxRunning: Int) -> Bool {
            guard running < maxRunning, kind != .push || !isPushing else { return false }
            running += 1
            if kind == .push { isPushing = true }
            return true
        }

        /// Begins the waiting requests that have room, first come first.
        mutating func beginWaiting(maxRunning: Int) -> [Waiter] {
            var begun: [Waiter] = []
            var left: [Waiter] = []
            for waiter in waiting {
                if begin(kind: waiter.kind, maxRunning: maxRunning) {
                    begun.append(waiter)
                } else {
                    left.append(waiter)
                }
            }
            waiting = left
            return begun
        }
    }

    /// A request that waits for its turn.
    private final class Waiter: Sendable {
        enum State: Sendable {
            case new, cancelled, begun
            case waiting(CheckedContinuation<Void, Never>)
        }

        let kind: Kind
        let state = Guarded(State.new)

        init(kind: Kind) { self.kind = kind }

        /// Ends the wait. Whoever gets to it first decides how.
        func end(as outcome: State) {
            let continuation: CheckedContinuation<Void, Never>? = state.use { state in
                switch state {
                case .new:
                    state = outcome
                    return nil
                case .waiting(let continuation):
                    state = outcome
                    return continuation
                case .cancelled, .begun: return nil
                }
            }
            continuation?.resume()
        }
    }

    /// Returns when it is the request's turn.
    private func begin(account: String, kind: Kind) async throws {
        try Task.checkCancellation()
        let waiter: Waiter? = try queues.use { queues in
            var queue = queues[account] ?? Queue()
            defer { queues[account] = queue }
            if queue.begin(kind: kind, maxRunning: limits.maxRunning) { return nil }
            guard queue.waiting.count < limits.maxWaiting else { throw WireError.tooManyOfOneAccount }
            let waiter = Waiter(kind: kind)
            queue.waiting.append(waiter)
            return waiter
        }
        guard let waiter else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = waiter.state.use { state in
                    guard case .new = state else { return true }
                    state = .waiting(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            // Who is in the queue no more has begun, and ends as any other.
            let isWaiting = queues.use { queues in
                guard let index = queues[account]?.waiting.firstIndex(where: { $0 === waiter }) else {
                    return false
                }
                queues[account]?.waiting.remove(at: index)
                return true
            }
            if isWaiting { waiter.end(as: .cancelled) }
        }
        if waiter.state.use({ if case .cancelled = $0 { true } else { false } }) { throw CancellationError() }
    }

    /// Ends a request that ran, and begins those that waited for it.
    private func end(account: String, kind: Kind) {
        let begun = queues.use { queues -> [Waiter] in
            guard var queue = queues[account] else { return [] }
            queue.running -= 1
            if kind == .push { queue.isPushing = false }
            let begun = queue.beginWaiting(maxRunning: limits.maxRunning)
            queues[account] = queue.running > 0 ? queue : nil
            return begun
        }
        for waiter in begun { waiter.end(as: .begun) }
    }
}

extension WireError {
    /// An account has more requests under way than are worth waiting for.
    fileprivate static let tooManyOfOneAccount: WireError = {
        var error = WireError(code: .unavailable, detail: "The server is busy.", retryAfterSeconds: 1)
        error.cause = "too many requests of one account wait for each other"
        return error
    }()
}
