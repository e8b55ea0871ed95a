import SyncCore

/// The longest wait in seconds that a request can ask for: a week.
let longestWaitSeconds: Double = 604_800

/// Waits for an answer, but no longer than some seconds. Throws `timedOut` then.
func withDeadline(
    seconds: Double,
    answer: @escaping @Sendable () async throws -> HTTPResponse
) async throws -> HTTPResponse {
    let seconds = min(max(seconds, 0), longestWaitSeconds)
    return try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
        group.addTask { try await answer() }
        group.addTask {
            try await Task.sleep(for: .seconds(seconds))
            throw TransportError.timedOut
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw TransportError.interrupted }
        return first
    }
}
