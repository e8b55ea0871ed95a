import Foundation

/// A value behind a lock: one thread at a time may use it.
///
/// The lock is recursive, so that a nested call is detected and rejected instead of waiting for itself.
final class Locked<Value>: @unchecked Sendable {
    // `value` is only touched inside `lock`. `withLock` lets no reference to it escape, unless the caller does.
    private let lock = NSRecursiveLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Runs `body` with the value, without changing it. Reentrant.
    func use<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
        lock.lock()
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
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
