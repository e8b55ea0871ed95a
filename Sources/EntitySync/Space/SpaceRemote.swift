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
        defer { board.update { $0.progress = nil } }
        do {
            let report = try await run(options)
            board.update {
                $0.account = .signedIn
                $0.clockSkewSeconds = report.clockSkewSeconds ?? $0.clockSkewSeconds
            }
            return report
        } catch let error as SyncError where error.retry == .afterSignIn {
            board.update { $0.account = .paused }
            throw error
        }
    }
}
