import Foundation

/// A value that one thread at a time may use.
///
/// The lock is recursive, so that a call from inside a call is seen and refused instead of waiting for itself.
final class Locked<Value>: @unchecked Sendable {
    // `value` is only touched inside `lock`; no reference to it leaves `withLock` but by the caller's mistake.
    private let lock = NSRecursiveLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Uses the value as it is. May be called from inside itself.
    func use<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(value)
    }

    /// Uses the value unless another thread does at the moment; nil then.
    func useIfFree<Result>(_ body: (Value) throws -> Result) rethrows -> Result? {
        guard lock.try() else { return nil }
        defer { lock.unlock() }
        return try body(value)
    }

    /// Uses or changes the value. Must not be called from inside itself.
    func withLock<Result>(body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
