import SyncCore

extension ServerClient {
    /// Asks for something that has no answer but its status; 200 and 204 will do. Throws as `post` does.
    package func command(path: String, timeoutSeconds: Double = 30) async throws {
        try await perform(
            request("POST", path: path, maxResponseBytes: 1 << 16, timeoutSeconds: timeoutSeconds),
            attempts: policy.attempts
        ) { response in
            guard [200, 204].contains(response.status) else { throw ForeignAnswer() }
        }
    }
}
