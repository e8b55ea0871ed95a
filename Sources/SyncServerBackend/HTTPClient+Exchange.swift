package import SyncCore
package import SyncHTTPClient
import SyncWire

/// The requests of protocol v1. A rejection is thrown as `WireError`.
extension HTTPClient {
    /// Posts a JSON body to a path of the protocol, and reads a JSON answer with status 200.
    ///
    /// `attempts` overrides the policy, for a caller that halves its batch instead of retrying. Throws `WireError`
    /// for a rejection, and as `send` does.
    package func post<Value>(
        path: String,
        body: [UInt8],
        maxResponseBytes: Int,
        timeoutSeconds: Double,
        attempts: Int? = nil,
        read: @Sendable (HTTPResponse) throws -> Value
    ) async throws -> Value {
        let call = HTTPCall(
            "POST",
            path: path,
            headers: [HTTPHeader(name: "Content-Type", value: WireProtocol.mediaType)],
            body: body,
            maxResponseBytes: maxResponseBytes,
            timeoutSeconds: timeoutSeconds,
            attempts: attempts
        )
        return try await send(call) { response in
            guard response.mediaType == WireProtocol.mediaType else { throw ForeignAnswer() }
            return try read(response)
        }
    }

    /// Deletes the resource at a path. Any success is accepted (200, 202, 204). Throws as `post` does.
    package func delete(_ path: String, timeoutSeconds: Double) async throws {
        try await send(
            HTTPCall(
                "DELETE",
                path: path,
                answers: [200, 202, 204],
                maxResponseBytes: 1 << 16,
                timeoutSeconds: timeoutSeconds
            )
        ) { _ in }
    }

    /// Sends a request whose answer is only a status, 200 or 204. Throws as `post` does.
    package func command(path: String, timeoutSeconds: Double = 30) async throws {
        try await send(
            HTTPCall(
                "POST",
                path: path,
                answers: [200, 204],
                maxResponseBytes: 1 << 16,
                timeoutSeconds: timeoutSeconds
            )
        ) { _ in }
    }

    /// Watches a log for changes: yields whenever the stream connects, and for each change that the server reports;
    /// see `events`.
    package func changes(path: String = WireProtocol.eventsPath) -> AsyncThrowingStream<Void, any Error> {
        events(named: WireProtocol.changeEvent, path: path)
    }
}

/// The answer did not come from a sync server.
private struct ForeignAnswer: Error {}
