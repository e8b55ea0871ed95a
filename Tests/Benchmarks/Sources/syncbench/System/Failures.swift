import Foundation

/// What threads threw.
final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var errors: [any Error] = []

    func add(_ error: any Error) { lock.withLock { errors.append(error) } }

    var first: (any Error)? { lock.withLock { errors.first } }
}
