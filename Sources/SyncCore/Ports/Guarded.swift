import Foundation

/// A value behind a lock: one thread at a time may use it.
package final class Guarded<Value>: @unchecked Sendable {
    // `value` is only touched inside `lock`. `use` lets no reference to it escape, unless the caller does.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Runs `body` with the value. Not reentrant.
    package func use<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
