package import SyncCore
package import SyncHTTPClient
import SyncWire

/// The requests of protocol v1. Refusals are thrown as `WireError`.
extension HTTPClient {
    /// Sends a JSON body to a path of the protocol and reads the answer, which is JSON with status 200.
    ///
    /// `attempts` overrides the policy's, for a caller that halves its batch instead of insisting. Throws `WireError` for
    /// a refusal, and what `send` throws.
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

    /// Deletes what is under a path; any success (200, 202, 204) will do. Throws as `post` does.
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

    /// Asks for something that has no answer but its status; 200 and 204 will do. Throws as `post` does.
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

    /// Watches for changes of a log: an element comes whenever the stream is connected, and for each change that the
    /// server tells of; see `events`.
    package func changes(path: String = WireProtocol.eventsPath) -> AsyncThrowingStream<Void, any Error> {
        events(named: WireProtocol.changeEvent, path: path)
    }
}

/// Thrown for an answer that did not come from a sync server.
private struct ForeignAnswer: Error {}
