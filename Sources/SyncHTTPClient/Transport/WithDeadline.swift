import SyncCore

/// The longest timeout of a request in seconds: a week.
let longestWaitSeconds: Double = 604_800

/// Waits for a result, but not beyond a deadline. Then it throws `timedOut`.
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
