import Foundation

/// Runs calls that wait for a disk on threads of their own, so that they hold up no other task.
package struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// A queue whose threads carry a label.
    package init(label: String) {
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    /// Runs work, and returns what it returns. Throws what it throws.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}
