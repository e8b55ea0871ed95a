import SyncCore
import SyncRuntime

/// What a space does with its remote.
struct SpaceRemote: Sendable {
    let backend: any RemoteBackend
    private let run: @Sendable (SyncOptions) async throws -> SyncReport

    /// The remote of an account, until the account is left; nil for the guest.
    init?(_ session: AccountSession) {
        guard let backend = session.remote else { return nil }
        self.backend = backend
        run = { try await session.sync($0) }
    }

    /// The one remote of a space without accounts.
    init(_ backend: any RemoteBackend, _ engine: SyncEngine) {
        self.backend = backend
        run = { try await engine.sync($0) }
    }

    /// Syncs, and tells the board what came of it. Throws `SyncError`.
    func sync(_ options: SyncOptions, telling board: StatusBoard) async throws -> SyncReport {
        let result: Result<SyncReport, any Error>
        do { result = .success(try await run(options)) } catch { result = .failure(error) }
        let conditions = await backend.conditions()
        board.update { facts in
            facts.progress = nil
            facts.clockSkewSeconds = conditions.clockSkewSeconds ?? facts.clockSkewSeconds
            switch result {
            case .success: facts.account = .signedIn
            case .failure(let error as SyncError) where error.retry == .afterSignIn: facts.account = .paused
            case .failure: break
            }
        }
        return try result.get()
    }
}
