import Foundation

/// A value that one thread at a time may use.
package final class Guarded<Value>: @unchecked Sendable {
    // `value` is only touched inside `lock`; no reference to it leaves `use` but by the caller's mistake.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Uses or changes the value. Must not be called from inside itself.
    package func use<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
