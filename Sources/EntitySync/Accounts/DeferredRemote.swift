import SyncCore

/// A remote that is made when it is first needed, so that an account opens without it. If making it fails, the sync
/// throws that error, and the next sync tries again.
struct DeferredRemote: RemoteBackend {
    private let make: @Sendable () throws -> any RemoteBackend
    private let made = Guarded<(any RemoteBackend)?>(nil)

    init(_ make: @escaping @Sendable () throws -> any RemoteBackend) {
        self.make = make
    }

    private func remote() throws -> any RemoteBackend {
        try made.use { made in
            if let made { return made }
            let remote = try make()
            made = remote
            return remote
        }
    }

    /// If the remote cannot be made: hints, which throw.
    var capabilities: RemoteCapabilities { (try? remote())?.capabilities ?? .changeHints }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        try await remote().open(request)
    }

    func hints() -> AsyncThrowingStream<Void, any Error> {
        // The next sync reports why there is no remote.
        do { return try remote().hints() } catch {
            return AsyncThrowingStream { $0.finish(throwing: SyncError(shown: error)) }
        }
    }

    func accountResumed() async { await made.use { $0 }?.accountResumed() }

    func conditions() async -> RemoteConditions {
        await made.use { $0 }?.conditions() ?? RemoteConditions()
    }
}
