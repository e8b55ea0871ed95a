import Foundation
import SyncHTTPClient

/// A source with a list of tokens: each refresh returns the next.
package final class TestCredentials: CredentialSource, @unchecked Sendable {
    private let lock = NSLock()
    private let beforeRefresh: @Sendable () async throws -> Void
    // Guarded by `lock`.
    private var current: String
    private var others: [String]
    private var refused: [String] = []

    package init(
        token: String,
        then others: [String] = [],
        beforeRefresh: @escaping @Sendable () async throws -> Void = {}
    ) {
        current = token
        self.others = others
        self.beforeRefresh = beforeRefresh
    }

    package var refreshes: [String] { lock.withLock { refused } }

    package func set(_ token: String) { lock.withLock { current = token } }

    package func token() async throws -> String { lock.withLock { current } }

    package func refresh(refused token: String) async throws -> String? {
        lock.withLock { refused.append(token) }
        try await beforeRefresh()
        return lock.withLock {
            guard !others.isEmpty else { return nil }
            current = others.removeFirst()
            return current
        }
    }
}
