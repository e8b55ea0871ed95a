import Foundation
import SyncCore

/// A sleeper that records waits without waiting. Waits that a test holds last until they are cancelled.
package final class TestSleeper: SyncSleeper, @unchecked Sendable {
    private let lock = NSLock()
    private let holds: @Sendable (Double) -> Bool
    // Guarded by `lock`.
    private var waits: [Double] = []

    package init(holds: @escaping @Sendable (Double) -> Bool = { _ in false }) {
        self.holds = holds
    }

    package var slept: [Double] { lock.withLock { waits } }

    package func sleep(seconds: Double) async throws {
        lock.withLock { waits.append(seconds) }
        try Task.checkCancellation()
        if holds(seconds) { try await Gate().wait() }
    }
}
