import SyncCore

/// A remote that is made when it is needed first, so that an account opens without it: what keeps it from being made is told
/// to who syncs, and tried again by the next sync.
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

    /// One that cannot be made can do nothing.
    var capabilities: RemoteCapabilities { (try? remote())?.capabilities ?? [] }

    func open(_ request: SessionRequest) async throws -> any RemoteSession {
        try await remote().open(request)
    }

    func hints() -> AsyncThrowingStream<Void, any Error> {
        // The sync that follows tells why there is none.
        (try? remote())?.hints() ?? AsyncThrowingStream { $0.finish() }
    }

    func accountResumed() async { await made.use { $0 }?.accountResumed() }

    func conditions() async -> RemoteConditions {
        await made.use { $0 }?.conditions() ?? RemoteConditions()
    }
}
