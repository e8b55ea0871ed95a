import Foundation

/// A value behind a lock: one thread at a time may use it.
///
/// The lock is recursive, so that a nested call is detected and rejected instead of waiting for itself. Threads that wait
/// queue at a second lock, where whoever has the value, or wants it again, can see them.
final class Locked<Value>: @unchecked Sendable {
    // `value` is only touched inside `lock`. `withLock` lets no reference to it escape, unless the caller does.
    private let lock = NSRecursiveLock()
    /// Held by the next one in the queue until it has `lock`.
    private let queue = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Runs `body` with the value, without changing it. Reentrant.
    func use<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
        acquire()
        defer { lock.unlock() }
        return try body(value)
    }

    /// Runs `body` unless another thread is using the value; nil then.
    func useIfFree<Result>(_ body: (Value) throws -> Result) rethrows -> Result? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return try body(value)
    }

    /// Runs `body` with the value. Not reentrant.
    func withLock<Result>(body: (inout Value) throws -> Result) rethrows -> Result {
        acquire()
        defer { lock.unlock() }
        return try body(&value)
    }

    /// Whether another thread waits for the value.
    var isAwaited: Bool {
        guard queue.try() else { return true }
        queue.unlock()
        return false
    }

    /// Lets a thread that waits for the value have it first. Must not be called by the one that has it.
    func letWaiting() {
        queue.lock()
        queue.unlock()
    }

    private func acquire() {
        if lock.try() { return }
        queue.lock()
        defer { queue.unlock() }
        lock.lock()
    }
}
